// The few ways in which most rules look at an attribute, so that a rule is a table of types and paths.
// A value that only a run can tell never counts against a resource.

import { boolOf, find, isOpen, textOf } from "../../value.ts";
import type { Found } from "../../value.ts";
import type { Hit, Patch, ResourceCheck } from "../rule.ts";
import type { Module, Resource } from "./source.ts";

/** Resource type → dotted path of the attribute, or several paths of which each is looked at. */
export type Paths = Readonly<Record<string, string | readonly string[]>>;

/** A check of the given types by a function of the resource. */
export function onTypes(
  types: readonly string[],
  run: (resource: Resource, module: Module) => readonly Hit[],
): ResourceCheck {
  return { on: "resource", types, run };
}

/** Hits when the attribute is absent, null or false; offers `true` in place of a written `false`. */
export function mustBeTrue(paths: Paths): ResourceCheck {
  return eachPath(paths, (found) =>
    found.length === 0 ? [{}] : found.flatMap(hitUnless(true, true)),
  );
}

/** Hits when the attribute is written as false; absent is well. */
export function mustNotBeFalse(paths: Paths): ResourceCheck {
  return eachPath(paths, (found) => found.flatMap(hitUnless(true, false)));
}

/** Hits when the attribute is written as true; absent is well. */
export function mustNotBeTrue(paths: Paths): ResourceCheck {
  return eachPath(paths, (found) => found.flatMap(hitUnless(false, false)));
}

/** Hits when the attribute or block is absent or null. */
export function mustBePresent(paths: Paths): ResourceCheck {
  return eachPath(paths, (found) => (found.some(({ value }) => !isNull(value)) ? [] : [{}]));
}

/** Hits on each literal that `isBad` condemns; lists are looked at item by item. */
export function mustNotHold(paths: Paths, isBad: (text: string) => boolean): ResourceCheck {
  return eachPath(paths, (found) =>
    found.flatMap(({ value, at }) => {
      const text = textOf(value);
      return text !== undefined && isBad(text) ? [{ at, detail: text }] : [];
    }),
  );
}

/** All the checks as one; a resource may be looked at by several. */
export function allOf(...checks: readonly ResourceCheck[]): ResourceCheck {
  const types = [
    ...new Set(checks.flatMap((check) => (check.types === "every" ? [] : check.types))),
  ];
  return onTypes(types, (resource, module) =>
    checks
      .filter((check) => check.types === "every" || check.types.includes(resource.type))
      .flatMap((check) => check.run(resource, module)),
  );
}

/** The literals at a path that are known, with their places. */
export function literalsAt(
  resource: Resource,
  path: string,
): readonly { text: string; found: Found }[] {
  return find(resource.body, path).flatMap((found) => {
    const text = textOf(found.value);
    return text === undefined ? [] : [{ text, found }];
  });
}

/** Puts `newText` in place of a literal, in quotes where the literal has them. */
export function replaceLiteral(found: Found, newText: string): Patch {
  const isText = found.value.kind === "literal" && typeof found.value.value === "string";
  return { span: found.value.at, newText: isText ? JSON.stringify(newText) : newText };
}

function eachPath(paths: Paths, judge: (found: readonly Found[]) => readonly Hit[]): ResourceCheck {
  return onTypes(Object.keys(paths), (resource) => {
    const own = paths[resource.type] ?? [];
    const list = typeof own === "string" ? [own] : own;
    return list.flatMap((path) => judge(find(resource.body, path)));
  });
}

function hitUnless(wanted: boolean, nullIsBad: boolean) {
  return (found: Found): readonly Hit[] => {
    if (isOpen(found.value)) return [];
    const actual = boolOf(found.value);
    if (actual === !wanted) return [{ at: found.at, patch: replaceLiteral(found, String(wanted)) }];
    return actual === undefined && nullIsBad && isNull(found.value) ? [{ at: found.at }] : [];
  };
}

function isNull(value: Found["value"]): boolean {
  return value.kind === "literal" && value.value === null;
}
