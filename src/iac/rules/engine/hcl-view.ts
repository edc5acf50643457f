// HCL blocks and expressions → the value view that rules read. Dynamic blocks count as the block they make.

import type { Block, Body, Expression, HclFile, Span } from "../../hcl/tree.ts";
import type { MapEntry, Value } from "../../value.ts";
import type { HclSource, Resource } from "./source.ts";

/** Calls whose result has the shape of their only argument. */
const TRANSPARENT_CALLS = new Set(["jsonencode", "toset", "tolist", "sensitive", "nonsensitive"]);

/** Every top-level block as a resource; the attributes of a `.tfvars` file as one resource. */
export function hclResources(source: HclSource): readonly Resource[] {
  const { hcl, file } = source;
  const resources = hcl.body.blocks.map((block) => resourceOf(block, source));
  if (!file.endsWith(".tfvars") || hcl.body.attributes.length === 0) return resources;
  return [...resources, tfvarsOf(hcl, source)];
}

function tfvarsOf(hcl: HclFile, source: HclSource): Resource {
  const at = hcl.body.attributes[0]?.nameSpan ?? { start: 0, end: 0, line: 1, column: 1 };
  const body = viewOfBody(hcl.body, at);
  return { source, type: "tfvars", name: source.file, address: source.file, at, body, whole: body };
}

function resourceOf(block: Block, source: HclSource): Resource {
  const [first = "", second] = block.labels;
  const body = viewOfBody(block.body, block.span);
  const place = { source, at: block.nameSpan, body, whole: body };
  if (block.name === "resource" && second !== undefined)
    return { ...place, type: first, name: second, address: `${first}.${second}` };
  if (block.name === "data" && second !== undefined)
    return { ...place, type: `data.${first}`, name: second, address: `data.${first}.${second}` };
  const address = first === "" ? block.name : `${block.name}.${first}`;
  return { ...place, type: block.name, name: first, address };
}

function viewOfBody(body: Body, at: Span): Value {
  const entries: MapEntry[] = body.attributes.map((attribute) => ({
    key: attribute.name,
    keyAt: attribute.nameSpan,
    value: viewOf(attribute.value),
  }));
  for (const block of body.blocks) entries.push(...viewOfBlock(block));
  return { kind: "map", at, entries };
}

/** `backend "s3" {}` becomes backend → s3 → its body. */
function viewOfBlock(block: Block): readonly MapEntry[] {
  const [label] = block.labels;
  if (block.name === "dynamic" && label !== undefined) {
    return block.body.blocks
      .filter(({ name }) => name === "content")
      .map((content) => ({
        key: label,
        keyAt: block.nameSpan,
        value: viewOfBody(content.body, content.span),
      }));
  }
  const body = viewOfBody(block.body, block.span);
  const value = block.labels.reduceRight<Value>(
    (inner, key) => ({
      kind: "map",
      at: block.span,
      entries: [{ key, keyAt: block.nameSpan, value: inner }],
    }),
    body,
  );
  return [{ key: block.name, keyAt: block.nameSpan, value }];
}

function viewOf(expression: Expression): Value {
  const at = expression.span;
  const { kind, value, items, entries, name } = expression;
  if (kind === "null") return { kind: "literal", at, value: null };
  if ((kind === "string" || kind === "number" || kind === "bool") && value !== undefined)
    return { kind: "literal", at, value };
  if (kind === "list" && items !== undefined) return { kind: "list", at, items: items.map(viewOf) };
  if (kind === "object" && entries !== undefined) {
    const known = entries.flatMap(({ key, keySpan, value: inner }) =>
      key === undefined ? [] : [{ key, keyAt: keySpan, value: viewOf(inner) }],
    );
    return { kind: "map", at, entries: known };
  }
  const [only] = items ?? [];
  if (
    kind === "call" &&
    only !== undefined &&
    items?.length === 1 &&
    TRANSPARENT_CALLS.has(name ?? "")
  )
    return viewOf(only);
  return {
    kind: "unknown",
    at,
    references: expression.references.map(({ steps }) => steps.join(".")),
  };
}
