// Names in a template: those that resolve to nothing, and circular dependencies between resources.

import { didYouMean } from "../nearest.ts";
import type { Report } from "../reporter.ts";
import { entriesOf } from "../value.ts";
import type { MapEntry } from "../value.ts";
import { cyclesOf } from "./cycles.ts";
import type { TemplateDialect } from "./dialect.ts";
import type { Template } from "./parts.ts";
import type { AnyUse, MappingUse, PlacedUse, Use } from "./uses.ts";

/** Reports a use that resolves to nothing. */
export function checkUse(
  use: AnyUse,
  template: Template,
  dialect: TemplateDialect,
  report: Report,
): void {
  if (template.hasUnseenNames) return;
  if (use.kind === "mapping") return checkMapping(use, template, report);
  if (use.kind === "condition") return checkCondition(use, template, report);
  // ROS numbers the copies of a resource with Count: `Server[0]`.
  const base = use.name.replace(/\[[^\]]*\]$/, "");
  if (use.isIncomplete === true)
    report(
      "REF",
      "error",
      use.at,
      `GetAtt of "${base}" names no attribute, such as "${base}.Arn".`,
    );
  if (isDeclared(base, use, template, dialect)) return;
  const resources = namesOf(template.resources);
  const known = use.kind === "ref" ? [...resources, ...namesOf(template.parameters)] : resources;
  const what = { ref: "Ref", attribute: "GetAtt", depends: "DependsOn" }[use.kind];
  const wanted = use.kind === "ref" ? "parameter or resource" : "resource";
  report(
    "REF",
    "error",
    use.at,
    `${what} names "${base}", but the template declares no ${wanted} of that name.${didYouMean(base, known)}`,
  );
}

function isDeclared(
  name: string,
  { kind }: Use,
  template: Template,
  dialect: TemplateDialect,
): boolean {
  const has = (entries: readonly MapEntry[]) => entries.some(({ key }) => key === name);
  if (has(template.resources) || dialect.isGenerated(name, template.resources)) return true;
  if (kind === "depends") return false;
  // ROS: a local may hold an object, whose parts GetAtt reaches.
  if (has(template.locals)) return true;
  return kind === "ref" && (dialect.pseudoParameters.has(name) || has(template.parameters));
}

function checkCondition({ name, at }: Use, template: Template, report: Report): void {
  const declared = namesOf(template.conditions);
  if (declared.includes(name)) return;
  const hint = didYouMean(name, declared);
  report(
    "CONDITION",
    "error",
    at,
    `The condition "${name}" is not declared under Conditions.${hint}`,
  );
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
