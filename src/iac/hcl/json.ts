// The JSON syntax of Terraform files, turned into the same tree. Strings are templates, so their references count.
// https://developer.hashicorp.com/terraform/language/syntax/json

import { isMap, isScalar, isSeq, LineCounter, parseDocument, type YAMLMap } from "yaml";
import { parseHcl } from "./parse.ts";
import type { Attribute, Block, Body, Expression, HclFile, Span, Traversal } from "./tree.ts";

/** How many labels a top-level block has; any other property is read as a block without labels. */
const LABELS: Readonly<Record<string, number>> = {
  resource: 2,
  data: 2,
  ephemeral: 2,
  variable: 1,
  output: 1,
  module: 1,
  provider: 1,
  check: 1,
  run: 1,
  backend: 1,
};
const NESTED_BLOCKS = new Set(["required_providers", "backend", "cloud", "provider_meta"]);
/** Written as text, but read as a reference without `${}`. */
const BARE_REFERENCES = new Set(["depends_on", "provider", "providers", "replace_triggered_by"]);

type Place = { readonly lines: LineCounter; readonly isLiteral: boolean; readonly isBare: boolean };

/** Parses a `.tf.json` file. Never throws; text that is no JSON object is one fault. */
export function parseHclJson(text: string): HclFile {
  const fault = jsonFault(text);
  if (fault !== undefined) return emptyWith(fault, 0, text.length);
  try {
    return toFile(text);
  } catch (error) {
    // The reader of positions recurses: some thousand levels exhaust the stack.
    if (!(error instanceof RangeError)) throw error;
    return emptyWith("Nested too deeply", 0, text.length);
  }
}

function toFile(text: string): HclFile {
  const lines = new LineCounter();
  const { contents } = parseDocument(text, { lineCounter: lines, logLevel: "silent" });
  if (!isMap(contents)) return emptyWith("Expected a JSON object", 0, text.length);
  const blocks: Block[] = [];
  for (const { key, value } of contents.items) {
    const name = nameOf(key);
    if (name === "//" || name === undefined) continue;
    blocks.push(...blocksOf(name, key, [], value, LABELS[name] ?? 0, lines));
  }
  return { body: { attributes: [], blocks }, comments: [], faults: [] };
}

function jsonFault(text: string): string | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : "Not JSON";
  }
}

function emptyWith(message: string, start: number, end: number): HclFile {
  const span = { start, end, line: 1, column: 1 };
  return { body: { attributes: [], blocks: [] }, comments: [], faults: [{ message, span }] };
}

function nameOf(key: unknown): string | undefined {
  return isScalar(key) && typeof key.value === "string" ? key.value : undefined;
}

function spanOf(node: unknown, lines: LineCounter): Span {
  const isNode = isScalar(node) || isMap(node) || isSeq(node);
  const [start, end] = (isNode ? node.range : undefined) ?? [0, 0];
  const { line, col } = lines.linePos(start);
  return { start, end, line: Math.max(1, line), column: Math.max(1, col) };
}

function blocksOf(
  name: string,
  nameNode: unknown,
  labels: readonly { readonly text: string; readonly span: Span }[],
  value: unknown,
  left: number,
  lines: LineCounter,
): Block[] {
  if (isSeq(value))
    return value.items.flatMap((item) => blocksOf(name, nameNode, labels, item, left, lines));
  if (!isMap(value)) return [];
  if (left > 0) {
    return value.items.flatMap((pair) => {
      const text = nameOf(pair.key);
      if (text === undefined || text === "//") return [];
      const label = { text, span: spanOf(pair.key, lines) };
      return blocksOf(name, pair.key, [...labels, label], pair.value, left - 1, lines);
    });
  }
  const nameSpan = spanOf(nameNode, lines);
  return [
    {
      type: "block",
      name,
      nameSpan,
      labels: labels.map(({ text }) => text),
      labelSpans: labels.map(({ span }) => span),
      span: { ...nameSpan, end: spanOf(value, lines).end },
      body: bodyOf(value, name, lines),
    },
  ];
}

function bodyOf(map: YAMLMap, blockName: string, lines: LineCounter): Body {
  const attributes: Attribute[] = [];
  const blocks: Block[] = [];
  for (const { key, value } of map.items) {
    const name = nameOf(key);
    if (name === undefined || name === "//") continue;
    if (blockName === "terraform" && NESTED_BLOCKS.has(name)) {
      blocks.push(...blocksOf(name, key, [], value, LABELS[name] ?? 0, lines));
      continue;
    }
    const nameSpan = spanOf(key, lines);
    const place = { lines, isLiteral: blockName === "variable", isBare: BARE_REFERENCES.has(name) };
    const expression = expressionOf(value, place);
    const span = { ...nameSpan, end: expression.span.end };
    attributes.push({ type: "attribute", name, nameSpan, span, value: expression });
  }
  return { attributes, blocks };
}

function expressionOf(node: unknown, place: Place): Expression {
  const span = spanOf(node, place.lines);
  if (isMap(node)) {
    const entries = node.items.map(({ key, value }) => ({
      key: nameOf(key),
      keySpan: spanOf(key, place.lines),
      value: expressionOf(value, place),
    }));
    const references = entries.flatMap((entry) => entry.value.references);
    return { kind: "object", span, entries, references };
  }
  if (isSeq(node)) {
    const items = node.items.map((item) => expressionOf(item, place));
    return { kind: "list", span, items, references: items.flatMap((item) => item.references) };
  }
  const value = isScalar(node) ? node.value : null;
  if (typeof value === "number") return { kind: "number", value, span, references: [] };
  if (typeof value === "boolean") return { kind: "bool", value, span, references: [] };
  if (typeof value !== "string") return { kind: "null", value: null, span, references: [] };
  const references = place.isLiteral ? [] : referencesOf(value, span, place.isBare);
  if (references.length === 0 && !value.includes("${"))
    return { kind: "string", value, span, references };
  return { kind: "template", span, references };
}

/** The text is parsed as a heredoc would be; each reference is placed at the whole string. */
function referencesOf(text: string, span: Span, isBare: boolean): readonly Traversal[] {
  if (!isBare && !text.includes("${") && !text.includes("%{")) return [];
  const source = isBare ? `x = ${text}\n` : `x = <<IAC_CODE_TEXT\n${text}\nIAC_CODE_TEXT\n`;
  const found = parseHcl(source).body.attributes[0]?.value.references ?? [];
  return found.map(({ steps }) => ({ steps, span }));
}
