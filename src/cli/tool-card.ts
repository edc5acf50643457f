// A tool call as lines for a person: what is shown, not when. Whatever came from outside is escaped before it is painted.

import type { PlanEntry, SessionUpdate, ToolCallContent } from "@agentclientprotocol/sdk/unstable";
import { escapeInvisible } from "../lib/text.ts";
import { diffLines } from "./line-diff.ts";
import type { Paint } from "./paint.ts";

/** Lines of a failed call's text, and of what a command printed. */
const MAX_FAILURE_LINES = 40;
const MAX_OUTPUT_LINES = 10;
/** In a question more is shown: who allows must be able to read it. The rest is counted, never just left out. */
const MAX_QUESTION_LINES = 400;
/** Times below this are not worth a word. */
const SHOWN_DURATION_MS = 1_000;

export type CallEnd = Extract<SessionUpdate, { sessionUpdate: "tool_call_update" }>;
export type RunningCall = {
  readonly title: string;
  readonly kind: string | undefined;
  /** By performance.now(). */
  readonly begun: number;
};
type Look = { readonly cwd: string; readonly paint: Paint };
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
  { cwd, paint, ...size }: Cut & Look,
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

export const isDenial = ({ rawOutput }: CallEnd): boolean =>
  String(rawOutput).startsWith("Permission denied.");

type CallContext = Look & {
  readonly call: RunningCall | undefined;
  readonly wasAsked: boolean;
  readonly isInteractive: boolean;
};

/** A call that has ended: its title, and what a person has not read yet. */
export function callLines(
  update: CallEnd,
  { call, wasAsked, isInteractive, cwd, paint }: CallContext,
): string[] {
  const isFailed = update.status === "failed";
  const title = update.title ?? call?.title ?? update.toolCallId;
  const duration = call === undefined ? 0 : performance.now() - call.begun;
  const head = titleLine(isFailed ? paint.red("✘") : paint.green("✔"), title, duration, paint);
  const content = update.content ?? [];
  if (isFailed) {
    // Who answered the question knows why it failed; so does who read that nobody could.
    if (wasAsked && isDenial(update)) return [head];
    return [head, ...contentLines(content, { cwd, paint, most: MAX_FAILURE_LINES, keep: "head" })];
  }
  if (call?.kind !== "execute" && call?.kind !== "edit") return [head];
  // A diff that was in the question has been read; a command's output is for people who watch.
  const unread = content.filter(({ type }) => (type === "diff" ? !wasAsked : isInteractive));
  return [head, ...contentLines(unread, { cwd, paint, most: MAX_OUTPUT_LINES, keep: "tail" })];
}

export function questionLines(
  title: string,
  content: readonly ToolCallContent[],
  { cwd, paint }: Look,
): string[] {
  const size = { most: MAX_QUESTION_LINES, keep: "head" } as const;
  const head = paint.bold(titleLine(paint.yellow("?"), title, 0, paint));
  return [head, ...contentLines(content, { cwd, paint, ...size })];
}

const PLAN_MARKS = { completed: "✔", in_progress: "▸", pending: "·" } as const;

export function planLines(entries: readonly PlanEntry[], paint: Paint): string[] {
  return entries.map(({ status, content }) => {
    const line = `  ${PLAN_MARKS[status]} ${escapeInvisible(content.replaceAll(/\s+/g, " "), "")}`;
    return status === "completed" ? paint.dim(line) : line;
  });
}
