// grep: a regular expression over the files of a tree. The walk is here, the expression runs in a worker.

import { join } from "node:path";
import { z } from "zod";
import { count } from "../lib/text.ts";
import { cancelled, codeContent, failed } from "./answers.ts";
import { patternFault, pathMatcher } from "./glob.ts";
import { firstMatches, type GrepQuery, toRegExp } from "./grep-match.ts";
import { type GrepEnd, runGrep } from "./grep-run.ts";
import type { GrepReply } from "./grep-worker.ts";
import { searchRootOf, withNotices } from "./search-root.ts";
import { showPath, toAccess, type ToolPath, toToolPath } from "./tool-path.ts";
import { defineTool, type ToolContext, type ToolResult } from "./tool.ts";
import { insideOf, type Walk, walkFiles, walkNotices } from "./walk.ts";

const MAX_PATTERN_LENGTH = 1_000;
const MAX_CONTEXT = 10;
const DEFAULT_LIMIT = 200;
const MAX_LIMIT = 2_000;
const MAX_OUTPUT_LENGTH = 50_000;

const grepArgs = z.object({
  pattern: z
    .string()
    .min(1)
    .max(MAX_PATTERN_LENGTH)
    .describe("A JavaScript regular expression, tried on each line."),
  path: z.string().optional().describe("A folder or a file. Default: the working directory."),
  glob: z
    .string()
    .max(MAX_PATTERN_LENGTH)
    .optional()
    .describe("Only files that match, such as `*.tf`."),
  output: z
    .enum(["files", "content", "count"])
    .optional()
    .describe("Paths only, matching lines (default), or the number of matching lines a file."),
  context: z
    .int()
    .min(0)
    .max(MAX_CONTEXT)
    .optional()
    .describe("Lines around each match. Default 0."),
  ignore_case: z.boolean().optional(),
  limit: z
    .int()
    .min(1)
    .max(MAX_LIMIT)
    .optional()
    .describe("Matching lines, or files, at most. Default 200."),
});
type GrepArgs = z.infer<typeof grepArgs>;

export const grep = defineTool({
  name: "grep",
  kind: "search",
  description:
    "Search file contents with a regular expression. Leaves out binaries, what .gitignore names, and .git, node_modules and .terraform.",
  args: grepArgs,
  open: async (args, place) => {
    try {
      toRegExp(args.pattern, args.ignore_case ?? false);
    } catch (error) {
      return `pattern: it is not a regular expression: ${error instanceof Error ? error.message : String(error)}. Escape characters such as ( [ { . * + ? | ^ $ with a backslash to search for them.`;
    }
    const fault = args.glob === undefined ? undefined : patternFault(args.glob);
    if (fault) return fault.replace("pattern", "glob");
    const target = await toToolPath(args.path ?? ".", place);
    if (typeof target === "string") return target;
    return {
      title: `Search ${args.pattern}${target.shown === "." ? "" : ` in ${target.shown}`}`,
      access: { type: "read", paths: [toAccess(target)] },
      locations: [],
      execute: (context) => run(target, args, context),
    };
  },
});

type Found = {
  readonly parts: string[];
  files: number;
  matches: number;
  length: number;
  binary: number;
  tooLarge: number;
  unreadable: number;
  slow: number;
};

async function run(target: ToolPath, args: GrepArgs, context: ToolContext): Promise<ToolResult> {
  if (context.signal.aborted) return cancelled();
  const root = await searchRootOf(target);
  if (!root.ok) return failed(root.text);
  const output = args.output ?? "content";
  const limit = args.limit ?? DEFAULT_LIMIT;
  const query: GrepQuery = {
    pattern: args.pattern,
    ignoresCase: args.ignore_case ?? false,
    context: args.context ?? 0,
    wantsLines: output === "content",
  };
  const walk =
    root.type === "file"
      ? undefined
      : walkFiles(target.realPath, { signal: context.signal, isDenied: context.isPathDenied });
  const found: Found = {
    parts: [],
    files: 0,
    matches: 0,
    length: 0,
    binary: 0,
    tooLarge: 0,
    unreadable: 0,
    slow: 0,
  };
  const end = await runGrep({
    batches: walk ? filtered(walk, target, args.glob) : single(target.realPath),
    query,
    wanted: () =>
      found.length >= MAX_OUTPUT_LENGTH
        ? 0
        : limit - (output === "content" ? found.matches : found.files),
    onReply: (reply) =>
      collect(found, reply, { target, output, limit, around: query.context, cwd: context.cwd }),
    signal: context.signal,
  });
  if (context.signal.aborted || end.type === "cancelled") return cancelled();
  return answer(found, end, args, walk);
}

async function* single(path: string): AsyncGenerator<readonly string[]> {
  yield [path];
}

async function* filtered(
  walk: Walk,
  target: ToolPath,
  pattern: string | undefined,
): AsyncGenerator<readonly string[]> {
  if (pattern === undefined) {
    yield* walk.batches;
    return;
  }
  const matches = pathMatcher(pattern);
  const inside = insideOf(target.realPath);
  for await (const batch of walk.batches) yield batch.filter((path) => matches(inside(path)));
}

type Collecting = {
  readonly target: ToolPath;
  readonly output: "files" | "content" | "count";
  readonly limit: number;
  /** Lines around each match. */
  readonly around: number;
  readonly cwd: string;
};

function collect(
  found: Found,
  reply: GrepReply,
  { target, output, limit, around, cwd }: Collecting,
): void {
  const inside = insideOf(target.realPath);
  found.binary += reply.binary;
  found.tooLarge += reply.tooLarge;
  found.unreadable += reply.unreadable;
  found.slow += reply.slow;
  for (const match of reply.matches) {
    const left = limit - found.matches;
    found.matches += match.count;
    found.files++;
    if (output !== "content" && found.files > limit) continue;
    const shown = showPath(join(target.path, inside(match.path)), cwd);
    const part =
      output === "files"
        ? shown
        : output === "count"
          ? `${shown}: ${match.count}`
          : firstMatches(match.lines, left, around)
              .map(
                ({ number, text, isMatch }) =>
                  `${shown}${isMatch ? ":" : "-"}${number}${isMatch ? ":" : "-"}${text}`,
              )
              .join("\n");
    if (part === "" || found.length >= MAX_OUTPUT_LENGTH) continue;
    found.length += part.length;
    found.parts.push(part.slice(0, MAX_OUTPUT_LENGTH));
  }
}

function answer(found: Found, end: GrepEnd, args: GrepArgs, walk: Walk | undefined): ToolResult {
  const limit = args.limit ?? DEFAULT_LIMIT;
  const notices = walk ? walkNotices(walk.summary()) : [];
  const isCut =
    found.length >= MAX_OUTPUT_LENGTH ||
    ((args.output ?? "content") === "content" ? found.matches : found.files) > limit;
  if (isCut)
    notices.unshift(
      "Cut: there are more matches. Narrow the pattern, the path or the glob, or raise limit.",
    );
  if (end.type === "stalled")
    notices.unshift(
      `The expression did not come to an end on ${end.path ?? "a file"}: the result is partial. Repetitions one after or inside another, such as a*a*b or (a+)+, take for ever; simplify it.`,
    );
  if (end.type === "failed") notices.unshift(`The search ended early: ${end.reason}.`);
  if (found.slow > 0)
    notices.push(
      `The expression backtracks so much that matches may be missing in ${count(found.slow, "file")}; simplify it.`,
    );
  if (found.tooLarge > 0) notices.push(`Files over 64 MiB, not searched: ${found.tooLarge}.`);
  if (found.unreadable > 0) notices.push(`Files that could not be read: ${found.unreadable}.`);
  const separator = (args.context ?? 0) > 0 ? "\n--\n" : "\n";
  const body =
    found.parts.length === 0 ? `No match for ${args.pattern}.` : found.parts.join(separator);
  const summary = `${count(found.matches, "matching line")} in ${count(found.files, "file")}`;
  const text = withNotices(body, found.parts.length === 0 ? notices : [summary, ...notices]);
  return {
    ok: end.type === "done" || found.parts.length > 0,
    text,
    content: codeContent(text),
    rawOutput: { matches: found.matches, files: found.files },
  };
}
