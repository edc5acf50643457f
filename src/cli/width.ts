// How wide the terminal is, and texts made to fit it. Widths are terminal columns.

import { lazily } from "../lib/lazily.ts";

const DEFAULT_COLUMNS = 80;
const MIN_COLUMNS = 20;

/** Columns of `stream`: COLUMNS if it is set, else the terminal's own, else 80; never fewer than 20. */
export function columnsOf(
  stream: { readonly columns?: number },
  env: Readonly<Record<string, string | undefined>> = process.env,
): number {
  const wanted = Number(env["COLUMNS"]);
  const columns = Number.isSafeInteger(wanted) && wanted > 0 ? wanted : stream.columns;
  // A terminal that does not know its size says 0.
  return Math.max(MIN_COLUMNS, columns === undefined || columns === 0 ? DEFAULT_COLUMNS : columns);
}

const graphemes = lazily(() => new Intl.Segmenter("en", { granularity: "grapheme" }));
const split = (text: string): string[] =>
  Array.from(graphemes().segment(text), ({ segment }) => segment);

/** As many of `parts` from the front as fit into `columns`. */
function fitting(parts: readonly string[], columns: number): string[] {
  let used = 0;
  const end = parts.findIndex((part) => (used += Bun.stringWidth(part)) > columns);
  return end < 0 ? [...parts] : parts.slice(0, end);
}

/** The beginning of a line of plain text, with `…` where something was cut. */
export function cutEnd(text: string, columns: number): string {
  if (Bun.stringWidth(text) <= columns) return text;
  return `${fitting(split(text), columns - 1).join("")}…`;
}

/** The end of it instead: of a path that is the part that tells. */
export function cutStart(text: string, columns: number): string {
  if (Bun.stringWidth(text) <= columns) return text;
  return `…${fitting(split(text).toReversed(), columns - 1)
    .toReversed()
    .join("")}`;
}

/** `text` in lines of at most `columns`, broken at blanks; its own line breaks stay. A word that is too long stays whole. */
export function wrap(text: string, columns: number): string[] {
  return text.split("\n").flatMap((line) => {
    const lines: string[] = [];
    let current = /^ */.exec(line)?.[0] ?? "";
    let isEmpty = true;
    for (const word of line.trim().split(/ +/)) {
      if (!isEmpty && Bun.stringWidth(current) + 1 + Bun.stringWidth(word) > columns) {
        lines.push(current);
        current = "";
        isEmpty = true;
      }
      current = isEmpty ? current + word : `${current} ${word}`;
      isEmpty = false;
    }
    return [...lines, current];
  });
}
