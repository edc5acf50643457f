// A tool call as lines for a person. Pure: what is shown, not when. Whatever came from outside is escaped before it is painted.

import type { PlanEntry, ToolCallContent } from "@agentclientprotocol/sdk/unstable";
import { escapeInvisible } from "../lib/text.ts";
import { diffLines } from "./line-diff.ts";
import type { Paint } from "./paint.ts";

/** Lines of a failed call's text, and of what a command printed. */
export const MAX_FAILURE_LINES = 40;
export const MAX_OUTPUT_LINES = 10;
/** In a question more is shown: who allows must be able to read it. The rest is counted, never just left out. */
export const MAX_QUESTION_LINES = 400;
/** Times below this are not worth a word. */
const SHOWN_DURATION_MS = 1_000;

type Cut = { readonly most: number; readonly keep: "head" | "tail" };

/** A fence around the whole text is for Markdown; on a terminal it is noise. */
const unfence = (text: string): string =>
  /^(`{3,})[^\n]*\n([\s\S]*?)\n?\1\s*$/.exec(text)?.[2] ?? text;

function cut(lines: readonly string[], { most, keep }: Cut, paint: Paint): string[] {
  const more = lines.length - most;
  if (more <= 0) return [...lines];
  const mark = `    ${paint.yellow(`… ${more} more ${more === 1 ? "line" : "lines"} not shown`)}`;
  return keep === "head" ? [...lines.slice(0, most), mark] : [mark, ...lines.slice(-most)];
}

/** Diffs and texts of a call; terminals are the client's own and show themselves. */
export function contentLines(
  content: readonly ToolCallContent[],
  { cwd, paint, ...size }: Cut & { readonly cwd: string; readonly paint: Paint },
): string[] {
  return content.flatMap((item) => {
    if (item.type === "diff")
      return cut(diffLines(item, cwd, paint), { ...size, keep: "head" }, paint);
    if (item.type !== "content" || item.content.type !== "text") return [];
    const text = unfence(item.content.text).replace(/\n+$/, "");
    if (text === "") return [];
    const lines = text.split("\n").map((line) => `    ${paint.dim(escapeInvisible(line, "\t"))}`);
    return cut(lines, size, paint);
  });
}

export function titleLine(mark: string, title: string, durationMs: number, paint: Paint): string {
  const seconds =
    durationMs < SHOWN_DURATION_MS ? "" : paint.dim(`  ${Math.round(durationMs / 1_000)} s`);
  return `${mark} ${escapeInvisible(title.replaceAll(/\s+/g, " "), "")}${seconds}`;
}

const PLAN_MARKS = { completed: "✔", in_progress: "▸", pending: "·" } as const;

export function planLines(entries: readonly PlanEntry[], paint: Paint): string[] {
  return entries.map(({ status, content }) => {
    const line = `  ${PLAN_MARKS[status]} ${escapeInvisible(content.replaceAll(/\s+/g, " "), "")}`;
    return status === "completed" ? paint.dim(line) : line;
  });
}
