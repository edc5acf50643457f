// Replacing one text by another inside a file's text. Matching sees every line end as `\n`; what is written keeps the
// file's own, and whatever is not between the first and the last changed character stays as it was. Pure.

import { dominantLineEnd } from "./file-text.ts";
import { similarity } from "./similarity.ts";

const MAX_NEAR_MISSES = 3;
const MIN_NEAR_SIMILARITY = 0.5;
/** Lines of a file that are compared when looking for near misses. */
const MAX_COMPARED_LINES = 20_000;
const MAX_NAMED_MATCHES = 10;

type NearMiss = { readonly line: number; readonly text: string };

export type Edit =
  /** `lines`: where the first matches begin. */
  | {
      readonly type: "edited";
      readonly text: string;
      readonly matches: number;
      readonly lines: readonly number[];
    }
  | { readonly type: "none"; readonly nearMisses: readonly NearMiss[]; readonly hint?: string }
  | { readonly type: "many"; readonly count: number; readonly lines: readonly number[] };

/** Replaces the only match of `oldText`, or every one. `oldText` is not empty. Lines count from 1. */
export function editText(
  text: string,
  oldText: string,
  newText: string,
  replacesAll: boolean,
): Edit {
  const source = normalize(text);
  const wanted = toLf(oldText);
  const matches = findAll(source.text, wanted);
  if (matches.length === 0) return noMatch(source.text, wanted);
  const lines = lineNumbersOf(source.text, matches.slice(0, MAX_NAMED_MATCHES));
  if (matches.length > 1 && !replacesAll) return { type: "many", count: matches.length, lines };
  const edited = replace(text, source, matches, wanted, toLf(newText));
  return { type: "edited", text: edited, matches: matches.length, lines };
}

function toLf(text: string): string {
  return text.replaceAll(/\r\n?/g, "\n");
}

type Normalized = {
  readonly text: string;
  /** Where in the original the character at an index of `text` begins. */
  readonly toOriginal: (index: number) => number;
};

function normalize(text: string): Normalized {
  if (!text.includes("\r")) return { text, toOriginal: (index) => index };
  // Indexes in the normalized text behind which the original is one further on: the `\n` of each `\r\n`.
  const shifts: number[] = [];
  for (const match of text.matchAll(/\r\n/g)) shifts.push(match.index - shifts.length);
  return { text: toLf(text), toOriginal: (index) => index + countBelow(shifts, index) };
}

/** How many of the ascending `values` are smaller than `limit`. */
function countBelow(values: readonly number[], limit: number): number {
  let low = 0;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((values[middle] ?? 0) < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

function findAll(text: string, wanted: string): number[] {
  const found: number[] = [];
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + wanted.length))
    found.push(at);
  return found;
}

function replace(
  original: string,
  source: Normalized,
  matches: readonly number[],
  oldText: string,
  newText: string,
): string {
  // What both texts begin and end with is not touched, so that its line ends survive byte by byte.
  const prefix = commonPrefix(oldText, newText);
  const suffix = commonSuffix(oldText.slice(prefix), newText.slice(prefix));
  const middle = newText.slice(prefix, newText.length - suffix);
  const fileEnd = dominantLineEnd(original);
  const parts: string[] = [];
  let done = 0;
  for (const match of matches) {
    const from = source.toOriginal(match + prefix);
    const to = source.toOriginal(match + oldText.length - suffix);
    const whole = original.slice(
      source.toOriginal(match),
      source.toOriginal(match + oldText.length),
    );
    const end = /\r\n|\n|\r/.exec(original.slice(from, to) || whole)?.[0] ?? fileEnd;
    parts.push(original.slice(done, from), middle.replaceAll("\n", end));
    done = to;
  }
  return parts.join("") + original.slice(done);
}

function commonPrefix(a: string, b: string): number {
  const max = Math.min(a.length, b.length);
  let n = 0;
  while (n < max && a[n] === b[n]) n++;
  return n;
}

function commonSuffix(a: string, b: string): number {
  const max = Math.min(a.length, b.length);
  let n = 0;
  while (n < max && a[a.length - 1 - n] === b[b.length - 1 - n]) n++;
  return n;
}

/** Line numbers of ascending indexes. */
function lineNumbersOf(text: string, indexes: readonly number[]): number[] {
  let line = 1;
  let seen = 0;
  return indexes.map((index) => {
    for (
      let at = text.indexOf("\n", seen);
      at !== -1 && at < index;
      at = text.indexOf("\n", at + 1)
    ) {
      line++;
      seen = at + 1;
    }
    return line;
  });
}

function noMatch(text: string, wanted: string): Edit {
  const lines = text.split("\n", MAX_COMPARED_LINES);
  const hint = blankHint(lines, wanted);
  const [probe = ""] = wanted.split("\n").filter((line) => line.trim() !== "");
  const target = probe.trim();
  const nearMisses = lines
    .map((line, index) => ({ line: index + 1, text: line, score: similarity(line.trim(), target) }))
    .filter(({ score }) => score >= MIN_NEAR_SIMILARITY)
    .toSorted((a, b) => b.score - a.score || a.line - b.line)
    .slice(0, MAX_NEAR_MISSES)
    .map(({ line, text: near }) => ({ line, text: near }));
  return { type: "none", nearMisses, ...(hint === undefined ? {} : { hint }) };
}

/** Says where the text would match if blanks did not count: the most frequent mistake. */
function blankHint(lines: readonly string[], wanted: string): string | undefined {
  const bare = (line: string) => line.replaceAll(/\s+/g, " ").trim();
  const sought = wanted.split("\n").map(bare);
  while (sought.length > 1 && sought.at(-1) === "") sought.pop();
  const bared = lines.map(bare);
  for (let at = 0; at + sought.length <= bared.length; at++) {
    if (sought.every((line, offset) => bared[at + offset] === line))
      return `It would match at line ${at + 1} if indentation and other blanks did not count: copy them exactly (tabs are not spaces).`;
  }
  return undefined;
}
