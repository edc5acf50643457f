// Where a parse stands: the next token, whether newlines count, which `for` variables are in sight, what went wrong.

import { lineAt, type TokenKind, type TokenList, type Tokens } from "./tokens.ts";
import type { Span, SyntaxFault, Traversal } from "./tree.ts";

/** Nesting of blocks and expressions together; real files stay below 30. */
export const MAX_DEPTH = 250;
/** Each level of nesting copies the references inside it; real files stay below 100,000. */
const MAX_COPIED_REFERENCES = 10_000_000;
/** After so many faults the text is not HCL; the rest is left unread. */
export const MAX_FAULTS = 100;

/** Ends one attribute or block header; caught where recovery starts, never seen outside of this folder. */
export class SyntaxStop extends Error {}

/** Contract: `read` at the end keeps answering `eof`, so no loop that reads can run forever if it stops at `eof`. */
export class Cursor {
  readonly tokens: Tokens;
  readonly #list: TokenList;
  readonly faults: SyntaxFault[];
  /** Every reference met so far; an expression's own are those behind the length it saw at its start. */
  readonly references: Traversal[] = [];
  readonly #scopes: string[] = [];
  /** Index of the first token that was not consumed, a newline even where newlines do not count. */
  #at = 0;
  /** Index of the token that `peek` tells, and its kind. */
  #next = 0;
  #kind: TokenKind = "eof";
  #newlines = true;
  #depth = 0;
  #lastEnd = 0;
  #line = 1;
  #copied = 0;

  constructor(tokens: Tokens) {
    this.tokens = tokens;
    this.#list = tokens.list;
    this.faults = [...tokens.faults];
    this.#lookFrom(0);
  }

  /** The kind of the next token; newlines are passed over while they do not count. */
  peek(): TokenKind {
    return this.#kind;
  }

  /** The kind of the token behind the next one, newlines included. */
  peekBehind(): TokenKind {
    return this.#list.kindAt(this.#next + 1);
  }

  /** True when no operator or step can follow the next token: the value that it begins ends with it. */
  isLastOfValue(): boolean {
    switch (this.#list.kindAt(this.#next + 1)) {
      case "newline":
        return this.#newlines;
      case ",":
      case "}":
      case "]":
      case ")":
        return true;
      default:
        return false;
    }
  }

  peekStart(): number {
    return this.#list.startAt(this.#next);
  }

  peekText(): string {
    return this.tokens.text.slice(this.peekStart(), this.#list.endAt(this.#next));
  }

  /** Consumes a plain string and returns what stands between its quotes. */
  readUnquoted(): string {
    const end = this.#list.endAt(this.#next);
    const content = this.tokens.text.slice(this.peekStart() + 1, end - 1);
    this.skip();
    return content;
  }

  /** The end of the last token that was read. */
  get lastEnd(): number {
    return this.#lastEnd;
  }

  #lookFrom(index: number): void {
    let next = index;
    let kind = this.#list.kindAt(next);
    if (!this.#newlines) while (kind === "newline") kind = this.#list.kindAt(++next);
    this.#at = index;
    this.#next = next;
    this.#kind = kind;
  }

  /** Consumes the next token. */
  skip(): void {
    this.#lastEnd = this.#list.endAt(this.#next);
    this.#lookFrom(this.#kind === "eof" ? this.#next : this.#next + 1);
  }

  /** Consumes the next token and returns its text. */
  read(): string {
    const text = this.peekText();
    this.skip();
    return text;
  }

  /** Consumes a token of that kind, or stops the item with `message`. */
  expect(kind: TokenKind, message: string): string {
    if (this.peek() !== kind) this.stop(message);
    return this.read();
  }

  isKeyword(word: string): boolean {
    return this.peek() === "identifier" && this.peekText() === word;
  }

  /** Runs `parse` with newlines counting or not, and one level deeper. */
  nested<T>(newlines: boolean, parse: () => T): T {
    const before = this.#newlines;
    if (this.#depth >= MAX_DEPTH) this.stop(`Nested more than ${MAX_DEPTH} levels deep`);
    this.#depth++;
    this.#countNewlines(newlines);
    try {
      return parse();
    } finally {
      this.#depth--;
      this.#countNewlines(before);
    }
  }

  #countNewlines(newlines: boolean): void {
    if (this.#newlines === newlines) return;
    this.#newlines = newlines;
    this.#lookFrom(this.#at);
  }

  deeper<T>(parse: () => T): T {
    return this.nested(this.#newlines, parse);
  }

  withScope<T>(names: readonly string[], parse: () => T): T {
    const leave = this.pushScope(names);
    try {
      return parse();
    } finally {
      leave();
    }
  }

  /** Brings `for` variables in sight until the returned function is called. */
  pushScope(names: readonly string[]): () => void {
    const before = this.#scopes.length;
    this.#scopes.push(...names);
    return () => {
      this.#scopes.length = before;
    };
  }

  isInScope(name: string): boolean {
    return this.#scopes.includes(name);
  }

  /** The references behind `mark`. */
  copyReferences(mark: number): readonly Traversal[] {
    this.#copied += this.references.length - mark;
    if (this.#copied > MAX_COPIED_REFERENCES) this.stop("Too many references inside one another");
    return this.references.slice(mark);
  }

  span(start: number, end = this.#lastEnd): Span {
    const { lineStarts } = this.tokens;
    // Spans are mostly asked for near the last one: step before searching.
    let line = this.#line;
    if ((lineStarts[line - 1] ?? 0) > start || (lineStarts[line + 8] ?? Infinity) <= start)
      line = lineAt(lineStarts, start);
    while ((lineStarts[line] ?? Infinity) <= start) line++;
    this.#line = line;
    return { start, end, line, column: start - (lineStarts[line - 1] ?? 0) + 1 };
  }

  /** Notes a fault at the next token and goes on. */
  fault(message: string, span: Span = this.#nextSpan()): void {
    if (this.faults.length < MAX_FAULTS) this.faults.push({ message, span });
  }

  stop(message: string): never {
    this.fault(message);
    throw new SyntaxStop(message);
  }

  #nextSpan(): Span {
    return this.span(this.peekStart(), this.#list.endAt(this.#next));
  }
}
