// YAML and JSON text → values with exact positions. Tolerant: what is wrong becomes a fault with its place.
// Knows the functions of CloudFormation and ROS (`!Ref`, `Fn::Sub`), but not what any key means.

import { isAlias, isMap, isScalar, isSeq, parseAllDocuments } from "yaml";
import type { Document, Node as YamlNode, Pair, YAMLMap } from "yaml";
import { truncateAtGrapheme } from "../lib/text.ts";
import { lineAt } from "./hcl/tokens.ts";
import type { Span, SyntaxFault } from "./hcl/tree.ts";
import type { MapEntry, Value } from "./value.ts";

export type YamlDocument = {
  /** `undefined` for an empty document, and for one that does not parse. */
  readonly root: Value | undefined;
  readonly faults: readonly SyntaxFault[];
  /** Keys that stand twice in one map; the later one wins in every reader, silently. */
  readonly duplicates: readonly { readonly key: string; readonly at: Span }[];
};

/** Aliases are copied out up to this many nodes a document, so that nested ones cannot grow without end. */
const MAX_ALIASED_NODES = 50_000;
/** Syntax faults told of one document; the rest are mostly echoes of the first. */
const MAX_FAULTS = 5;
/** The parser quotes what it stumbled over, however long that is. */
const MAX_MESSAGE_LENGTH = 160;
const LONG_NAMES: Readonly<Record<string, string>> = { Ref: "Ref", Condition: "Condition" };

/** Never throws; a text that the parser cannot hold at all is one document with one fault. */
export function parseYaml(text: string): readonly YamlDocument[] {
  const lines = lineStartsOf(text);
  try {
    const parsed = parseAllDocuments(text, {
      uniqueKeys: false,
      logLevel: "silent",
      prettyErrors: false,
    });
    if (!Array.isArray(parsed)) return [];
    return parsed.map((document) => convertDocument(document, lines));
  } catch (error) {
    // The parser recurses: a text nested some thousand levels deep exhausts the stack.
    if (!(error instanceof RangeError)) throw error;
    const span = { start: 0, end: 0, line: 1, column: 1 };
    return [{ root: undefined, faults: [{ message: "nested too deeply", span }], duplicates: [] }];
  }
}

function convertDocument(document: Document.Parsed, lines: readonly number[]): YamlDocument {
  const faults = document.errors.slice(0, MAX_FAULTS).map((error) => ({
    message: truncateAtGrapheme(error.message, MAX_MESSAGE_LENGTH),
    span: spanOf(lines, error.pos[0], error.pos[1]),
  }));
  if (document.contents === null) return { root: undefined, faults, duplicates: [] };
  const converter = new Converter(document, lines);
  const root = converter.convert(document.contents);
  return { root, faults, duplicates: converter.duplicates };
}

/** Counted here: the parser's own counter loses lines inside of what it cannot read. */
function lineStartsOf(text: string): readonly number[] {
  const starts = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return starts;
}

function spanOf(lines: readonly number[], start: number, end: number): Span {
  const line = lineAt(lines, start);
  return { start, end, line, column: start - (lines[line - 1] ?? 0) + 1 };
}

/** Lives for one document: holds the budget for aliases and the duplicate keys seen so far. */
class Converter {
  readonly duplicates: { key: string; at: Span }[] = [];
  readonly #document: Document.Parsed;
  readonly #lines: readonly number[];
  #aliasDepth = 0;
  #aliasedNodes = 0;

  constructor(document: Document.Parsed, lines: readonly number[]) {
    this.#document = document;
    this.#lines = lines;
  }

  convert(node: unknown): Value {
    const at = this.#span(node);
    if (this.#aliasDepth > 0 && ++this.#aliasedNodes > MAX_ALIASED_NODES)
      return { kind: "unknown", at, references: [] };
    if (isAlias(node)) return this.#convertAlias(node.resolve(this.#document), at);
    const plain = this.#convertPlain(node, at);
    const name = functionOfTag(tagOf(node));
    return name === undefined ? plain : { kind: "call", at, name, argument: plain };
  }

  #convertPlain(node: unknown, at: Span): Value {
    if (isMap(node)) return this.#convertMap(node, at);
    if (isSeq(node))
      return { kind: "list", at, items: node.items.map((item) => this.convert(item)) };
    if (!isScalar(node)) return { kind: "literal", at, value: null };
    const { value } = node;
    const isPlain =
      value === null ||
      typeof value === "string" ||
      typeof value === "number" ||
      typeof value === "boolean";
    // Dates, binary and big integers keep the text they were written as.
    return { kind: "literal", at, value: isPlain ? value : (node.source ?? "") };
  }

  #convertMap(node: YAMLMap, at: Span): Value {
    const own: MapEntry[] = [];
    const merged: MapEntry[] = [];
    const seen = new Set<string>();
    for (const pair of node.items) {
      const entry = this.#convertPair(pair);
      if (entry.key === "<<") {
        merged.push(...mergedEntries(entry.value));
        continue;
      }
      if (seen.has(entry.key)) this.duplicates.push({ key: entry.key, at: entry.keyAt });
      seen.add(entry.key);
      own.push(entry);
    }
    const [only] = own;
    if (only !== undefined && node.items.length === 1 && isFunctionKey(only))
      return { kind: "call", at, name: only.key, argument: only.value };
    // A key of the map itself hides the merged one of that name.
    return { kind: "map", at, entries: [...own, ...merged.filter(({ key }) => !seen.has(key))] };
  }

  #convertPair(pair: Pair): MapEntry {
    const keyAt = this.#span(pair.key);
    const key = isScalar(pair.key) ? (pair.key.source ?? String(pair.key.value)) : "";
    const value =
      pair.value === null || pair.value === undefined
        ? ({ kind: "literal", at: keyAt, value: null } as const)
        : this.convert(pair.value);
    return { key, keyAt, value };
  }

  #convertAlias(target: YamlNode | undefined, at: Span): Value {
    if (target === undefined) return { kind: "unknown", at, references: [] };
    this.#aliasDepth++;
    const value = this.convert(target);
    this.#aliasDepth--;
    return { ...value, at };
  }

  #span(node: unknown): Span {
    const range = rangeOf(node);
    return spanOf(this.#lines, range[0], range[1]);
  }
}

function rangeOf(node: unknown): readonly [number, number] {
  const isNode = isScalar(node) || isMap(node) || isSeq(node) || isAlias(node);
  const range = isNode ? node.range : undefined;
  return range === null || range === undefined ? [0, 0] : [range[0], range[1]];
}

function tagOf(node: unknown): string | undefined {
  return isScalar(node) || isMap(node) || isSeq(node) ? node.tag : undefined;
}

/** `!GetAtt` → `Fn::GetAtt`; standard YAML tags are no functions. */
function functionOfTag(tag: string | undefined): string | undefined {
  if (tag === undefined || !/^![A-Za-z:]+$/.test(tag)) return undefined;
  const short = tag.slice(1);
  return LONG_NAMES[short] ?? (short.startsWith("Fn::") ? short : `Fn::${short}`);
}

/** `Condition` is a function only with a name behind it: an IAM statement has a `Condition` map. */
function isFunctionKey({ key, value }: MapEntry): boolean {
  if (key === "Condition") return value.kind === "literal";
  return key === "Ref" || (key.startsWith("Fn::") && !key.startsWith("Fn::ForEach"));
}

function mergedEntries(value: Value): readonly MapEntry[] {
  if (value.kind === "list") return value.items.flatMap(mergedEntries);
  return value.kind === "map" ? value.entries : [];
}
