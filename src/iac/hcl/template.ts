// Quoted strings and heredocs with `${…}` and `%{…}` inside. Directives must nest: if/else/endif, for/endfor.

import { MAX_DEPTH, type Cursor } from "./cursor.ts";
import { parseExpression, parseForNames, referencesSince } from "./expression.ts";
import type { Expression } from "./tree.ts";

const ESCAPE = /\\(?:([nrt"\\])|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|[\s\S]?)/g;
const ESCAPED: Readonly<Record<string, string>> = {
  n: "\n",
  r: "\r",
  t: "\t",
  '"': '"',
  "\\": "\\",
};
const MAX_CODE_POINT = 0x10_ff_ff;
/** Halves of UTF-16 pairs: no characters of their own. */
const isSurrogate = (code: number): boolean => code >= 0xd8_00 && code <= 0xdf_ff;

type Directive = { readonly keyword: "if" | "else" | "for"; readonly leave: () => void };
/** What was read so far: the literal text, and whether anything but literals stood there. */
type Parts = { text: string; isLiteral: boolean; readonly open: Directive[] };

/** Parses from the opening quote or marker to the closing one. */
export function parseTemplate(cursor: Cursor): Expression {
  const start = cursor.peekStart();
  const mark = cursor.references.length;
  const isQuoted = cursor.peek() === "open-quote";
  const isFlush = cursor.peekText().startsWith("<<-");
  const close = isQuoted ? "close-quote" : "close-heredoc";
  const parts: Parts = { text: "", isLiteral: true, open: [] };
  cursor.nested(false, () => {
    cursor.skip();
    try {
      while (cursor.peek() !== close) parsePart(cursor, parts, isQuoted);
      if (parts.open.length > 0)
        cursor.stop(`Unclosed template directive: ${parts.open.at(-1)?.keyword ?? ""}`);
    } finally {
      parts.open[0]?.leave();
    }
    cursor.skip();
  });
  const references = referencesSince(cursor, mark);
  if (!parts.isLiteral) return { kind: "template", span: cursor.span(start), references };
  const value = isFlush ? withoutIndent(parts.text) : parts.text;
  return { kind: "string", value, span: cursor.span(start), references };
}

/** A block label: a quoted string without interpolation. */
export function parseLabel(cursor: Cursor): string {
  if (cursor.peek() === "plain-string") return cursor.readUnquoted();
  let label = "";
  cursor.skip();
  while (cursor.peek() !== "close-quote") {
    if (cursor.peek() !== "literal")
      cursor.stop("Template sequences are not allowed in a label; write `$${` for a literal `${`");
    label += decodeQuoted(cursor, cursor.peekText());
    cursor.skip();
  }
  cursor.skip();
  return label;
}

function parsePart(cursor: Cursor, parts: Parts, isQuoted: boolean): void {
  switch (cursor.peek()) {
    case "literal":
      parts.text += isQuoted
        ? decodeQuoted(cursor, cursor.peekText())
        : decodeMarks(cursor.peekText());
      cursor.skip();
      return;
    case "${":
      parts.isLiteral = false;
      cursor.skip();
      parseExpression(cursor);
      break;
    case "%{":
      parts.isLiteral = false;
      cursor.skip();
      parseDirective(cursor, parts.open);
      break;
    default:
      cursor.stop("Unterminated template: no closing quote or heredoc marker was found");
  }
  cursor.expect("}}", "Extra characters in a template sequence: expected `}`");
}

function parseDirective(cursor: Cursor, open: Directive[]): void {
  const keyword = cursor.peek() === "identifier" ? cursor.peekText() : "";
  const inside = open.at(-1)?.keyword;
  if (open.length >= MAX_DEPTH) cursor.stop(`Nested more than ${MAX_DEPTH} levels deep`);
  switch (keyword) {
    case "if":
      cursor.skip();
      parseExpression(cursor);
      open.push({ keyword, leave: cursor.pushScope([]) });
      return;
    case "else":
      if (inside !== "if") cursor.stop("Unexpected `else` in a template");
      open[open.length - 1] = { keyword, leave: open.at(-1)?.leave ?? cursor.pushScope([]) };
      break;
    case "endif":
      if (inside !== "if" && inside !== "else") cursor.stop("Unexpected `endif` in a template");
      open.pop()?.leave();
      break;
    case "for": {
      cursor.skip();
      const names = parseForNames(cursor);
      parseExpression(cursor);
      open.push({ keyword, leave: cursor.pushScope(names) });
      return;
    }
    case "endfor":
      if (inside !== "for") cursor.stop("Unexpected `endfor` in a template");
      open.pop()?.leave();
      break;
    default:
      cursor.stop("Invalid template directive: expected if, else, endif, for or endfor");
  }
  cursor.skip();
}

function decodeMarks(text: string): string {
  return text.replaceAll(/\$\$\{|%%\{/g, (mark) => mark.slice(1));
}

function decodeQuoted(cursor: Cursor, text: string): string {
  if (!text.includes("\\")) return decodeMarks(text);
  return decodeMarks(
    text.replaceAll(ESCAPE, (escape, simple?: string, short?: string, long?: string) => {
      if (simple !== undefined) return ESCAPED[simple] ?? "";
      const code = Number.parseInt(short ?? long ?? "", 16);
      if (Number.isNaN(code)) cursor.stop(`Invalid escape sequence ${escape}`);
      if (code > MAX_CODE_POINT || isSurrogate(code))
        cursor.stop(`Invalid escape sequence ${escape}: it names no character`);
      return String.fromCodePoint(code);
    }),
  );
}

/** `<<-` takes away the smallest indent of all lines that hold something. */
function withoutIndent(text: string): string {
  const lines = text.split("\n");
  let indent = Infinity;
  for (const line of lines)
    if (line.trim() !== "") indent = Math.min(indent, line.length - line.trimStart().length);
  return Number.isFinite(indent) ? lines.map((line) => line.slice(indent)).join("\n") : text;
}
