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
 * Every value at a dotted path. Lists on the way are entered; a value on the way that is not known stands for
 * whatever would be below it. An empty answer means that the path is certainly absent.
 */
export function find(value: Value | undefined, path: string): readonly Found[] {
  if (value === undefined) return [];
  let found: readonly Found[] = [{ value, at: value.at }];
  for (const step of path.split(".")) found = found.flatMap((from) => below(from, step));
  return found.flatMap((each) => (each.value.kind === "list" ? itemsOf(each) : [each]));
}

/** Like `find`, but a list at the end of the path stays one value. */
export function findWhole(value: Value | undefined, path: string): readonly Found[] {
  if (value === undefined) return [];
  let found: readonly Found[] = [{ value, at: value.at }];
  for (const step of path.split(".")) found = found.flatMap((from) => below(from, step));
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

/** Every value inside, itself first, depth first, with the key it stands under. */
export function* walk(value: Value, key = ""): Generator<Found & { readonly key: string }> {
  yield { value, at: value.at, key };
  if (value.kind === "list") for (const item of value.items) yield* walk(item, key);
  if (value.kind === "map") for (const entry of value.entries) yield* walk(entry.value, entry.key);
  if (value.kind === "call") yield* walk(value.argument, key);
}

function below(from: Found, step: string): readonly Found[] {
  const { value } = from;
  if (isOpen(value)) return [from];
  if (value.kind === "list") return itemsOf(from).flatMap((item) => below(item, step));
  if (value.kind !== "map") return [];
  return value.entries
    .filter((entry) => entry.key === step)
    .map((entry) => ({ value: entry.value, at: entry.keyAt }));
}

/** Items point at themselves, except on the line of their key, where the key reads better. */
function itemsOf(list: Found): readonly Found[] {
  if (list.value.kind !== "list") return [];
  return list.value.items.flatMap((item) => {
    const each = { value: item, at: item.at.line === list.at.line ? list.at : item.at };
    return item.kind === "list" ? itemsOf(each) : [each];
  });
}
