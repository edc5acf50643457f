// Where a parse stands: the next token, whether newlines count, which `for` variables are in sight, what went wrong.

import { must } from "../../lib/assert.ts";
import { lineAt, type TokenKind, type Tokens } from "./tokens.ts";
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
  readonly faults: SyntaxFault[];
  /** Every reference met so far; an expression's own are those behind the length it saw at its start. */
  readonly references: Traversal[] = [];
  readonly #scopes: string[] = [];
  #at = 0;
  #newlines = true;
  #depth = 0;
  #lastEnd = 0;
  #line = 1;
  #copied = 0;

  constructor(tokens: Tokens) {
    this.tokens = tokens;
    this.faults = [...tokens.faults];
  }

  /** The kind of the next token; newlines are passed over while they do not count. */
  peek(): TokenKind {
    return this.tokens.kinds[this.#nextIndex()] ?? "eof";
  }

  /** The kind of the token `ahead` raw tokens behind the next one. */
  lookAhead(ahead: number): TokenKind {
    return this.tokens.kinds[this.#nextIndex() + ahead] ?? "eof";
  }

  peekStart(): number {
    return must(this.tokens.starts[this.#nextIndex()]);
  }

  peekText(): string {
    const index = this.#nextIndex();
    return this.tokens.text.slice(this.tokens.starts[index], this.tokens.ends[index]);
  }

  /** The text from the next token to the end of the one `ahead` raw tokens behind it. */
  textAhead(ahead: number): string {
    const index = this.#nextIndex();
    return this.tokens.text.slice(this.tokens.starts[index], this.tokens.ends[index + ahead]);
  }

  /** The end of the last token that was read. */
  get lastEnd(): number {
    return this.#lastEnd;
  }

  #nextIndex(): number {
    let index = this.#at;
    if (!this.#newlines) while (this.tokens.kinds[index] === "newline") index++;
    return Math.min(index, this.tokens.kinds.length - 1);
  }

  /** Consumes the next token. */
  skip(): void {
    const index = this.#nextIndex();
    this.#at = Math.min(index + 1, this.tokens.kinds.length - 1);
    this.#lastEnd = must(this.tokens.ends[index]);
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
    this.#newlines = newlines;
    this.#depth++;
    try {
      return parse();
    } finally {
      this.#depth--;
      this.#newlines = before;
    }
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
    const index = this.#nextIndex();
    return this.span(must(this.tokens.starts[index]), must(this.tokens.ends[index]));
  }
}
