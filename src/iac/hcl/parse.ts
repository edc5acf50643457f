// Text → tree. Made for files that are being written: a fault costs its own line or block header, not the file.
// Accepts exactly what `terraform fmt -` accepts, as far as nesting stays below the cursor's limit.

import { Cursor, MAX_FAULTS, SyntaxStop } from "./cursor.ts";
import { parseExpression, referencesSince } from "./expression.ts";
import { scan } from "./scan.ts";
import { parseLabel } from "./template.ts";
import type { TokenKind } from "./tokens.ts";
import type { Attribute, Block, Expression, HclFile, Span } from "./tree.ts";

type Items = { readonly attributes: Attribute[]; readonly blocks: Block[] };

/** Block types that stand only at the top level: at the first column they show that a brace above is missing. */
const TOP_LEVEL =
  /^(?:resource|data|ephemeral|module|variable|output|locals|provider|terraform|moved|import|removed|check)$/;

/** Parses a file of HCL native syntax. Never throws; what is wrong is in `faults`, in the order of the text. */
export function parseHcl(text: string): HclFile {
  const tokens = scan(text);
  const cursor = new Cursor(tokens);
  const items: Items = { attributes: [], blocks: [] };
  parseItems(cursor, items, true);
  return {
    body: items,
    comments: tokens.comments,
    faults: cursor.faults.toSorted((a, b) => a.span.start - b.span.start),
  };
}

/** Parses items up to the end of the file or, inside a block, up to its closing brace, which is left unread. */
function parseItems(cursor: Cursor, items: Items, isTop: boolean): void {
  const names = new Set<string>();
  for (;;) {
    if (cursor.faults.length >= MAX_FAULTS) return;
    switch (cursor.peek()) {
      case "newline":
        cursor.skip();
        break;
      case "eof":
        return;
      case "}":
        if (!isTop) return;
        cursor.fault("Unexpected `}`: no block is open");
        cursor.skip();
        break;
      case "identifier":
        if (!isTop && isMissingBrace(cursor)) return;
        parseItem(cursor, items, names);
        break;
      default:
        cursor.fault(
          isQuote(cursor.peek())
            ? "Invalid argument name: argument names must not be quoted"
            : "Expected an argument or a block",
        );
        recover(cursor);
    }
  }
}

/** Only in a text that is faulty already, so that no valid file is read differently. */
function isMissingBrace(cursor: Cursor): boolean {
  if (cursor.faults.length === 0) return false;
  const start = cursor.peekStart();
  if (cursor.span(start, start).column !== 1 || !TOP_LEVEL.test(cursor.peekText())) return false;
  const after = cursor.peekBehind();
  return isQuote(after) || after === "{";
}

function parseItem(cursor: Cursor, items: Items, names: Set<string>): void {
  const start = cursor.peekStart();
  const name = cursor.read();
  const nameSpan = cursor.span(start);
  try {
    switch (cursor.peek()) {
      case "=":
        addAttribute(cursor, items, names, name, nameSpan);
        expectLineEnd(cursor, `Missing newline after the argument ${name}`);
        return;
      case "plain-string":
      case "open-quote":
      case "{":
      case "identifier":
        parseBlock(cursor, items, name, nameSpan);
        expectLineEnd(cursor, `Missing newline after the block ${name}`);
        return;
      default:
        cursor.stop(`Expected \`=\` or a block body behind ${name}`);
    }
  } catch (error) {
    if (!(error instanceof SyntaxStop)) throw error;
    // Noted where it was met; the next line is read as if nothing had happened.
    recover(cursor);
  }
}

function addAttribute(
  cursor: Cursor,
  items: Items,
  names: Set<string>,
  name: string,
  nameSpan: Span,
): void {
  cursor.skip();
  if (names.has(name)) cursor.fault(`The argument ${name} is set twice in this block`, nameSpan);
  names.add(name);
  const start = cursor.peekStart();
  const mark = cursor.references.length;
  let stopped: SyntaxStop | undefined;
  let value: Expression;
  try {
    value = parseExpression(cursor);
  } catch (error) {
    if (!(error instanceof SyntaxStop)) throw error;
    stopped = error;
    value = {
      kind: "other",
      span: cursor.span(Math.min(start, cursor.lastEnd)),
      references: referencesSince(cursor, mark),
    };
  }
  const span = cursor.span(nameSpan.start);
  items.attributes.push({ type: "attribute", name, nameSpan, span, value });
  if (stopped !== undefined) throw stopped;
}

function expectLineEnd(cursor: Cursor, message: string): void {
  if (cursor.peek() === "eof" || isMissingBrace(cursor)) return;
  if (cursor.peek() !== "newline") cursor.stop(message);
  cursor.skip();
}

function parseBlock(cursor: Cursor, items: Items, name: string, nameSpan: Span): void {
  const labels: string[] = [];
  const labelSpans: Span[] = [];
  while (isQuote(cursor.peek()) || cursor.peek() === "identifier") {
    const start = cursor.peekStart();
    labels.push(cursor.peek() !== "identifier" ? parseLabel(cursor) : cursor.read());
    labelSpans.push(cursor.span(start));
  }
  if (cursor.peek() !== "{") cursor.stop(missingBody(cursor, name));
  cursor.skip();
  const body: Items = { attributes: [], blocks: [] };
  const finish = (): void => {
    const span = cursor.span(nameSpan.start);
    items.blocks.push({ type: "block", name, nameSpan, labels, labelSpans, span, body });
  };
  try {
    cursor.deeper(() => parseBlockBody(cursor, body, name));
  } finally {
    finish();
  }
}

function isQuote(kind: TokenKind): boolean {
  return kind === "plain-string" || kind === "open-quote";
}

function missingBody(cursor: Cursor, name: string): string {
  if (cursor.peek() === "=") return "A block header is not followed by `=`";
  if (cursor.peek() === "newline" || cursor.peek() === "eof")
    return `The \`{\` of the block ${name} must stand on the line of its header`;
  return `Expected a quoted label or \`{\` in the header of the block ${name}`;
}

function parseBlockBody(cursor: Cursor, body: Items, name: string): void {
  if (cursor.peek() === "newline" || cursor.peek() === "}" || cursor.peek() === "eof") {
    parseItems(cursor, body, false);
    if (cursor.peek() === "}") cursor.skip();
    else if (cursor.faults.length < MAX_FAULTS)
      cursor.fault(`The block ${name} is not closed: expected \`}\``);
    return;
  }
  parseOneLineBody(cursor, body);
}

/** `{ name = value }`: one argument, no blocks, and the brace on the same line. */
function parseOneLineBody(cursor: Cursor, body: Items): void {
  const start = cursor.peekStart();
  const argument = cursor.expect("identifier", "Expected an argument name or a newline behind `{`");
  if (cursor.peek() !== "=")
    cursor.stop("A block on one line holds one argument and no other block");
  addAttribute(cursor, body, new Set(), argument, cursor.span(start, start + argument.length));
  if (cursor.peek() !== "}") cursor.stop("A block on one line holds one argument: expected `}`");
  cursor.skip();
}

/** Goes to the end of the line that the fault is on, past whatever it opens; a closing brace of the block stays. */
function recover(cursor: Cursor): void {
  let depth = 0;
  for (;;) {
    switch (cursor.peek()) {
      case "eof":
        return;
      case "newline":
        if (depth === 0) {
          cursor.skip();
          return;
        }
        break;
      case "{":
      case "(":
      case "[":
      case "${":
      case "%{":
        depth++;
        break;
      case "}":
        if (depth === 0) return;
        depth--;
        break;
      case ")":
      case "]":
      case "}}":
        depth = Math.max(0, depth - 1);
        break;
      case "identifier":
        if (isMissingBrace(cursor)) return;
        break;
      default:
    }
    cursor.skip();
  }
}
