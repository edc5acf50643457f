// Secrets that the structure of a JSON document marks: Terraform plan, state and output JSON by their own sensitivity
// masks, Kubernetes Secrets by their kind. https://developer.hashicorp.com/terraform/internals/json-format

import { isRecord, parseJson } from "../lib/json.ts";
import { secretAttributesOf } from "./attributes.ts";
import { walkJson } from "./json-walk.ts";
import { labelOf, strengthOfKey } from "./key-names.ts";
import type { Span } from "./spans.ts";
import { isReference } from "./values.ts";

/** Path (joined by SEPARATOR) → label; everything at or below the path is secret. */
export type SensitivePaths = ReadonlyMap<string, string>;
type Found = Map<string, string>;
type Path = readonly string[];

const SEPARATOR = "\u001F";
const MAX_DEPTH = 200;
export const pathKey = (path: Path): string => path.join(SEPARATOR);

/** Spans of the document's secrets; empty for text that is not one JSON document. */
export function structureSpans(text: string): Span[] {
  if (!/^\s*[{[]/.test(text)) return [];
  const document = parseJson(text);
  if (document === undefined) return [];
  const secret = sensitivePaths(document);
  if (secret.size === 0) return [];
  const spans: Span[] = [];
  walkJson(text, ({ path, kind, start, end }) => {
    const label = labelAt(secret, path);
    if (label === undefined || end === start) return;
    // `true`, `null` and small numbers tell nothing and may stand for themselves.
    if (kind === "other" && !/^\d{6,}/.test(text.slice(start, end))) return;
    spans.push({ start, end, label });
  });
  return spans;
}

/** The label of the nearest marked parent of `path`. */
export function labelAt(secret: SensitivePaths, path: Path): string | undefined {
  let key = "";
  for (const [at, part] of path.entries()) {
    key = at === 0 ? part : key + SEPARATOR + part;
    const label = secret.get(key);
    if (label !== undefined) return label;
  }
  return undefined;
}

/** What the document's own marks, and the table of always-secret attributes, name. */
export function sensitivePaths(document: unknown): SensitivePaths {
  const found: Found = new Map();
  visit(document, [], found, "");
  return found;
}

/** `owner` is what a find is named after: the resource's type, or the output. */
function visit(node: unknown, path: Path, found: Found, owner: string): void {
  if (path.length > MAX_DEPTH) return;
  if (Array.isArray(node)) {
    for (const [at, item] of node.entries()) visit(item, [...path, String(at)], found, owner);
    return;
  }
  if (!isRecord(node)) return;
  const { type } = node as { readonly type?: unknown };
  const isResource = typeof type === "string" && type.includes("_");
  const isOutput = path.at(-2) === "output_changes" || path.at(-2) === "outputs";
  const name = isResource ? type : isOutput ? `output.${path.at(-1) ?? ""}` : owner;
  markChange(node, path, name, found);
  markResource(node, path, found);
  markValue(node, path, found);
  if (node["kind"] === "Secret")
    for (const key of ["data", "stringData"])
      if (isRecord(node[key])) found.set(pathKey([...path, key]), "secret.data");
  markVariables(node, path, found);
  // A JSON Web Key: the private members have one-letter names. https://www.rfc-editor.org/rfc/rfc7518#section-6
  if (typeof node["kty"] === "string")
    for (const key of ["d", "p", "q", "dp", "dq", "qi", "k"])
      if (key in node) found.set(pathKey([...path, key]), `jwk.${key}`);
  for (const [key, value] of Object.entries(node)) {
    if (typeof value !== "object") continue;
    if (isRecord(value) && strengthOfKey(key) !== "none") markHolder(value, [...path, key], found);
    visit(value, [...path, key], found, name);
  }
}

/** `password: {value: "…"}`: parameters of ARM templates, constants of a plan's configuration. */
function markHolder(node: Record<string, unknown>, path: Path, found: Found): void {
  // `Default` is also a name that people give; in a template's parameter a `Type` stands beside it.
  const names = ["constant_value", "value", "defaultValue", "default"];
  for (const key of "Type" in node ? [...names, "Default"] : names)
    if (typeof node[key] === "string" && !isReference(node[key], true))
      found.set(pathKey([...path, key]), labelOf(path.at(-1) ?? key));
}

/** `change: {before, after, before_sensitive, after_sensitive}` of resources and outputs. */
function markChange(node: Record<string, unknown>, path: Path, owner: string, found: Found): void {
  for (const side of ["before", "after"]) {
    const mask = node[`${side}_sensitive`];
    if (mask !== undefined) applyMask(mask, [...path, side], owner, found);
  }
}

/** `values` with `sensitive_values`, and the instances of a state file. */
function markResource(node: Record<string, unknown>, path: Path, found: Found): void {
  const type = node["type"];
  if (typeof type !== "string") return;
  if (node["sensitive_values"] !== undefined)
    applyMask(node["sensitive_values"], [...path, "values"], type, found);
  const always = secretAttributesOf(type);
  const holders: Path[] = [["values"], ["change", "before"], ["change", "after"]];
  for (const holder of holders)
    for (const name of always) found.set(pathKey([...path, ...holder, name]), `${type}.${name}`);
  const instances = node["instances"];
  if (!Array.isArray(instances)) return;
  for (const [at, instance] of instances.entries()) {
    const base = [...path, "instances", String(at), "attributes"];
    for (const name of always) found.set(pathKey([...base, name]), `${type}.${name}`);
    if (isRecord(instance))
      markSensitiveAttributes(instance["sensitive_attributes"], base, type, found);
  }
}

/** `[[{type:"get_attr",value:"password"}], …]`: each inner list is a path below `attributes`. */
function markSensitiveAttributes(list: unknown, base: Path, type: string, found: Found): void {
  if (!Array.isArray(list)) return;
  for (const steps of list) {
    if (!Array.isArray(steps)) continue;
    const parts = steps.map((step: unknown) => {
      const value = isRecord(step) ? step["value"] : undefined;
      return isRecord(value) ? value["value"] : value;
    });
    // A step that is not understood (an element of a set) makes all above it secret.
    const known = parts.findIndex((part) => typeof part !== "string" && typeof part !== "number");
    const usable = (known === -1 ? parts : parts.slice(0, known)).map(String);
    found.set(pathKey([...base, ...usable]), labelOf(`${type}.${usable.at(-1) ?? "attributes"}`));
  }
}

/** `{sensitive: true, value: …}`: outputs in every document, variables where they carry it. */
function markValue(node: Record<string, unknown>, path: Path, found: Found): void {
  if (node["sensitive"] === true && "value" in node)
    found.set(pathKey([...path, "value"]), `output.${labelOf(path.at(-1) ?? "value")}`);
}

/** A plan's variables: sensitive by their declaration, or by their name. */
function markVariables(node: Record<string, unknown>, path: Path, found: Found): void {
  const { variables, configuration } = node as Record<string, unknown>;
  if (!isRecord(variables) || path.length > 0) return;
  const root = isRecord(configuration) ? configuration["root_module"] : undefined;
  const declared = isRecord(root) && isRecord(root["variables"]) ? root["variables"] : {};
  for (const name of Object.keys(variables)) {
    const declaration = declared[name];
    const isMarked = isRecord(declaration) && declaration["sensitive"] === true;
    if (isMarked || strengthOfKey(name) !== "none")
      found.set(pathKey(["variables", name, "value"]), `var.${labelOf(name)}`);
  }
}

function applyMask(mask: unknown, path: Path, label: string, found: Found): void {
  if (mask === true) {
    const name = nameIn(path);
    found.set(pathKey(path), labelOf(/^(before|after)$/.test(name) ? label : `${label}.${name}`));
  }
  if (Array.isArray(mask))
    for (const [at, one] of mask.entries()) applyMask(one, [...path, String(at)], label, found);
  else if (isRecord(mask))
    for (const [key, one] of Object.entries(mask)) applyMask(one, [...path, key], label, found);
}

/** The last part of a path that is a name rather than an index. */
const nameIn = (path: Path): string => path.findLast((part) => !/^\d+$/.test(part)) ?? "value";
