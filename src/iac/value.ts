// One view of a value for every dialect: HCL expressions and blocks, YAML and JSON nodes all become this.
// What is only known at run time stays `unknown` or `call`, so that no check guesses at it.

import type { Span } from "./hcl/tree.ts";

type Scalar = string | number | boolean | null;

export type MapEntry = { readonly key: string; readonly keyAt: Span; readonly value: Value };

export type Value =
  | { readonly kind: "literal"; readonly at: Span; readonly value: Scalar }
  | { readonly kind: "list"; readonly at: Span; readonly items: readonly Value[] }
  /** A key may repeat: nested HCL blocks of one name are entries of that name. */
  | { readonly kind: "map"; readonly at: Span; readonly entries: readonly MapEntry[] }
  /** A CloudFormation or ROS function by its long name: `Ref`, `Condition`, `Fn::GetAtt`. */
  | { readonly kind: "call"; readonly at: Span; readonly name: string; readonly argument: Value }
  /** An HCL expression; `references` are dotted, as `aws_s3_bucket.logs.id`. */
  | { readonly kind: "unknown"; readonly at: Span; readonly references: readonly string[] };

/** A value that was found, with the place to point at: its key where it has one. */
export type Found = { readonly value: Value; readonly at: Span };

/**
 * Every value at a dotted path. Lists on the way and at the end are entered, and so are the branches of an `Fn::If` that are
 * lists or maps; a value on the way that is not known stands for whatever would be below it. An empty answer means that the path is certainly absent.
 */
export function find(value: Value | undefined, path: string): readonly Found[] {
  const found: Found[] = [];
  if (value !== undefined) collect({ value, at: value.at }, path.split("."), 0, found, false);
  return found;
}

/** Like `find`, but a list at the end of the path stays one value. */
export function findWhole(value: Value | undefined, path: string): readonly Found[] {
  const found: Found[] = [];
  if (value !== undefined) collect({ value, at: value.at }, path.split("."), 0, found, true);
  return found;
}

/** The first value of a key in a map. */
export function member(value: Value | undefined, key: string): Value | undefined {
  return value?.kind === "map"
    ? value.entries.find((entry) => entry.key === key)?.value
    : undefined;
}

/** The entries of a map; of anything else, none. */
export function entriesOf(value: Value | undefined): readonly MapEntry[] {
  return value?.kind === "map" ? value.entries : [];
}

/** A literal as text: `"x"`, `1` and `true` alike; `undefined` for null and for what is not literal. */
export function textOf(value: Value | undefined): string | undefined {
  if (value?.kind !== "literal" || value.value === null) return undefined;
  return String(value.value);
}

/** True and false also as text, as templates often hold them; `undefined` when it is neither. */
export function boolOf(value: Value | undefined): boolean | undefined {
  const text = textOf(value)?.toLowerCase();
  return text === "true" ? true : text === "false" ? false : undefined;
}

/** A number, also one written as text; `undefined` when it is none. */
export function numberOf(value: Value | undefined): number | undefined {
  const text = textOf(value);
  if (text === undefined || text.trim() === "") return undefined;
  const number = Number(text);
  return Number.isNaN(number) ? undefined : number;
}

/** True when only a run can tell the value. */
export function isOpen(value: Value): boolean {
  return value.kind === "unknown" || value.kind === "call";
}

/** Visits every value inside, itself first, depth first. */
export function walk(value: Value, visit: (value: Value) => void): void {
  visit(value);
  if (value.kind === "list") for (const item of value.items) walk(item, visit);
  if (value.kind === "map") for (const entry of value.entries) walk(entry.value, visit);
  if (value.kind === "call") walk(value.argument, visit);
}

/**
 * What an `Fn::If` puts into the template, where that is a list or a map: each is wrong by itself. A choice between plain
 * values (`!If [IsProd, true, false]`) is a decision somebody took, and so is leaving a property out: both stay unknown.
 */
function branchesOf(value: Value): readonly Value[] | undefined {
  if (value.kind !== "call" || value.name !== "Fn::If" || value.argument.kind !== "list")
    return undefined;
  const branches = value.argument.items.slice(1, 3);
  if (!branches.some(isStructure)) return undefined;
  return branches.map((branch) =>
    isStructure(branch) || isOpen(branch)
      ? branch
      : { kind: "unknown", at: branch.at, references: [] },
  );
}

const isStructure = ({ kind }: Value): boolean => kind === "list" || kind === "map";

/** Filled in place: this runs for every attribute that any rule looks at. */
function collect(
  from: Found,
  steps: readonly string[],
  index: number,
  found: Found[],
  isWhole: boolean,
): void {
  const { value, at } = from;
  const branches = branchesOf(value);
  if (branches !== undefined) {
    for (const branch of branches)
      collect({ value: branch, at: branch.at }, steps, index, found, isWhole);
    return;
  }
  const isEnd = index === steps.length;
  if (value.kind === "list" && !(isEnd && isWhole)) {
    for (const item of value.items)
      // Items point at themselves, except on the line of their key, where the key reads better.
      collect(
        { value: item, at: item.at.line === at.line ? at : item.at },
        steps,
        index,
        found,
        isWhole,
      );
    return;
  }
  if (isEnd || isOpen(value)) {
    found.push(from);
    return;
  }
  if (value.kind !== "map") return;
  for (const entry of value.entries)
    if (entry.key === steps[index])
      collect({ value: entry.value, at: entry.keyAt }, steps, index + 1, found, isWhole);
}
