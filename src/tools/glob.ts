// glob: files by name pattern, newest first.

import { join } from "node:path";
import { z } from "zod";
import { count } from "../lib/text.ts";
import { cancelled, codeContent, failed } from "./answers.ts";
import { NewestFiles } from "./glob-times.ts";
import { searchRootOf, withNotices } from "./search-root.ts";
import { showPath, toAccess, type ToolPath, toToolPath } from "./tool-path.ts";
import { defineTool, type ToolContext, type ToolResult } from "./tool.ts";
import { insideOf, walkFiles, walkNotices } from "./walk.ts";

const MAX_RESULTS = 1_000;
const MAX_PATTERN_LENGTH = 1_000;
/** Each pair of braces multiplies the ways a name can be tried. */
const MAX_BRACES = 10;

export const glob = defineTool({
  name: "glob",
  kind: "search",
  description:
    "Find files by name pattern, newest first: `**/*.tf`, `modules/*/main.tf`, `*.{yml,yaml}`. A pattern without `/` matches names at any depth. Escape `[`, `{`, `*` and `?` with a backslash. Leaves out what .gitignore names and .git, node_modules and .terraform. At most 1,000 results.",
  args: z.object({
    pattern: z.string().min(1).max(MAX_PATTERN_LENGTH),
    path: z.string().optional().describe("The folder to search. Default: the working directory."),
  }),
  open: async ({ pattern, path }, place) => {
    const fault = patternFault(pattern);
    if (fault) return fault;
    const split = splitAbsolute(pattern);
    if (split && path !== undefined)
      return "pattern: it is absolute although a path is given. Make it relative to the path.";
    const target = await toToolPath(split?.folder ?? path ?? ".", place);
    if (typeof target === "string") return target;
    return {
      title: `Find ${pattern}${target.shown === "." || split ? "" : ` in ${target.shown}`}`,
      access: { type: "read", paths: [toAccess(target)] },
      locations: [],
      execute: (context) => run(target, split?.pattern ?? pattern, context),
    };
  },
});

/** Also for the `glob` argument of grep. A string is an error text for the model. */
export function patternFault(pattern: string): string | undefined {
  if (pattern.split("/").includes(".."))
    return "pattern: it holds `..`. Give the folder to search as `path` instead.";
  if ((pattern.match(/\{/g) ?? []).length > MAX_BRACES)
    return `pattern: it has more than ${MAX_BRACES} braces. Search in parts.`;
  return undefined;
}

/** Matches paths relative to the search root, with `/`. A pattern without `/` is tried on the name alone. */
export function pathMatcher(pattern: string): (relativePath: string) => boolean {
  const bare = pattern.startsWith("./") ? pattern.slice(2) : pattern;
  const matcher = new Bun.Glob(bare);
  if (pattern.includes("/")) return (path) => matcher.match(path);
  return (path) => matcher.match(path.slice(path.lastIndexOf("/") + 1));
}

function splitAbsolute(
  pattern: string,
): { readonly folder: string; readonly pattern: string } | undefined {
  if (!pattern.startsWith("/") && !pattern.startsWith("~/")) return undefined;
  const parts = pattern.split("/");
  const first = parts.findIndex((part) => /[*?[{\\]/.test(part));
  const cut = first === -1 ? parts.length - 1 : first;
  return {
    folder: parts.slice(0, cut).join("/") || "/",
    pattern: `./${parts.slice(cut).join("/")}`,
  };
}

async function run(target: ToolPath, pattern: string, context: ToolContext): Promise<ToolResult> {
  if (context.signal.aborted) return cancelled();
  const root = await searchRootOf(target);
  if (!root.ok) return failed(root.text);
  if (root.type === "file") return failed(`${target.shown} is a file; path must be a folder.`);
  const matches = pathMatcher(pattern);
  const walk = walkFiles(target.realPath, {
    signal: context.signal,
    isDenied: context.isPathDenied,
  });
  const inside = insideOf(target.realPath);
  await using files = new NewestFiles({ root: target.realPath, wanted: MAX_RESULTS });
  for await (const batch of walk.batches) files.add(batch.map(inside).filter(matches));
  const newest = await files.finish(context.signal);
  if (context.signal.aborted) return cancelled();
  const lines = newest.map((path) => showPath(join(target.path, path), context.cwd));
  const notices = walkNotices(walk.summary());
  if (files.count > MAX_RESULTS)
    notices.unshift(
      `The ${MAX_RESULTS.toLocaleString("en")} newest of ${count(files.count, "match", "matches")}. Narrow the pattern.`,
    );
  const body = lines.length === 0 ? `No file matches ${pattern}.` : lines.join("\n");
  const text = withNotices(body, notices);
  return { ok: true, text, content: codeContent(text), rawOutput: { matches: files.count } };
}
