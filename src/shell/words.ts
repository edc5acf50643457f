// A word as it stands in the text → the words the program gets: quotes and backslashes removed, `$'…'` decoded,
// braces expanded, known variables put in. Reads the source text itself and uses the tree only to find expansions,
// because the grammar drops blanks and pieces of words that do matter.

import type { ShellNode } from "./parse.ts";
import { ansiCString } from "./ansi-c.ts";
import { expandBraces, hasMark, MARK, unmark } from "./braces.ts";

export type Word = {
  /** The literal text; `undefined` when some of it is known only at run time. */
  readonly text: string | undefined;
  /** The literal head of a word whose rest is known only at run time: `-chdir=`. */
  readonly prefix: string;
};

export const literal = (text: string): Word => ({ text, prefix: text });
export const DYNAMIC: Word = { text: undefined, prefix: "" };
/** Most variants one word may have (several values of a variable times brace alternatives). */
const MAX_VARIANTS = 64;

/** One value an expansion can have; `undefined` when it is known only at run time. */
export type Values = readonly (string | undefined)[];
export type ExpandHole = (node: ShellNode, quoted: boolean) => Values;

const HOLES = new Set([
  "simple_expansion",
  "expansion",
  "command_substitution",
  "process_substitution",
  "arithmetic_expansion",
]);

function holesOf(node: ShellNode, found: Map<number, ShellNode>): void {
  if (HOLES.has(node.type)) {
    found.set(node.start, node);
    return;
  }
  for (const child of node.children) holesOf(child, found);
}

type Scan = {
  readonly text: string;
  readonly holes: Map<number, ShellNode>;
  at: number;
  end: number;
};
/** Literal text (marked), or the values of an expansion. */
type Piece = string | { readonly values: Values; readonly quoted: boolean };

/** What one value of an expansion adds to a marked word. */
function valueText(value: string | undefined, quoted: boolean): string {
  const items = value?.split(MARK.item) ?? [];
  if (value === undefined || items.some(hasMark)) return MARK.hole;
  const texts = quoted ? items : items.map((item) => item.replaceAll(/[ \t\n]+/g, MARK.split));
  return texts.join(MARK.split);
}

/** A substitution that the grammar did not see as one. */
const isMissed = ({ text, at }: Scan): boolean =>
  text[at] === "`" || (text[at] === "$" && text[at + 1] === "(");

function doubleQuoted(scan: Scan, expand: ExpandHole, pieces: Piece[]): boolean {
  for (scan.at += 1; scan.at < scan.end; scan.at += 1) {
    const char = scan.text[scan.at] ?? "";
    const hole = scan.holes.get(scan.at);
    if (char === '"') return true;
    if (hole !== undefined) {
      pieces.push({ values: expand(hole, true), quoted: true });
      scan.at = hole.end - 1;
    } else if (char === "\\") {
      scan.at += 1;
      const next = scan.text[scan.at] ?? "";
      if ('$`"\\'.includes(next)) pieces.push(next);
      else if (next !== "\n") pieces.push(`\\${next}`);
    } else if (isMissed(scan)) return false;
    else pieces.push(char);
  }
  return false;
}

function quotedUntil(scan: Scan, ansi: boolean): string | undefined {
  const from = scan.at + 1;
  let to = from;
  while (to < scan.end && scan.text[to] !== "'") to += ansi && scan.text[to] === "\\" ? 2 : 1;
  if (to >= scan.end) return undefined;
  scan.at = to;
  const body = scan.text.slice(from, to);
  if (!ansi) return body;
  const decoded = ansiCString(body);
  return hasMark(decoded) ? undefined : decoded;
}

/** The pieces of a word; `undefined` when its quotes do not close inside it. */
function piecesOf(scan: Scan, expand: ExpandHole): Piece[] | undefined {
  const pieces: Piece[] = [];
  for (; scan.at < scan.end; scan.at += 1) {
    const char = scan.text[scan.at] ?? "";
    const next = scan.text[scan.at + 1];
    const hole = scan.holes.get(scan.at);
    if (hole !== undefined) {
      pieces.push({ values: expand(hole, false), quoted: false });
      scan.at = hole.end - 1;
    } else if (char === "'" || (char === "$" && next === "'")) {
      if (char === "$") scan.at += 1;
      const body = quotedUntil(scan, char === "$");
      if (body === undefined) return undefined;
      pieces.push(body);
      pieces.push(MARK.empty);
    } else if (char === '"' || (char === "$" && next === '"')) {
      if (char === "$") scan.at += 1;
      if (!doubleQuoted(scan, expand, pieces)) return undefined;
      pieces.push(MARK.empty);
    } else if (char === "\\") {
      scan.at += 1;
      if (scan.text[scan.at] !== "\n") pieces.push(scan.text[scan.at] ?? "");
    } else if (isMissed(scan)) return undefined;
    else pieces.push(MARK.of[char] ?? char);
  }
  return pieces;
}

/** The strings a row of pieces can be; a run-time part is marked. Unquoted values split at blanks. */
function combine(pieces: readonly Piece[]): string[] | undefined {
  let rows = [""];
  for (const piece of pieces) {
    if (typeof piece === "string") {
      rows = rows.map((row) => row + piece);
      continue;
    }
    const tails = piece.values.map((value) => valueText(value, piece.quoted));
    rows = rows.flatMap((row) => tails.map((tail) => row + tail));
    if (rows.length > MAX_VARIANTS) return undefined;
  }
  return rows;
}

function toWord(marked: string): Word {
  const hole = marked.indexOf(MARK.hole);
  if (hole >= 0) return { text: undefined, prefix: unmark(marked.slice(0, hole)) };
  return literal(unmark(marked));
}

/**
 * The argument lists that `node` can stand for: one list per combination of variable values, each list being the
 * words it expands to. `undefined` when the word cannot be read with certainty.
 */
export function expandWord(
  text: string,
  node: ShellNode,
  expand: ExpandHole,
): readonly (readonly Word[])[] | undefined {
  const holes = new Map<number, ShellNode>();
  holesOf(node, holes);
  const pieces = piecesOf({ text, holes, at: node.start, end: node.end }, expand);
  if (pieces === undefined) return undefined;
  const rows = combine(pieces);
  if (rows === undefined) return [[DYNAMIC]];
  return rows.map((row) => {
    const words = expandBraces(row, MAX_VARIANTS);
    if (words === undefined) return [DYNAMIC];
    return words
      .flatMap((word) => word.split(MARK.split).filter((part) => part !== ""))
      .map(toWord);
  });
}
