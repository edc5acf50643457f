// Names in a template: those that resolve to nothing, and circular dependencies between resources.

import { didYouMean } from "../nearest.ts";
import type { Report } from "../reporter.ts";
import { entriesOf } from "../value.ts";
import type { MapEntry } from "../value.ts";
import { cyclesOf } from "./cycles.ts";
import type { TemplateDialect } from "./dialect.ts";
import type { Template } from "./parts.ts";
import type { AnyUse, MappingUse, PlacedUse } from "./uses.ts";

export function checkUse(
  use: AnyUse,
  template: Template,
  dialect: TemplateDialect,
  report: Report,
): void {
  if (template.hasUnseenNames) return;
  if (use.kind === "mapping") return checkMapping(use, template, report);
  const name = use.name;
  if (use.kind === "condition") {
    if (!template.conditions.some(({ key }) => key === name))
      report(
        "CONDITION",
        "error",
        use.at,
        `The condition "${name}" is not declared under Conditions.${didYouMean(
          name,
          template.conditions.map(({ key }) => key),
        )}`,
      );
    return;
  }
  // ROS numbers the copies of a resource with Count: `Server[0]`.
  const base = name.replace(/\[[^\]]*\]$/, "");
  const resources = template.resources.map(({ key }) => key);
  if (resources.includes(base) || dialect.isGenerated(base, template.resources)) return;
  if (use.kind === "ref" && (dialect.pseudoParameters.has(base) || isParameter(base, template)))
    return;
  if (use.kind === "attribute" && template.locals.some(({ key }) => key === base)) return;
  const declared =
    use.kind === "ref" ? [...resources, ...template.parameters.map(({ key }) => key)] : resources;
  const what = { ref: "Ref", attribute: "GetAtt", depends: "DependsOn" }[use.kind];
  const wanted = use.kind === "ref" ? "parameter or resource" : "resource";
  report(
    "REF",
    "error",
    use.at,
    `${what} names "${base}", but the template declares no ${wanted} of that name.${didYouMean(base, declared)}`,
  );
}

function isParameter(name: string, template: Template): boolean {
  return [...template.parameters, ...template.locals].some(({ key }) => key === name);
}

function checkMapping({ map, keys }: MappingUse, template: Template, report: Report): void {
  const mapping = template.mappings.find(({ key }) => key === map.name);
  if (mapping === undefined) {
    const hint = didYouMean(map.name, namesOf(template.mappings));
    report(
      "MAPPING",
      "error",
      map.at,
      `FindInMap names "${map.name}", but Mappings has no such map.${hint}`,
    );
    return;
  }
  const rows = entriesOf(mapping.value);
  // A map filled by Fn::Transform is not known here.
  if (rows.length === 0) return;
  const [first, second] = keys;
  const row = rows.find(({ key }) => key === first?.name);
  if (first !== undefined && row === undefined) {
    const hint = didYouMean(first.name, namesOf(rows));
    report(
      "MAPPING",
      "error",
      first.at,
      `The map "${map.name}" has no key "${first.name}".${hint}`,
    );
    return;
  }
  if (second === undefined) return;
  const columns = (row === undefined ? rows : [row]).map(({ value }) => namesOf(entriesOf(value)));
  if (columns.some((names) => names.includes(second.name))) return;
  const hint = didYouMean(second.name, columns.flat());
  report(
    "MAPPING",
    "error",
    second.at,
    `The map "${map.name}" has no second-level key "${second.name}".${hint}`,
  );
}

function namesOf(entries: readonly MapEntry[]): string[] {
  return entries.map(({ key }) => key);
}

export function checkCycles(template: Template, uses: readonly PlacedUse[], report: Report): void {
  const edges = new Map<string, Set<string>>();
  // The SAM transform rewrites references between its own resources, so only explicit ones count there.
  const isSam = (name: string) =>
    template.types.get(name)?.startsWith("AWS::Serverless::") === true;
  for (const { use, from } of uses) {
    if (from === undefined || use.kind === "mapping" || use.kind === "condition") continue;
    if (use.kind !== "depends" && (isSam(from) || isSam(use.name))) continue;
    if (!template.types.has(use.name)) continue;
    edges.set(from, (edges.get(from) ?? new Set()).add(use.name));
  }
  for (const cycle of cyclesOf(edges)) {
    const [first = ""] = cycle;
    const at = template.resources.find(({ key }) => key === first)?.keyAt ?? template.root.at;
    report(
      "CYCLE",
      "error",
      at,
      `Circular dependency: ${[...cycle, first].join(" → ")}. Remove one DependsOn or reference.`,
    );
  }
}
