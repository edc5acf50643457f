// list_files: what is in a folder, a few levels deep, folders first.

import { lstatSync, readlinkSync, statSync } from "node:fs";
import { z } from "zod";
import { count } from "../lib/text.ts";
import { cancelled, codeContent, failed } from "./answers.ts";
import { describeFileError } from "./disk-file.ts";
import { type IgnoreRules, rulesAbove } from "./ignore-rules.ts";
import { searchRootOf, withNotices } from "./search-root.ts";
import { toAccess, type ToolPath, toToolPath } from "./tool-path.ts";
import { defineTool, type ToolContext, type ToolResult } from "./tool.ts";
import { type FolderEntry, listFolder } from "./walk.ts";

const MAX_ENTRIES = 1_000;
const MAX_DEPTH = 10;

export const listFiles = defineTool({
  name: "list_files",
  kind: "read",
  description:
    "List a folder: folders first, then files with their sizes. Leaves out what .gitignore names and .git, node_modules and .terraform. At most 1,000 entries.",
  args: z.object({
    path: z.string().describe("The folder. `.` is the working directory."),
    depth: z.int().min(1).max(MAX_DEPTH).optional().describe("Levels to show. Default 1."),
  }),
  open: async ({ path, depth = 1 }, place) => {
    const target = await toToolPath(path, place);
    if (typeof target === "string") return target;
    return {
      title: `List ${target.shown}`,
      access: { type: "read", paths: [toAccess(target)] },
      locations: [{ path: target.path }],
      execute: (context) => run(target, depth, context),
    };
  },
});

type Listing = {
  readonly lines: string[];
  ignored: number;
  denied: number;
  isCut: boolean;
};

async function run(target: ToolPath, depth: number, context: ToolContext): Promise<ToolResult> {
  if (context.signal.aborted) return cancelled();
  const root = await searchRootOf(target);
  if (!root.ok) return failed(root.text);
  if (root.type === "file") return failed(`${target.shown} is a file; read_file shows it.`);
  const listing: Listing = { lines: [], ignored: 0, denied: 0, isCut: false };
  try {
    await listInto(
      listing,
      target.realPath,
      rulesAbove(target.realPath),
      { depth, level: 0 },
      context,
    );
  } catch (error) {
    return failed(`Cannot list ${target.shown}: ${describeFileError(error)}.`);
  }
  if (context.signal.aborted) return cancelled();
  const notices: string[] = [];
  if (listing.isCut)
    notices.push(`Cut after ${MAX_ENTRIES.toLocaleString("en")} entries. List a folder below it.`);
  if (listing.ignored > 0) notices.push(`Ignored and not shown: ${listing.ignored}.`);
  if (listing.denied > 0) notices.push(`Left out by a deny rule: ${listing.denied}.`);
  const body = listing.lines.length === 0 ? `${target.shown} is empty.` : listing.lines.join("\n");
  return {
    ok: true,
    text: withNotices(body, notices),
    content: codeContent(withNotices(body, notices)),
    rawOutput: { entries: listing.lines.length, ignored: listing.ignored },
  };
}

type Level = { readonly depth: number; readonly level: number };

async function listInto(
  listing: Listing,
  folder: string,
  rules: IgnoreRules,
  { depth, level }: Level,
  context: ToolContext,
): Promise<void> {
  const found = listFolder(folder, rules, context.isPathDenied);
  listing.ignored += found.ignored;
  listing.denied += found.denied;
  const sorted = [
    ...found.entries.filter(({ type }) => type === "folder"),
    ...found.entries.filter(({ type }) => type !== "folder"),
  ];
  // A wide tree must not keep a cancel waiting.
  await new Promise<void>((resolve) => setImmediate(resolve));
  for (const entry of sorted) {
    if (context.signal.aborted) return;
    if (listing.lines.length >= MAX_ENTRIES) {
      listing.isCut = true;
      return;
    }
    const at = listing.lines.push("  ".repeat(level) + describeEntry(entry)) - 1;
    if (entry.type !== "folder" || level + 1 >= depth) continue;
    try {
      await listInto(listing, entry.path, found.rules, { depth, level: level + 1 }, context);
    } catch (error) {
      listing.lines[at] += ` (${describeFileError(error)})`;
    }
  }
}

function describeEntry({ name, path, type }: FolderEntry): string {
  switch (type) {
    case "folder":
      return `${name}/`;
    case "link":
      return `${name} -> ${describeLink(path)}`;
    case "other":
      return `${name} (pipe, socket or device)`;
    case "file":
      return `${name}  ${describeSize(path)}`;
  }
}

function describeSize(path: string): string {
  try {
    return count(lstatSync(path).size, "byte");
  } catch {
    // It was removed after its folder was read.
    return "(gone)";
  }
}

function describeLink(path: string): string {
  try {
    const goal = readlinkSync(path);
    try {
      return statSync(path).isDirectory() ? `${goal}/` : goal;
    } catch {
      // The link is there, what it names is not.
      return `${goal} (broken link)`;
    }
  } catch {
    // It was removed after its folder was read.
    return "(gone)";
  }
}
