// The tokens of HCL native syntax, kept as parallel arrays: a large file has a million of them.
// https://github.com/hashicorp/hcl/blob/main/hclsyntax/spec.md

import type { Comment, SyntaxFault } from "./tree.ts";

/** Punctuation is its own kind; `}}` ends a template sequence; `literal` is text inside a template. */
export type TokenKind =
  | "eof"
  | "newline"
  | "identifier"
  | "number"
  | "open-quote"
  | "close-quote"
  | "open-heredoc"
  | "close-heredoc"
  | "literal"
  | "invalid"
  | "${"
  | "%{"
  | "}}"
  | Punctuation;

export const PUNCTUATION = [
  "...",
  "==",
  "!=",
  ">=",
  "<=",
  "=>",
  "&&",
  "||",
  "::",
  "{",
  "}",
  "(",
  ")",
  "[",
  "]",
  ",",
  ".",
  "=",
  "!",
  "<",
  ">",
  "+",
  "-",
  "*",
  "/",
  "%",
  "?",
  ":",
] as const;
type Punctuation = (typeof PUNCTUATION)[number];

export type Tokens = {
  readonly text: string;
  readonly kinds: TokenKind[];
  readonly starts: number[];
  readonly ends: number[];
  /** Offset of each line's first character; the first is 0, or 1 behind a byte order mark. */
  readonly lineStarts: number[];
  readonly comments: Comment[];
  readonly faults: SyntaxFault[];
};

/** The line of `offset`, from 1, by binary search. */
export function lineAt(lineStarts: readonly number[], offset: number): number {
  let low = 0;
  let high = lineStarts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((lineStarts[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return low + 1;
}
