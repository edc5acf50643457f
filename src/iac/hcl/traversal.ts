// What follows a value: `.name`, `[index]`, `[*]`, `.*` and the old `.0`.

import type { Cursor } from "./cursor.ts";
import { expressionFrom, parseExpression } from "./expression.ts";
import type { Expression } from "./tree.ts";

const TRAVERSAL = { kind: "traversal" } as const;

/** Parses a term and the steps behind it; a bare name becomes a traversal, noted unless a `for` defined the name. */
export function parseTraversal(
  cursor: Cursor,
  parseTerm: (cursor: Cursor) => Expression,
): Expression {
  const start = cursor.peekStart();
  const mark = cursor.references.length;
  const isWord = cursor.peek() === "identifier";
  const root = parseTerm(cursor);
  const isName = isWord && root.kind === "traversal";
  const steps: string[] = [];
  try {
    while (cursor.peek() === "." || cursor.peek() === "[") parseStep(cursor, steps);
  } finally {
    // Also when a later step is broken: what stands is a reference.
    if (isName && root.name !== undefined && !cursor.isInScope(root.name))
      cursor.references.push({ steps: [root.name, ...steps], span: cursor.span(start) });
  }
  if (isName) {
    const isWhole = steps.length === 0 && root.name !== undefined;
    const parts = isWhole ? ({ kind: "traversal", name: root.name } as const) : TRAVERSAL;
    return expressionFrom(cursor, start, mark, parts);
  }
  return steps.length === 0 ? root : expressionFrom(cursor, start, mark, { kind: "other" });
}

function parseStep(cursor: Cursor, steps: string[]): void {
  if (cursor.read() === "[") return parseIndex(cursor, steps);
  if (cursor.peek() === "*") {
    cursor.read();
    steps.push("[*]");
    while (cursor.peek() === ".") {
      cursor.read();
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
  cursor.read();
  steps.push(`[${digits}]`);
}

function parseIndex(cursor: Cursor, steps: string[]): void {
  if (cursor.peek() === "*") {
    cursor.read();
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
