// A diff of two texts by lines, for people: the changed region with three lines around it.

import { relative } from "node:path";
import type { Paint } from "./paint.ts";

type Diff = { readonly path: string; readonly oldText?: string | null; readonly newText: string };

const CONTEXT_LINES = 3;

/** Lines shared at both ends are cut to three; what lies between is shown as removed, then as added. */
export function diffLines({ path, oldText, newText }: Diff, cwd: string, paint: Paint): string[] {
  const before =
    oldText === null || oldText === undefined || oldText === "" ? [] : oldText.split("\n");
  const after = newText === "" ? [] : newText.split("\n");
  let head = 0;
  while (head < before.length && head < after.length && before[head] === after[head]) head += 1;
  let tail = 0;
  while (
    tail < before.length - head &&
    tail < after.length - head &&
    before[before.length - 1 - tail] === after[after.length - 1 - tail]
  )
    tail += 1;
  const start = Math.max(0, head - CONTEXT_LINES);
  const shown = (lines: readonly string[], mark: string) => lines.map((line) => `${mark} ${line}`);
  return [
    paint.bold(
      `  ${relative(cwd, path)}${oldText === null || oldText === undefined ? " (new file)" : `:${head + 1}`}`,
    ),
    ...shown(before.slice(start, head), "   "),
    ...shown(before.slice(head, before.length - tail), "  -").map(paint.red),
    ...shown(after.slice(head, after.length - tail), "  +").map(paint.green),
    ...shown(
      after.slice(after.length - tail, Math.min(after.length, after.length - tail + CONTEXT_LINES)),
      "   ",
    ),
  ];
}
