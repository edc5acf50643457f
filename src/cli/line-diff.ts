// A diff of two texts by lines, for people: each changed region under a place that terminals make a link of.

import { relative } from "node:path";
import { escapeInvisible } from "../lib/text.ts";
import { type DiffLine, editScript, toHunks } from "./hunks.ts";
import type { Paint } from "./paint.ts";

type Diff = { readonly path: string; readonly oldText?: string | null; readonly newText: string };

const CONTEXT_LINES = 3;

/** Lines with their ends, so that a changed line end and a missing last one are changes too. */
const linesOf = (text: string): string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? [];

function toShown({ mark, text }: DiffLine, paint: Paint): string {
  const bare = text.endsWith("\n") ? text.slice(0, -1) : `${text} (no line end)`;
  const line = `  ${mark} ${escapeInvisible(bare, "\t")}`;
  if (mark === "-") return paint.red(line);
  return mark === "+" ? paint.green(line) : line.trimEnd();
}

/** Lines to print, control characters of the texts escaped. A new file is all added; equal texts give only the heading. */
export function diffLines({ path, oldText, newText }: Diff, cwd: string, paint: Paint): string[] {
  const inside = relative(cwd, path);
  const name = escapeInvisible(inside === "" || inside.startsWith("..") ? path : inside, "");
  const hunks = toHunks(editScript(linesOf(oldText ?? ""), linesOf(newText)), CONTEXT_LINES);
  if (oldText === null || oldText === undefined || hunks.length === 0) {
    const what = oldText === null || oldText === undefined ? "new file" : "no change";
    const added = hunks.flatMap(({ lines }) => lines.map((line) => toShown(line, paint)));
    return [paint.bold(`  ${name} (${what})`), ...added];
  }
  return hunks.flatMap(({ line, lines }) => [
    paint.bold(`  ${name}:${line}`),
    ...lines.map((one) => toShown(one, paint)),
  ]);
}
