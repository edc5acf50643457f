// Every place in a template that names something declared elsewhere in it: Ref, GetAtt, Sub, FindInMap,
// If, Condition, DependsOn. Only literal names are uses; a computed name cannot be checked.

import type { Span } from "../hcl/tree.ts";
import { entriesOf, member, textOf } from "../value.ts";
import type { Value } from "../value.ts";

export type Use = {
  readonly kind: "ref" | "attribute" | "condition" | "depends";
  /** Without the attribute: `Queue` for `!GetAtt Queue.Arn`. */
  readonly name: string;
  readonly at: Span;
  /** True for a GetAtt that names no attribute. */
  readonly isIncomplete?: boolean;
};
/** `undefined` among the keys: one that is not literal. */
export type MappingUse = {
  readonly kind: "mapping";
  readonly map: Key;
  readonly keys: readonly (Key | undefined)[];
};
type Key = { readonly name: string; readonly at: Span };

export type AnyUse = Use | MappingUse;

/** A use with the resource it stands in; outside of resources `from` is undefined. */
export type PlacedUse = { readonly use: AnyUse; readonly from: string | undefined };

const SUB_VARIABLE = /\$\{([^!{}][^{}]*)\}/g;

/** The uses inside `value`. `plainConditions`: plain strings inside And, Or, Not name conditions. */
export function usesOf(value: Value, plainConditions = false): readonly AnyUse[] {
  const uses: AnyUse[] = [];
  visit(value, uses, plainConditions);
  return uses;
}

/** The uses of a resource's own `Condition` and `DependsOn`. */
export function headerUses(resource: Value): readonly Use[] {
  const uses: Use[] = [];
  const condition = entriesOf(resource).find(({ key }) => key === "Condition");
  const name = textOf(condition?.value);
  if (condition !== undefined && name !== undefined)
    uses.push({ kind: "condition", name, at: condition.value.at });
  const depends = member(resource, "DependsOn");
  const targets = depends?.kind === "list" ? depends.items : depends === undefined ? [] : [depends];
  for (const target of targets) {
    const text = textOf(target);
    if (text !== undefined) uses.push({ kind: "depends", name: text, at: target.at });
  }
  return uses;
}

function visit(value: Value, uses: AnyUse[], plainConditions: boolean): void {
  if (value.kind === "list") for (const item of value.items) visit(item, uses, plainConditions);
  if (value.kind === "map")
    for (const entry of value.entries) visit(entry.value, uses, plainConditions);
  if (value.kind !== "call") return;
  const { name, argument } = value;
  if (name === "Fn::Sub") return visitSub(argument, uses, plainConditions);
  if (name === "Ref") pushNamed(uses, "ref", argument);
  if (name === "Condition") pushNamed(uses, "condition", argument);
  if (name === "Fn::GetAtt") pushAttribute(uses, argument);
  if (name.startsWith("Fn::ValueOf") && argument.kind === "list")
    pushNamed(uses, "ref", argument.items[0]);
  if (name === "Fn::If" && argument.kind === "list")
    pushNamed(uses, "condition", argument.items[0]);
  if (name === "Fn::FindInMap" && argument.kind === "list") pushMapping(uses, argument);
  if (plainConditions && /^Fn::(And|Or|Not)$/.test(name)) {
    for (const each of argument.kind === "list" ? argument.items : [argument])
      pushNamed(uses, "condition", each);
  }
  visit(argument, uses, plainConditions);
}

function pushNamed(uses: AnyUse[], kind: Use["kind"], value: Value | undefined): void {
  if (value?.kind === "literal" && typeof value.value === "string")
    uses.push({ kind, name: value.value, at: value.at });
}

function pushAttribute(uses: AnyUse[], argument: Value): void {
  const target = argument.kind === "list" ? argument.items[0] : argument;
  const text = textOf(target);
  if (target === undefined || text === undefined) return;
  const [name = text, ...attributes] = argument.kind === "list" ? [text] : text.split(".");
  const isIncomplete =
    argument.kind === "list" ? argument.items.length < 2 : attributes.join("") === "";
  uses.push({ kind: "attribute", name, at: target.at, isIncomplete });
}

function pushMapping(uses: AnyUse[], argument: Value): void {
  if (argument.kind !== "list") return;
  const [map, ...keys] = argument.items.slice(0, 3).map((item) => {
    const name = textOf(item);
    return name === undefined ? undefined : { name, at: item.at };
  });
  if (map !== undefined) uses.push({ kind: "mapping", map, keys });
}

/** `"a ${X} ${Y.Arn}"`, or a list of that text and a map of names that hold only inside it. */
function visitSub(argument: Value, uses: AnyUse[], plainConditions: boolean): void {
  const text = argument.kind === "list" ? argument.items[0] : argument;
  const own = argument.kind === "list" ? argument.items[1] : undefined;
  if (own !== undefined) visit(own, uses, plainConditions);
  if (text?.kind !== "literal" || typeof text.value !== "string") return;
  const names = new Set(entriesOf(own).map(({ key }) => key));
  // A map that is itself computed may hold any name.
  if (own !== undefined && own.kind !== "map") return;
  for (const [, inner = ""] of text.value.matchAll(SUB_VARIABLE)) {
    const variable = inner.trim();
    if (names.has(variable)) continue;
    const dot = variable.indexOf(".");
    const isAttribute = dot > 0 && !variable.includes("::");
    uses.push({
      kind: isAttribute ? "attribute" : "ref",
      name: isAttribute ? variable.slice(0, dot) : variable,
      at: text.at,
    });
  }
}
