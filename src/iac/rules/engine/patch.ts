// A replacement at a place → a textual fix whose old text stands exactly once in the file.

import type { Fix } from "../../findings.ts";
import type { Patch } from "../rule.ts";

/** How many lines may be added above and below to make the text unique. */
const MAX_CONTEXT_LINES = 6;

/** `undefined` when no few lines around the place tell it from another one. */
export function fixOf(text: string, patch: Patch, title: string): Fix | undefined {
  const { start, end } = patch.span;
  let from = lineStart(text, start);
  let to = lineEnd(text, end);
  for (let added = 0; added <= MAX_CONTEXT_LINES; added++) {
    const oldText = text.slice(from, to);
    if (text.indexOf(oldText) === from && !text.includes(oldText, from + 1))
      return {
        title,
        oldText,
        newText: text.slice(from, start) + patch.newText + text.slice(end, to),
      };
    // Above and below in turn: the header of a block often says more than its end.
    if (added % 2 === 0 && from > 0) from = lineStart(text, from - 1);
    else if (to < text.length) to = lineEnd(text, to + 1);
  }
  return undefined;
}

function lineStart(text: string, offset: number): number {
  return text.lastIndexOf("\n", offset - 1) + 1;
}

function lineEnd(text: string, offset: number): number {
  const end = text.indexOf("\n", offset);
  return end < 0 ? text.length : end;
}
