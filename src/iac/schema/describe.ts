// What an index knows of a type, as text for a model: what must be given, what can be, what is nested, and for a name
// that does not exist the nearest that do.

import { nearest } from "../nearest.ts";
import type { SchemaBlock, SchemaField, SchemaIndex } from "./schema-index.ts";

/** Nested places looked through for a name that is asked for at the wrong level. */
const MAX_SEARCHED = 2_000;
const MAX_PLACES = 10;
const MAX_NEAR = 5;

export type Described = { readonly isFound: boolean; readonly text: string };

/** `path` is dotted and leads to a nested block or an argument. `undefined`: the type is not known. */
export function describeType(
  index: SchemaIndex,
  type: string,
  path: readonly string[],
): Described | undefined {
  let block = index.typeOf(type);
  if (block === undefined) return undefined;
  for (const [at, name] of path.entries()) {
    const field = block.get(name);
    const walked = [type, ...path.slice(0, at)].join(".");
    if (field === undefined)
      return { isFound: false, text: unknownName(index, walked, block, name, type) };
    if (field.inside === undefined) {
      const rest = path.slice(at + 1);
      const more =
        rest.length === 0 ? "" : ` It has no fields of its own that are known (${rest.join(".")}).`;
      return { isFound: rest.length === 0, text: `${walked}.${name}: ${wordsOf(field)}.${more}` };
    }
    block = index.blockAt(field.inside);
  }
  return { isFound: true, text: [`${[type, ...path].join(".")}:`, ...listOf(block)].join("\n") };
}

const NESTED_FORM = { attribute: "", object: " = {…}", block: " {…}" } as const;

function shown({ name, form, isDeprecated, isSensitive }: SchemaField): string {
  const marks = [isDeprecated ? "deprecated" : [], isSensitive ? "sensitive" : []].flat();
  return `${name}${NESTED_FORM[form]}${marks.length === 0 ? "" : ` (${marks.join(", ")})`}`;
}

function wordsOf({ presence, form, isDeprecated, isSensitive }: SchemaField): string {
  const what = form === "block" ? "block" : "argument";
  const words = {
    required: `required ${what}`,
    optional: `optional ${what}`,
    optional_computed: `optional ${what}, set by the provider when absent`,
    computed: "set by the provider, cannot be given",
  }[presence];
  return [words, isDeprecated ? "deprecated" : [], isSensitive ? "sensitive" : []]
    .flat()
    .join(", ");
}

function listOf(block: SchemaBlock): string[] {
  const fields = [...block.values()];
  const group = (title: string, chosen: readonly SchemaField[]): string[] =>
    chosen.length === 0 ? [] : [`${title}: ${chosen.map(shown).join(", ")}`];
  const isNested = (field: SchemaField) =>
    field.inside !== undefined && field.presence !== "computed";
  return [
    ...group(
      "Required",
      fields.filter(({ presence }) => presence === "required"),
    ),
    ...group(
      "Optional",
      fields.filter((field) => field.presence.startsWith("optional") && !isNested(field)),
    ),
    ...group(
      "Optional, with fields of its own (ask again with path)",
      fields.filter((field) => field.presence.startsWith("optional") && isNested(field)),
    ),
    ...group(
      "Set by the provider, cannot be given",
      fields.filter(({ presence }) => presence === "computed"),
    ),
  ];
}

function unknownName(
  index: SchemaIndex,
  walked: string,
  block: SchemaBlock,
  name: string,
  type: string,
): string {
  const near = nearest(name, block.keys(), MAX_NEAR);
  const elsewhere = placesOf(index, type, name);
  return [
    `${walked} has no "${name}".`,
    ...(near.length === 0 ? [] : [`The nearest names: ${near.join(", ")}.`]),
    ...(elsewhere.length === 0 ? [] : [`It exists as ${elsewhere.join(", ")}.`]),
    ...(near.length === 0 && elsewhere.length === 0
      ? [`It has: ${[...block.keys()].join(", ")}.`]
      : []),
  ].join(" ");
}

/** Where in the type the name does exist, outermost first. */
function placesOf(index: SchemaIndex, type: string, name: string): string[] {
  const found: string[] = [];
  const root = index.typeOf(type);
  const queue = root === undefined ? [] : [{ path: type, block: root }];
  for (let next = queue.shift(), looked = 0; next !== undefined; next = queue.shift()) {
    if (++looked > MAX_SEARCHED || found.length >= MAX_PLACES) break;
    for (const field of next.block.values()) {
      const path = `${next.path}.${field.name}`;
      if (field.name === name) found.push(path);
      if (field.inside !== undefined) queue.push({ path, block: index.blockAt(field.inside) });
    }
  }
  return found;
}

/** Types whose name is near to, or holds every word of, what was asked for. */
export function similarTypeNames({ typeNames }: SchemaIndex, asked: string): string[] {
  const words = asked
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word.length > 1);
  const holding = typeNames.filter((name) =>
    words.every((word) => name.toLowerCase().includes(word)),
  );
  const stem = asked.slice(0, Math.max(4, Math.floor(asked.length / 2)));
  const near = nearest(
    asked,
    typeNames.filter((name) => name.startsWith(stem)),
    MAX_NEAR,
  );
  return [...new Set([...near, ...holding])].slice(0, 2 * MAX_PLACES);
}
