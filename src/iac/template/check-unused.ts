// Parameters, conditions and maps that a template declares and never uses.

import type { Report } from "../reporter.ts";
import { member, textOf, walk } from "../value.ts";
import type { Value } from "../value.ts";
import type { Template } from "./parts.ts";
import type { PlacedUse } from "./uses.ts";

export function checkUnused(template: Template, uses: readonly PlacedUse[], report: Report): void {
  if (template.hasUnseenNames) return;
  const named = new Set(
    uses.map(({ use }) =>
      use.kind === "mapping"
        ? `mapping ${use.map.name}`
        : use.kind === "condition"
          ? `condition ${use.name}`
          : `name ${use.name}`,
    ),
  );
  const shown = namesInForms(template);
  const computesMaps = uses.length !== 0 && hasComputedMap(template.root);
  for (const { key, keyAt } of template.parameters)
    if (!named.has(`name ${key}`) && !shown.has(key))
      report("UNUSED", "info", keyAt, `The parameter "${key}" is never used.`);
  for (const { key, keyAt } of template.conditions)
    if (!named.has(`condition ${key}`))
      report("UNUSED", "info", keyAt, `The condition "${key}" is never used.`);
  for (const { key, keyAt } of template.mappings)
    if (!named.has(`mapping ${key}`) && !computesMaps)
      report("UNUSED", "info", keyAt, `The map "${key}" is never used.`);
}

/** ROS: a parameter may only narrow the choices of another one in the console, as `${ZoneId}`. */
function namesInForms({ parameters }: Template): ReadonlySet<string> {
  const names = new Set<string>();
  for (const { value } of parameters) {
    const metadata = member(value, "AssociationPropertyMetadata");
    if (metadata === undefined) continue;
    walk(metadata, (inner) => {
      for (const [, name = ""] of (textOf(inner) ?? "").matchAll(/\$\{(\w+)/g)) names.add(name);
    });
  }
  return names;
}

/** True when some FindInMap computes the name of its map. */
function hasComputedMap(value: Value): boolean {
  if (value.kind === "list") return value.items.some(hasComputedMap);
  if (value.kind === "map") return value.entries.some((entry) => hasComputedMap(entry.value));
  if (value.kind !== "call") return false;
  const first = value.argument.kind === "list" ? value.argument.items[0] : undefined;
  return (
    (value.name === "Fn::FindInMap" && first?.kind !== "literal") || hasComputedMap(value.argument)
  );
}
