// Text → tokens. Strings, heredocs and interpolations nest, so the scanner keeps a stack of what it is inside of.
// It never stops at a fault: a broken string ends at its line, an unknown character is one `invalid` token.

import { CODE, lineAt, TOKEN_KINDS, TokenList, type Tokens } from "./tokens.ts";
import type { Span } from "./tree.ts";

type Frame =
  | { readonly type: "sequence"; braces: number }
  | { readonly type: "string" }
  | { readonly type: "heredoc"; readonly marker: string; lineStart: boolean };

const IDENTIFIER = /[\p{ID_Start}_][\p{ID_Continue}-]*/uy;
const HEREDOC = /<<-?([\p{ID_Start}_][\p{ID_Continue}-]*)\r?\n/uy;
const NUMBER = /[0-9](?:(?:[0-9.]|[eE][+-]?[0-9])*(?:[0-9]|[eE][+-]?[0-9]))?/y;
const STRING_STOP = /["\\$%\r\n]/g;
const HEREDOC_STOP = /[$%\r\n]/g;
const PUNCTUATION_BY_FIRST = groupByFirst();

type Mark = { readonly text: string; readonly code: number };

/** Punctuation at the code of its first character, longer forms first. */
function groupByFirst(): readonly (readonly Mark[] | undefined)[] {
  const groups: Mark[][] = [];
  for (const text of TOKEN_KINDS.slice(CODE["..."]))
    (groups[text.charCodeAt(0)] ??= []).push({ text, code: CODE[text] });
  return groups;
}

/** Scans a whole file. Terminates on any text: every step consumes at least one character or leaves a frame. */
export function scan(text: string): Tokens {
  return new Scanner(text).run();
}

/** Holds the position in one text for the length of one scan. */
class Scanner {
  readonly #tokens: Tokens;
  readonly #list: TokenList;
  readonly #text: string;
  readonly #frames: Frame[] = [];
  #at: number;
  /** Nothing closes a comment from here on; found once, for texts full of open ones. */
  #hasNoCommentEnd = false;

  constructor(text: string) {
    this.#text = text;
    this.#list = new TokenList((text.length >> 2) + 16);
    this.#at = text.charCodeAt(0) === 0xfe_ff ? 1 : 0;
    const [list, lineStarts] = [this.#list, [this.#at]];
    this.#tokens = { text, list, lineStarts, comments: [], faults: [] };
    for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1))
      lineStarts.push(at + 1);
  }

  run(): Tokens {
    while (this.#at < this.#text.length) {
      const frame = this.#frames.at(-1);
      if (frame?.type === "string") this.#scanString();
      else if (frame?.type === "heredoc") this.#scanHeredoc(frame);
      else this.#scanCode(frame);
    }
    this.#push(CODE.eof, this.#text.length);
    return this.#tokens;
  }

  #push(code: number, end: number): void {
    this.#list.push(code, this.#at, end);
    this.#at = end;
  }

  #span(start: number, end: number): Span {
    const line = lineAt(this.#tokens.lineStarts, start);
    return { start, end, line, column: start - (this.#tokens.lineStarts[line - 1] ?? 0) + 1 };
  }

  #fault(message: string, end: number): void {
    this.#tokens.faults.push({ message, span: this.#span(this.#at, end) });
  }

  #scanCode(frame: (Frame & { type: "sequence" }) | undefined): void {
    let code = this.#text.charCodeAt(this.#at);
    while (code === 0x20 || code === 0x09) code = this.#text.charCodeAt(++this.#at);
    if (Number.isNaN(code)) return;
    if (code === 0x0a) return this.#push(CODE.newline, this.#at + 1);
    if (code === 0x0d && this.#text.charCodeAt(this.#at + 1) === 0x0a)
      return this.#push(CODE.newline, this.#at + 2);
    if (isAsciiLetter(code)) return this.#push(CODE.identifier, this.#identifierEnd());
    if (code >= 0x30 && code <= 0x39) return this.#push(CODE.number, this.#matchEnd(NUMBER));
    if (code === 0x22) return this.#beginString();
    if (code === 0x23 || (code === 0x2f && this.#skipsComment())) return this.#scanLineComment();
    if (code === 0x2f && this.#scanBlockComment()) return;
    if (code === 0x3c && this.#beginHeredoc()) return;
    if (frame !== undefined && this.#endSequence(frame, code)) return;
    this.#scanPunctuation(code);
  }

  /** A string of plain text, the common case, is one token; any other is scanned in parts. */
  #beginString(): void {
    let end = this.#at + 1;
    for (;;) {
      const code = this.#text.charCodeAt(end);
      if (code === 0x22) return this.#push(CODE["plain-string"], end + 1);
      const isMark = code === 0x24 || code === 0x25;
      if (isMark && this.#text.charCodeAt(end + 1) === 0x7b) break;
      // Also at the end of the text, where the code is no number.
      if (code === 0x5c || code === 0x0a || code === 0x0d || !(code >= 0)) break;
      end++;
    }
    this.#push(CODE["open-quote"], this.#at + 1);
    this.#frames.push({ type: "string" });
  }

  #skipsComment(): boolean {
    return this.#text.charCodeAt(this.#at + 1) === 0x2f;
  }

  #identifierEnd(): number {
    let end = this.#at + 1;
    for (;;) {
      const code = this.#text.charCodeAt(end);
      if (code > 0x7f) return this.#matchEnd(IDENTIFIER);
      if (!isAsciiLetter(code) && code !== 0x2d && !(code >= 0x30 && code <= 0x39)) return end;
      end++;
    }
  }

  /** The end of `pattern` (sticky) at the current position; the position itself when it does not match. */
  #matchEnd(pattern: RegExp): number {
    pattern.lastIndex = this.#at;
    return pattern.test(this.#text) ? pattern.lastIndex : this.#at;
  }

  #scanLineComment(): void {
    const newline = this.#text.indexOf("\n", this.#at);
    let end = newline === -1 ? this.#text.length : newline;
    if (newline !== -1 && this.#text.charCodeAt(end - 1) === 0x0d) end--;
    const marker = this.#text.charCodeAt(this.#at) === 0x23 ? 1 : 2;
    this.#comment(this.#at + marker, end, end);
  }

  /** False when there is no end: then `/` and `*` are tokens of their own, which no grammar rule takes. */
  #scanBlockComment(): boolean {
    if (this.#text.charCodeAt(this.#at + 1) !== 0x2a) return false;
    const close = this.#hasNoCommentEnd ? -1 : this.#text.indexOf("*/", this.#at + 2);
    this.#hasNoCommentEnd = close === -1;
    if (close === -1) return false;
    this.#comment(this.#at + 2, close, close + 2);
    return true;
  }

  #comment(textStart: number, textEnd: number, end: number): void {
    const span = this.#span(this.#at, end);
    const lineStart = this.#at - span.column + 1;
    const before = Math.max(
      this.#list.endAt(this.#list.length - 1),
      this.#tokens.comments.at(-1)?.span.end ?? 0,
    );
    this.#tokens.comments.push({
      text: this.#text.slice(textStart, textEnd),
      span,
      ownLine: before <= lineStart,
    });
    this.#at = end;
  }

  #beginHeredoc(): boolean {
    HEREDOC.lastIndex = this.#at;
    const match = HEREDOC.exec(this.#text);
    if (match?.[1] === undefined) return false;
    this.#push(CODE["open-heredoc"], HEREDOC.lastIndex);
    this.#frames.push({ type: "heredoc", marker: match[1], lineStart: true });
    return true;
  }

  #endSequence(frame: Frame & { type: "sequence" }, code: number): boolean {
    if (code === 0x7b) frame.braces++;
    const eatsSpace = code === 0x7e && this.#text.charCodeAt(this.#at + 1) === 0x7d;
    if (code !== 0x7d && !eatsSpace) return false;
    if (frame.braces > 0) {
      if (!eatsSpace) frame.braces--;
      return false;
    }
    this.#push(CODE["}}"], this.#at + (eatsSpace ? 2 : 1));
    this.#frames.pop();
    return true;
  }

  #scanPunctuation(code: number): void {
    for (const mark of PUNCTUATION_BY_FIRST[code] ?? []) {
      if (mark.text.length === 1 || this.#text.startsWith(mark.text, this.#at))
        return this.#push(mark.code, this.#at + mark.text.length);
    }
    const identifierEnd = this.#matchEnd(IDENTIFIER);
    if (identifierEnd > this.#at) return this.#push(CODE.identifier, identifierEnd);
    const end = this.#at + ((this.#text.codePointAt(this.#at) ?? 0) > 0xff_ff ? 2 : 1);
    this.#fault(invalidCharacter(this.#text.slice(this.#at, end)), end);
    this.#push(CODE.invalid, end);
  }

  /** `${` or `%{` at `at`, with an optional `~`; `undefined` when it is literal text. */
  #beginSequence(at: number): boolean {
    if (this.#text.charCodeAt(at + 1) !== 0x7b) return false;
    if (at > this.#at) this.#push(CODE.literal, at);
    const length = this.#text.charCodeAt(at + 2) === 0x7e ? 3 : 2;
    this.#push(this.#text.charCodeAt(at) === 0x24 ? CODE["${"] : CODE["%{"], at + length);
    this.#frames.push({ type: "sequence", braces: 0 });
    return true;
  }

  /** Past a `$` or `%` that begins no sequence: `$${` and `%%{` are escapes. */
  #pastMark(at: number): number {
    const code = this.#text.charCodeAt(at);
    const isEscape =
      this.#text.charCodeAt(at + 1) === code && this.#text.charCodeAt(at + 2) === 0x7b;
    return at + (isEscape ? 3 : 1);
  }

  #scanString(): void {
    let at = this.#at;
    for (;;) {
      STRING_STOP.lastIndex = at;
      const stop = STRING_STOP.exec(this.#text);
      if (stop === null) return this.#endOfBrokenString(this.#text.length);
      at = stop.index;
      const code = this.#text.charCodeAt(at);
      if (code === 0x0a || code === 0x0d) return this.#endOfBrokenString(at);
      if (code === 0x22) {
        if (at > this.#at) this.#push(CODE.literal, at);
        this.#push(CODE["close-quote"], at + 1);
        this.#frames.pop();
        return;
      }
      if (code === 0x5c) {
        const next = this.#text.charCodeAt(at + 1);
        at += next === 0x0a || next === 0x0d ? 1 : 2;
        continue;
      }
      if (this.#beginSequence(at)) return;
      at = this.#pastMark(at);
    }
  }

  #endOfBrokenString(end: number): void {
    if (end > this.#at) this.#push(CODE.literal, end);
    this.#fault(
      "Invalid multi-line string: close the quote on the same line, or use a heredoc",
      end,
    );
    this.#push(CODE["close-quote"], end);
    this.#frames.pop();
  }

  #scanHeredoc(frame: Frame & { type: "heredoc" }): void {
    if (frame.lineStart && this.#endHeredoc(frame.marker)) return;
    let at = this.#at;
    for (;;) {
      HEREDOC_STOP.lastIndex = at;
      const stop = HEREDOC_STOP.exec(this.#text);
      if (stop === null) return this.#push(CODE.literal, this.#text.length);
      at = stop.index;
      const code = this.#text.charCodeAt(at);
      if (code === 0x0a) {
        frame.lineStart = true;
        return this.#push(CODE.literal, at + 1);
      }
      if (code === 0x0d) {
        at++;
        if (this.#text.charCodeAt(at) !== 0x0a)
          this.#fault("Invalid carriage return: it stands only before a line feed", at);
        continue;
      }
      frame.lineStart = false;
      if (this.#beginSequence(at)) return;
      at = this.#pastMark(at);
    }
  }

  /** The end marker stands alone on its line, and that line has an end: at the end of the file it closes nothing. */
  #endHeredoc(marker: string): boolean {
    const newline = this.#text.indexOf("\n", this.#at);
    if (newline === -1) return false;
    const end = this.#text.charCodeAt(newline - 1) === 0x0d ? newline - 1 : newline;
    const line = this.#text.slice(this.#at, end);
    if (line.includes("\r") || line.trim() !== marker) return false;
    this.#push(CODE["close-heredoc"], end);
    this.#frames.pop();
    return true;
  }
}

function isAsciiLetter(code: number): boolean {
  return (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a) || code === 0x5f;
}

function invalidCharacter(char: string): string {
  if (char === "'") return "Invalid character: strings are quoted with double quotes";
  if (char === ";") return "Invalid character: use a newline instead of a semicolon";
  return `Invalid character ${JSON.stringify(char)}: it is not used in this language`;
}
