// What both CloudFormation and ROS would refuse, or silently ignore, in a template that parses:
// names that resolve to nothing, circular dependencies, declarations without their required parts.

import type { Finding, Severity } from "../findings.ts";
import type { Span } from "../hcl/tree.ts";
import { didYouMean } from "../nearest.ts";
import { entriesOf, member, textOf, walk } from "../value.ts";
import type { MapEntry, Value } from "../value.ts";
import { cyclesOf } from "./cycles.ts";
import type { TemplateDialect } from "./dialect.ts";
import { sectionAt, templateOf } from "./parts.ts";
import type { Template } from "./parts.ts";
import { headerUses, usesOf } from "./uses.ts";
import type { AnyUse, MappingUse } from "./uses.ts";

type Report = (code: string, severity: Severity, at: Span, message: string) => void;

/** A use with the resource it stands in; outside of resources `from` is undefined. */
type PlacedUse = { readonly use: AnyUse; readonly from: string | undefined };

export function checkTemplate(root: Value, file: string, dialect: TemplateDialect): Finding[] {
  const findings: Finding[] = [];
  const report: Report = (code, severity, at, message) =>
    findings.push({
      file,
      line: at.line,
      column: at.column,
      severity,
      code: `${dialect.code}-${code}`,
      message,
    });
  const template = templateOf(root);
  const uses = placedUses(template, dialect);
  checkSections(template, dialect, report);
  checkResources(template, report);
  checkParameters(template, report);
  checkOutputs(template, report);
  for (const { use } of uses) checkUse(use, template, dialect, report);
  checkUnused(template, uses, report);
  checkCycles(template, uses, report);
  return findings;
}

function placedUses(template: Template, dialect: TemplateDialect): readonly PlacedUse[] {
  const placed: PlacedUse[] = [];
  for (const { key, value } of template.resources)
    for (const use of [...headerUses(value), ...usesOf(value)]) placed.push({ use, from: key });
  for (const { value } of template.outputs)
    for (const use of [...headerUses(value), ...usesOf(value)])
      if (use.kind !== "depends") placed.push({ use, from: undefined });
  const elsewhere = entriesOf(template.root).filter(
    ({ key }) => key !== "Resources" && key !== "Outputs" && key !== "Metadata",
  );
  for (const { key, value } of elsewhere)
    for (const use of usesOf(value, key === "Conditions" && dialect.namesConditionsPlainly))
      placed.push({ use, from: undefined });
  return placed;
}

function checkSections(template: Template, dialect: TemplateDialect, report: Report): void {
  for (const { key, keyAt } of entriesOf(template.root)) {
    if (dialect.sections.has(key)) continue;
    const known = [...dialect.sections].join(", ");
    report(
      "SECTION",
      "error",
      keyAt,
      `"${key}" is no section of a ${dialect.title} template. Sections are ${known}.`,
    );
  }
  if (template.resources.length > 0 || template.transforms.length > 0) return;
  if (dialect.code === "ROS" && member(template.root, "Workspace") !== undefined) return;
  report(
    "SECTION",
    "error",
    sectionAt(template, "Resources"),
    "The template declares no resources. Add them under Resources.",
  );
}

function checkResources(template: Template, report: Report): void {
  for (const { key, keyAt, value } of template.resources) {
    if (key.startsWith("Fn::")) continue;
    if (!/^[A-Za-z0-9_-]+$/.test(key))
      report("NAME", "error", keyAt, `The logical id "${key}" may hold letters and digits only.`);
    if (value.kind === "call" || textOf(member(value, "Type")) !== undefined) continue;
    report(
      "TYPE",
      "error",
      keyAt,
      `The resource "${key}" has no Type. Add one, such as Type: AWS::S3::Bucket or ALIYUN::OSS::Bucket.`,
    );
  }
}

function checkParameters(template: Template, report: Report): void {
  for (const { key, keyAt, value } of template.parameters) {
    const type = textOf(member(value, "Type"));
    if (type === undefined)
      report(
        "PARAM",
        "error",
        keyAt,
        `The parameter "${key}" has no Type. Add Type: String, Number or another.`,
      );
    const standard = member(value, "Default");
    const allowed = member(value, "AllowedValues");
    if (standard === undefined || allowed?.kind !== "list") continue;
    const values = allowed.items.map(textOf);
    const chosen = textOf(standard);
    // A list parameter holds its default as one comma-separated text.
    const parts = /List|CommaDelimited/i.test(type ?? "")
      ? (chosen ?? "").split(/\s*,\s*/)
      : [chosen];
    if (values.includes(undefined) || parts.every((part) => values.includes(part))) continue;
    report(
      "PARAM",
      "error",
      standard.at,
      `The default "${chosen ?? ""}" of parameter "${key}" is not in its AllowedValues (${values.join(", ")}).`,
    );
  }
}

function checkOutputs(template: Template, report: Report): void {
  for (const { key, keyAt, value } of template.outputs) {
    if (key.startsWith("Fn::") || value.kind !== "map" || member(value, "Value") !== undefined)
      continue;
    report("OUTPUT", "error", keyAt, `The output "${key}" has no Value.`);
  }
}

function checkUse(use: AnyUse, template: Template, dialect: TemplateDialect, report: Report): void {
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

function checkUnused(template: Template, uses: readonly PlacedUse[], report: Report): void {
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
    for (const each of walk(metadata))
      for (const [, name = ""] of (textOf(each.value) ?? "").matchAll(/\$\{(\w+)/g))
        names.add(name);
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

function checkCycles(template: Template, uses: readonly PlacedUse[], report: Report): void {
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
