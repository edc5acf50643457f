// The tokens of HCL native syntax: a large file has a million of them.
// https://github.com/hashicorp/hcl/blob/main/hclsyntax/spec.md

import type { Comment, SyntaxFault } from "./tree.ts";

/**
 * Punctuation is its own kind; `}}` ends a template sequence; `literal` is text inside a template; a `plain-string` is a
 * whole quoted string without escapes or sequences.
 */
export const TOKEN_KINDS = [
  "eof",
  "newline",
  "identifier",
  "number",
  "plain-string",
  "open-quote",
  "close-quote",
  "open-heredoc",
  "close-heredoc",
  "literal",
  "invalid",
  "${",
  "%{",
  "}}",
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
export type TokenKind = (typeof TOKEN_KINDS)[number];

/** Each kind's index in `TOKEN_KINDS`. */
export const CODE = Object.fromEntries(TOKEN_KINDS.map((kind, index) => [kind, index])) as Readonly<
  Record<TokenKind, number>
>;

/** The tokens of one text, the last of them `eof`; kept as three numbers each, which cost no garbage collection. */
export class TokenList {
  #kinds: Uint8Array;
  #starts: Uint32Array;
  #ends: Uint32Array;
  #length = 0;

  /** `capacity` is a guess, at least 1; the list grows behind it. */
  constructor(capacity: number) {
    this.#kinds = new Uint8Array(capacity);
    this.#starts = new Uint32Array(capacity);
    this.#ends = new Uint32Array(capacity);
  }

  get length(): number {
    return this.#length;
  }

  push(code: number, start: number, end: number): void {
    const index = this.#length;
    if (index === this.#kinds.length) this.#grow();
    this.#kinds[index] = code;
    this.#starts[index] = start;
    this.#ends[index] = end;
    this.#length = index + 1;
  }

  #grow(): void {
    const larger = new TokenList(this.#kinds.length * 2);
    larger.#kinds.set(this.#kinds);
    larger.#starts.set(this.#starts);
    larger.#ends.set(this.#ends);
    this.#kinds = larger.#kinds;
    this.#starts = larger.#starts;
    this.#ends = larger.#ends;
  }

  /** `eof` behind the last one. */
  kindAt(index: number): TokenKind {
    return TOKEN_KINDS[this.#kinds[index] ?? 0] ?? "eof";
  }

  startAt(index: number): number {
    return this.#starts[index] ?? 0;
  }

  endAt(index: number): number {
    return this.#ends[index] ?? 0;
  }
}

export type Tokens = {
  readonly text: string;
  readonly list: TokenList;
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
