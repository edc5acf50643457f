// Expressions: operators, terms, calls, lists, objects, `for`. Traversals and templates have files of their own.
// https://github.com/hashicorp/hcl/blob/main/hclsyntax/spec.md#expressions

import type { Cursor } from "./cursor.ts";
import { parseTemplate } from "./template.ts";
import type { TokenKind } from "./tokens.ts";
import { parseReference, parseSteps } from "./traversal.ts";
import type { Expression, ObjectEntry, Traversal } from "./tree.ts";

const PRECEDENCE: Partial<Record<TokenKind, number>> = {
  "||": 1,
  "&&": 2,
  "==": 3,
  "!=": 3,
  "<": 4,
  ">": 4,
  "<=": 4,
  ">=": 4,
  "+": 5,
  "-": 5,
  "*": 6,
  "/": 6,
  "%": 6,
};
const NUMBER = /^\d+(\.\d*)?([eE][+-]?\d+)?$/;
/** Go's big floats, which the reference parser reads numbers with, stop near this power of ten. */
const MAX_EXPONENT = 646_456_993;
/** Shared: most expressions have none. */
const NO_REFERENCES: readonly Traversal[] = [];

/** Parses one expression, conditional included. Stops the item (`SyntaxStop`) at the first fault. */
export function parseExpression(cursor: Cursor): Expression {
  // A literal that stands alone, the common case, needs no descent through the operators.
  if (cursor.isLastOfValue()) {
    if (cursor.peek() === "plain-string") return parsePlainString(cursor);
    if (cursor.peek() === "number") return parseNumber(cursor, cursor.peekStart());
  }
  return parseConditional(cursor);
}

function parseConditional(cursor: Cursor): Expression {
  const start = cursor.peekStart();
  const mark = cursor.references.length;
  const condition = parseBinary(cursor, 1);
  if (cursor.peek() !== "?") return condition;
  cursor.skip();
  cursor.deeper(() => parseExpression(cursor));
  cursor.expect(":", "Missing `: value` of a conditional");
  cursor.deeper(() => parseExpression(cursor));
  return otherExpression(cursor, start, mark);
}

/** An expression of which nothing but its place and its references is told. */
export function otherExpression(cursor: Cursor, start: number, mark: number): Expression {
  return { kind: "other", span: cursor.span(start), references: referencesSince(cursor, mark) };
}

export function referencesSince(cursor: Cursor, mark: number): readonly Traversal[] {
  return cursor.references.length === mark ? NO_REFERENCES : cursor.copyReferences(mark);
}

function parseBinary(cursor: Cursor, minimum: number): Expression {
  const start = cursor.peekStart();
  const mark = cursor.references.length;
  const first = parseUnary(cursor);
  let isOperation = false;
  for (;;) {
    const precedence = PRECEDENCE[cursor.peek()] ?? 0;
    // Built once, at the end: a chain of a million operands would copy its references as many times.
    if (precedence < minimum) return isOperation ? otherExpression(cursor, start, mark) : first;
    cursor.skip();
    parseBinary(cursor, precedence + 1);
    isOperation = true;
  }
}

function parseUnary(cursor: Cursor): Expression {
  if (cursor.peek() !== "-" && cursor.peek() !== "!") return parseSteps(cursor, parseTerm);
  const start = cursor.peekStart();
  const mark = cursor.references.length;
  const operator = cursor.read();
  const operand = cursor.deeper(() => parseUnary(cursor));
  if (operator === "-" && operand.kind === "number" && typeof operand.value === "number")
    return {
      kind: "number",
      value: -operand.value,
      span: cursor.span(start),
      references: referencesSince(cursor, mark),
    };
  return otherExpression(cursor, start, mark);
}

function parseTerm(cursor: Cursor): Expression {
  const start = cursor.peekStart();
  const mark = cursor.references.length;
  switch (cursor.peek()) {
    case "(": {
      const inner = cursor.nested(false, () => {
        cursor.skip();
        const expression = parseExpression(cursor);
        cursor.expect(")", "Unbalanced parentheses: expected `)`");
        return expression;
      });
      return { ...inner, span: cursor.span(start) };
    }
    case "number":
      return parseNumber(cursor, start);
    case "identifier":
      return parseName(cursor, start, mark);
    case "plain-string":
      return parsePlainString(cursor);
    case "open-quote":
    case "open-heredoc":
      return parseTemplate(cursor);
    case "[":
      return cursor.nested(false, () => parseList(cursor, start, mark));
    case "{":
      return parseObject(cursor, start, mark);
    default:
      return cursor.stop(
        cursor.peek() === "newline" || cursor.peek() === "eof"
          ? "Missing expression: a value must start on this line"
          : `Invalid expression at ${JSON.stringify(cursor.peekText())}: expected a value`,
      );
  }
}

function parsePlainString(cursor: Cursor): Expression {
  const start = cursor.peekStart();
  const value = cursor.readUnquoted();
  return { kind: "string", value, span: cursor.span(start), references: NO_REFERENCES };
}

function parseNumber(cursor: Cursor, start: number): Expression {
  const digits = cursor.read();
  if (!NUMBER.test(digits) || hasHugeExponent(digits)) cursor.stop(`Invalid number ${digits}`);
  return {
    kind: "number",
    value: Number(digits),
    span: cursor.span(start),
    references: NO_REFERENCES,
  };
}

function hasHugeExponent(digits: string): boolean {
  const exponent = /[eE]([+-]?\d+)$/.exec(digits)?.[1];
  return exponent !== undefined && Math.abs(Number(exponent)) > MAX_EXPONENT;
}

function parseName(cursor: Cursor, start: number, mark: number): Expression {
  const name = cursor.read();
  if (cursor.peek() === "(" || cursor.peek() === "::") return parseCall(cursor, name, start, mark);
  if (name === "true" || name === "false")
    return {
      kind: "bool",
      value: name === "true",
      span: cursor.span(start),
      references: NO_REFERENCES,
    };
  if (name === "null")
    return { kind: "null", value: null, span: cursor.span(start), references: NO_REFERENCES };
  return parseReference(cursor, name, start, mark);
}

function parseCall(cursor: Cursor, root: string, start: number, mark: number): Expression {
  let name = root;
  while (cursor.peek() === "::") {
    cursor.skip();
    name += `::${cursor.expect("identifier", "Missing function name behind `::`")}`;
  }
  if (cursor.peek() !== "(") cursor.stop(`Missing \`(\` of the call of ${name}`);
  const items: Expression[] = [];
  cursor.nested(false, () => {
    cursor.skip();
    while (cursor.peek() !== ")") {
      items.push(parseExpression(cursor));
      if (cursor.peek() === "...") {
        cursor.skip();
        if (cursor.peek() !== ")") cursor.stop("Expected `)` behind `...`");
      } else if (cursor.peek() !== ")") {
        cursor.expect(",", `Missing argument separator in the call of ${name}: expected \`,\``);
      }
    }
    cursor.skip();
  });
  return {
    kind: "call",
    name,
    items,
    span: cursor.span(start),
    references: referencesSince(cursor, mark),
  };
}

function parseList(cursor: Cursor, start: number, mark: number): Expression {
  cursor.skip();
  if (cursor.isKeyword("for")) return parseFor(cursor, start, mark, "]");
  const items: Expression[] = [];
  while (cursor.peek() !== "]") {
    items.push(parseExpression(cursor));
    if (cursor.peek() !== "]") cursor.expect(",", "Missing item separator: expected `,` or `]`");
  }
  cursor.skip();
  return {
    kind: "list",
    items,
    span: cursor.span(start),
    references: referencesSince(cursor, mark),
  };
}

function parseObject(cursor: Cursor, start: number, mark: number): Expression {
  cursor.skip();
  // Newlines count in an object, but not between its brace and `for`.
  if (cursor.nested(false, () => cursor.isKeyword("for")))
    return cursor.nested(false, () => parseFor(cursor, start, mark, "}"));
  const entries: ObjectEntry[] = [];
  cursor.nested(true, () => {
    for (;;) {
      while (cursor.peek() === "newline") cursor.skip();
      if (cursor.peek() === "}") break;
      entries.push(parseEntry(cursor));
      if (cursor.peek() === "}") break;
      if (cursor.peek() !== "," && cursor.peek() !== "newline")
        cursor.stop("Missing attribute separator: expected a newline or `,`");
      cursor.skip();
    }
    cursor.skip();
  });
  return {
    kind: "object",
    entries,
    span: cursor.span(start),
    references: referencesSince(cursor, mark),
  };
}

function parseEntry(cursor: Cursor): ObjectEntry {
  const inParentheses = cursor.peek() === "(";
  const mark = cursor.references.length;
  const key = parseExpression(cursor);
  const name = inParentheses ? undefined : literalKey(key);
  // A bare word as a key is a name, not a reference.
  if (key.kind === "traversal" && name !== undefined) cursor.references.length = mark;
  if (cursor.peek() !== "=" && cursor.peek() !== ":")
    cursor.stop("Missing attribute value: expected `=` or `:` behind the key");
  cursor.skip();
  return { key: name, keySpan: key.span, value: parseExpression(cursor) };
}

function literalKey(key: Expression): string | undefined {
  if (key.kind === "traversal") return key.name;
  if (key.kind === "null") return "null";
  return key.value === undefined || key.value === null ? undefined : String(key.value);
}

function parseFor(cursor: Cursor, start: number, mark: number, close: "]" | "}"): Expression {
  cursor.skip();
  const names = parseForNames(cursor);
  parseExpression(cursor);
  cursor.expect(":", "Missing `:` behind the collection of a `for`");
  cursor.withScope(names, () => {
    parseExpression(cursor);
    const hasKey = cursor.peek() === "=>";
    if (hasKey !== (close === "}"))
      cursor.stop(hasKey ? "A list `for` has no key" : "An object `for` needs `key => value`");
    if (hasKey) {
      cursor.skip();
      parseExpression(cursor);
      if (cursor.peek() === "...") cursor.skip();
    }
    if (cursor.isKeyword("if")) {
      cursor.skip();
      parseExpression(cursor);
    }
  });
  cursor.expect(close, `Invalid \`for\` expression: expected \`${close}\``);
  return otherExpression(cursor, start, mark);
}

/** `key, value in`, shared with the `%{ for }` directive. */
export function parseForNames(cursor: Cursor): string[] {
  const names = [cursor.expect("identifier", "Missing variable name behind `for`")];
  if (cursor.peek() === ",") {
    cursor.skip();
    names.push(cursor.expect("identifier", "Missing value variable name behind `,`"));
  }
  if (!cursor.isKeyword("in")) cursor.stop("Missing `in` of a `for`");
  cursor.skip();
  return names;
}
