// The diff a person sees before and after a change, cut to what changed when the file is large. Pure.

import type { ToolContent } from "../conversation/content.ts";

/** Above this, both sides together, a diff is cut to its changed region: whole huge texts freeze editors. */
const MAX_DIFF_BYTES = 256 * 1024;
/** Unchanged lines kept on either side of a cut region. */
const CONTEXT_LINES = 3;
/** UTF-16 units that such context may have. */
const MAX_CONTEXT_LENGTH = 2_000;
/** UTF-16 units of each side of a region that is itself too large. */
const MAX_SIDE_LENGTH = 100 * 1024;

/** `oldText` is absent for a new file. The second content, when there is one, says what was cut. */
export function diffContent(
  path: string,
  oldText: string | undefined,
  newText: string,
): readonly ToolContent[] {
  const size = Buffer.byteLength(oldText ?? "") + Buffer.byteLength(newText);
  if (size <= MAX_DIFF_BYTES) return [diff(path, oldText, newText)];
  const region = changedRegion(oldText ?? "", newText);
  const before = cutSide(region.before);
  const after = cutSide(region.after);
  const isCut = before !== region.before || after !== region.after;
  return [
    diff(path, oldText === undefined ? undefined : before, after),
    {
      type: "text",
      text: `The diff is cut to the changed region, from line ${region.firstLine} on${isCut ? `, and that to its first ${MAX_SIDE_LENGTH / 1024} thousand characters` : ""}: old and new text together have ${size.toLocaleString("en")} bytes.`,
    },
  ];
}

function diff(path: string, oldText: string | undefined, newText: string): ToolContent {
  return { type: "diff", path, ...(oldText === undefined ? {} : { oldText }), newText };
}

function cutSide(text: string): string {
  if (text.length <= MAX_SIDE_LENGTH) return text;
  return `${text.slice(0, MAX_SIDE_LENGTH).toWellFormed()}\n… cut\n`;
}

function changedRegion(
  oldText: string,
  newText: string,
): { readonly before: string; readonly after: string; readonly firstLine: number } {
  const max = Math.min(oldText.length, newText.length);
  let start = 0;
  while (start < max && oldText.charCodeAt(start) === newText.charCodeAt(start)) start++;
  let tail = 0;
  while (
    tail < max - start &&
    oldText.charCodeAt(oldText.length - 1 - tail) === newText.charCodeAt(newText.length - 1 - tail)
  )
    tail++;
  const from = lineStartBefore(oldText, start);
  const firstLine = countLines(oldText, from) + 1;
  return {
    before: oldText.slice(from, lineEndAfter(oldText, oldText.length - tail)).toWellFormed(),
    after: newText.slice(from, lineEndAfter(newText, newText.length - tail)).toWellFormed(),
    firstLine,
  };
}

function lineStartBefore(text: string, index: number): number {
  let at = index;
  for (let i = 0; i <= CONTEXT_LINES && at > 0; i++) at = text.lastIndexOf("\n", at - 1);
  // A file of one huge line has no useful line start.
  return Math.max(at + (at < index ? 1 : 0), index - MAX_CONTEXT_LENGTH, 0);
}

function lineEndAfter(text: string, index: number): number {
  let at = index;
  for (let i = 0; i <= CONTEXT_LINES && at < text.length; i++) {
    const newline = text.indexOf("\n", at);
    at = newline === -1 ? text.length : newline + 1;
  }
  return Math.min(at, index + MAX_CONTEXT_LENGTH);
}

function countLines(text: string, end: number): number {
  let lines = 0;
  for (let at = text.indexOf("\n"); at !== -1 && at < end; at = text.indexOf("\n", at + 1)) lines++;
  return lines;
}
