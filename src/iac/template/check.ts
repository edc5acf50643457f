// What both CloudFormation and ROS would refuse, or silently ignore, in a template that parses.
// Here: sections, and declarations without their required parts. Names are in check-names.ts and check-unused.ts.

import type { Finding } from "../findings.ts";
import { reporter } from "../reporter.ts";
import type { Report } from "../reporter.ts";
import { entriesOf, member, textOf } from "../value.ts";
import type { Value } from "../value.ts";
import { checkCycles, checkUse } from "./check-names.ts";
import { checkUnused } from "./check-unused.ts";
import type { TemplateDialect } from "./dialect.ts";
import { sectionAt, templateOf } from "./parts.ts";
import type { Template } from "./parts.ts";
import { headerUses, usesOf } from "./uses.ts";
import type { PlacedUse } from "./uses.ts";

/** Checks one template; pure. */
export function checkTemplate(root: Value, file: string, dialect: TemplateDialect): Finding[] {
  const findings: Finding[] = [];
  const report = reporter(findings, file, dialect.code);
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
    if (textOf(member(value, "Type")) === undefined)
      report(
        "PARAM",
        "error",
        keyAt,
        `The parameter "${key}" has no Type. Add Type: String, Number or another.`,
      );
    checkDefault(key, value, report);
  }
}

function checkDefault(name: string, parameter: Value, report: Report): void {
  const standard = member(parameter, "Default");
  const allowed = member(parameter, "AllowedValues");
  if (standard === undefined || allowed?.kind !== "list") return;
  const values = allowed.items.map(textOf);
  const chosen = textOf(standard) ?? "";
  // A list parameter holds its default as one comma-separated text.
  const isList = /List|CommaDelimited/i.test(textOf(member(parameter, "Type")) ?? "");
  const parts = isList ? chosen.split(/\s*,\s*/) : [chosen];
  if (values.includes(undefined) || parts.every((part) => values.includes(part))) return;
  // The values of a NoEcho parameter are secrets: only their disagreement is told.
  const isSecret = member(parameter, "NoEcho") !== undefined;
  const what = isSecret ? "The default" : `The default "${chosen}"`;
  const among = isSecret ? "" : ` (${values.join(", ")})`;
  report(
    "PARAM",
    "error",
    standard.at,
    `${what} of parameter "${name}" is not in its AllowedValues${among}.`,
  );
}

function checkOutputs(template: Template, report: Report): void {
  for (const { key, keyAt, value } of template.outputs) {
    if (key.startsWith("Fn::") || value.kind !== "map" || member(value, "Value") !== undefined)
      continue;
    report("OUTPUT", "error", keyAt, `The output "${key}" has no Value.`);
  }
}
