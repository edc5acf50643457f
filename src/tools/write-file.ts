// write_file: a whole file, new or replaced. Refuses to replace what this session has not seen as it is.

import { z } from "zod";
import { count } from "../lib/text.ts";
import { cancelled, failed } from "./answers.ts";
import {
  type Current,
  noted,
  protectedReason,
  readCurrent,
  replaceFile,
  staleReason,
} from "./current-file.ts";
import { diffContent } from "./diff-content.ts";
import { type FileText, isUniformlyCrlf } from "./file-text.ts";
import { toAccess, type ToolPath, toToolPath } from "./tool-path.ts";
import { defineTool, type ToolContext, type ToolResult } from "./tool.ts";

/** UTF-16 units. Longer files are made by programs, not by a model's arguments. */
const MAX_CONTENT_LENGTH = 10 * 1024 * 1024;

export const writeFile = defineTool({
  name: "write_file",
  kind: "edit",
  description:
    "Write a whole file, making its folders. An existing file must have been read in this session and be unchanged since. Prefer edit_file for changes to existing files. A byte order mark and uniform CRLF line ends of the file that is replaced are kept.",
  args: z.object({
    path: z.string().describe("Relative to the working directory, or absolute."),
    content: z
      .string()
      .max(MAX_CONTENT_LENGTH)
      .refine((text) => text.isWellFormed(), "it holds half of a surrogate pair, which no file can")
      .describe("The whole new content."),
  }),
  open: async ({ path, content }, place) => {
    const target = await toToolPath(path, place);
    if (typeof target === "string") return target;
    const refusal = protectedReason(target);
    if (refusal) return refusal;
    return {
      title: `Write ${target.shown}`,
      access: { type: "write", paths: [toAccess(target)] },
      locations: [{ path: target.path }],
      preview: async (context) => {
        const plan = planWrite(target, content, await readCurrent(target, context), context);
        if (typeof plan === "string") return { ok: false, text: plan };
        return { ok: true, content: diffContent(target.path, plan.oldText, plan.next.text) };
      },
      execute: (context) => run(target, content, context),
    };
  },
});

type WritePlan = { readonly next: FileText; readonly oldText: string | undefined };

/** What would be written, or why nothing may be. */
function planWrite(
  target: ToolPath,
  content: string,
  current: Current,
  { session }: ToolContext,
): WritePlan | string {
  const text = content.startsWith("\uFEFF") ? content.slice(1) : content;
  if (current.type === "missing") {
    session.files.delete(target.realPath);
    return { next: { encoding: "utf-8", text }, oldText: undefined };
  }
  if (current.type === "refused")
    return `Cannot write ${target.shown}: ${current.reason}. Nothing was written.`;
  const stale = staleReason(target, current, session);
  if (stale) return stale;
  const keepsCrlf = isUniformlyCrlf(current.text) && !text.includes("\r");
  return {
    next: {
      encoding: current.encoding,
      text: keepsCrlf ? text.replaceAll("\n", "\r\n") : text,
    },
    oldText: current.text,
  };
}

async function run(target: ToolPath, content: string, context: ToolContext): Promise<ToolResult> {
  if (context.signal.aborted) return cancelled();
  // Read again: the file may have changed while the question was open.
  const current = await readCurrent(target, context);
  const plan = planWrite(target, content, current, context);
  if (typeof plan === "string") return failed(plan);
  if (context.signal.aborted) return cancelled();
  const existing = current.type === "text" ? current : undefined;
  const written = await replaceFile(target, plan.next, existing, context);
  if (!written.ok)
    return failed(`Cannot write ${target.shown}: ${written.reason}. Nothing was written.`);
  const lines =
    plan.next.text === ""
      ? 0
      : plan.next.text.replace(/(\r\n|\n|\r)$/, "").split(/\r\n|\n|\r/).length;
  const verb = existing ? "Replaced" : "Made";
  return {
    ok: true,
    text: `${verb} ${target.shown}: ${count(lines, "line")}, ${count(Buffer.byteLength(plan.next.text), "byte")}.${noted(written)}`,
    content: diffContent(target.path, plan.oldText, plan.next.text),
    locations: [{ path: target.path, line: 1 }],
  };
}
