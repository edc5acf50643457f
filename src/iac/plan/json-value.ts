// Attribute values of a plan → the value view that the rules read, so that one set of rules judges code and plans.
// Places are meaningless here: nothing in a plan has a line.

import { isRecord } from "../../lib/json.ts";
import type { Span } from "../hcl/tree.ts";
import type { Module, Resource } from "../rules/engine/source.ts";
import type { Value } from "../value.ts";

const NOWHERE: Span = { start: 0, end: 0, line: 1, column: 1 };
const MAX_DEPTH = 60;

/** What stands for a value that the plan marks as sensitive: it is not looked at, so that nothing can repeat it. */
export const SENSITIVE = "sensitive";

/** The plan's masks mark with `true`, at any depth, what is known only after the apply and what is sensitive. */
export type Masks = { readonly unknown?: unknown; readonly sensitive?: unknown };

export function toValue(json: unknown, masks: Masks, depth = 0): Value {
  if (masks.sensitive === true) return { kind: "unknown", at: NOWHERE, references: [SENSITIVE] };
  if (masks.unknown === true || depth > MAX_DEPTH)
    return { kind: "unknown", at: NOWHERE, references: [] };
  if (Array.isArray(json)) {
    const items = json.map((item, at) => toValue(item, below(masks, at), depth + 1));
    return { kind: "list", at: NOWHERE, items };
  }
  if (isRecord(json) || isRecord(masks.unknown)) {
    const known = isRecord(json) ? json : {};
    const later = isRecord(masks.unknown) ? masks.unknown : {};
    const entries = Object.keys({ ...known, ...later })
      .filter((key) => key in known || later[key] === true)
      .map((key) => ({
        key,
        keyAt: NOWHERE,
        value: toValue(known[key], below(masks, key), depth + 1),
      }));
    return { kind: "map", at: NOWHERE, entries };
  }
  if (typeof json === "string" || typeof json === "number" || typeof json === "boolean")
    return { kind: "literal", at: NOWHERE, value: json };
  return { kind: "literal", at: NOWHERE, value: null };
}

function below({ unknown, sensitive }: Masks, step: string | number): Masks {
  return { unknown: memberOf(unknown, step), sensitive: memberOf(sensitive, step) };
}

function memberOf(mask: unknown, step: string | number): unknown {
  if (Array.isArray(mask) && typeof step === "number") {
    const items: readonly unknown[] = mask;
    return items[step];
  }
  return isRecord(mask) ? mask[step] : undefined;
}

export function toResource(type: string, address: string, body: Value): Resource {
  const source = {
    dialect: "hcl",
    file: "",
    text: "",
    hcl: { body: { attributes: [], blocks: [] }, comments: [], faults: [] },
  } as const;
  return { source, type, name: address, address, at: NOWHERE, body, whole: body };
}

/** A resource of a plan is judged by itself. */
export const ALONE: Module = {
  directory: "",
  dialect: "hcl",
  sources: [],
  resources: [],
  byType: new Map(),
};
