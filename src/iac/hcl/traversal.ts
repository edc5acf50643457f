// What follows a value: `.name`, `[index]`, `[*]`, `.*` and the old `.0`.

import type { Cursor } from "./cursor.ts";
import { otherExpression, parseExpression, referencesSince } from "./expression.ts";
import type { Expression, Span } from "./tree.ts";

/** Parses a term and the steps behind it. */
export function parseSteps(cursor: Cursor, parseTerm: (cursor: Cursor) => Expression): Expression {
  const start = cursor.peekStart();
  const mark = cursor.references.length;
  const root = parseTerm(cursor);
  if (!isStep(cursor)) return root;
  const steps: string[] = [];
  while (isStep(cursor)) parseStep(cursor, steps);
  return otherExpression(cursor, start, mark);
}

/** Parses what follows the name at `start`, and notes the whole as a reference unless a `for` defined the name. */
export function parseReference(
  cursor: Cursor,
  name: string,
  start: number,
  mark: number,
): Expression {
  const steps = [name];
  try {
    while (isStep(cursor)) parseStep(cursor, steps);
  } catch (error) {
    // What stands before the broken step is a reference.
    note(cursor, steps, cursor.span(start));
    throw error;
  }
  const span = cursor.span(start);
  note(cursor, steps, span);
  const references = referencesSince(cursor, mark);
  return steps.length === 1
    ? { kind: "traversal", name, span, references }
    : { kind: "traversal", span, references };
}

function note(cursor: Cursor, steps: readonly string[], span: Span): void {
  if (!cursor.isInScope(steps[0] ?? "")) cursor.references.push({ steps, span });
}

function isStep(cursor: Cursor): boolean {
  return cursor.peek() === "." || cursor.peek() === "[";
}

function parseStep(cursor: Cursor, steps: string[]): void {
  if (cursor.read() === "[") return parseIndex(cursor, steps);
  if (cursor.peek() === "*") {
    cursor.skip();
    steps.push("[*]");
    while (cursor.peek() === ".") {
      cursor.skip();
      if (cursor.peek() === "*") cursor.stop("A splat inside an attribute splat is not allowed");
      parseDotted(cursor, steps);
    }
    return;
  }
  parseDotted(cursor, steps);
}

function parseDotted(cursor: Cursor, steps: string[]): void {
  if (cursor.peek() === "identifier") {
    steps.push(cursor.read());
    return;
  }
  if (cursor.peek() !== "number") cursor.stop("Missing attribute name behind `.`");
  const digits = cursor.peekText();
  if (digits.includes("."))
    cursor.stop(
      `Two old-style indexes in a row are not allowed: write [${digits.replace(".", "][")}]`,
    );
  cursor.skip();
  steps.push(`[${digits}]`);
}

function parseIndex(cursor: Cursor, steps: string[]): void {
  if (cursor.peek() === "*") {
    cursor.skip();
    cursor.expect("]", "Missing `]` of a splat");
    steps.push("[*]");
    return;
  }
  cursor.nested(false, () => {
    const key = parseExpression(cursor);
    cursor.expect("]", "Missing `]` of an index");
    const isLiteral = key.kind === "string" || key.kind === "number";
    steps.push(isLiteral ? `[${String(key.value)}]` : "[]");
  });
}
