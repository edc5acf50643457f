// docs/rules.md from the rules themselves. `bun test/support/rule-docs.ts` writes it; a test says when it is old.

import { join } from "node:path";
import { allRules } from "../../src/iac/rules/all.ts";
import type { Rule } from "../../src/iac/rules/rule.ts";
import { fence } from "../../src/lib/text.ts";

export const RULE_DOCS_PATH = join(import.meta.dir, "..", "..", "docs", "rules.md");

const GROUPS = [
  ["AWS", "AWS"],
  ["ALI", "Alibaba Cloud"],
  ["AZ", "Azure"],
  ["GCP", "Google Cloud"],
  ["K8S", "Kubernetes"],
  ["GEN", "Every cloud"],
] as const;
const TITLES = {
  hcl: "Terraform",
  cloudformation: "CloudFormation",
  ros: "ROS",
  kubernetes: "Kubernetes",
} as const;
const LANGUAGES = { hcl: "hcl", cloudformation: "yaml", ros: "yaml", kubernetes: "yaml" } as const;

/** The whole page, rules by group and number. */
export function renderRuleDocs(): string {
  const sorted = allRules.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const groups = GROUPS.map(([key, title]) => {
    const rules = sorted.filter(({ id }) => id.startsWith(`IAC-${key}-`));
    return `## ${title}\n\n${tableOf(rules)}\n\n${rules.map(sectionOf).join("\n")}`;
  });
  return [
    "# Rules",
    "",
    "<!-- Made by `bun test/support/rule-docs.ts` from src/iac/rules; edit the rules, not this page. -->",
    "",
    `The ${sorted.length} built-in rules of \`iac_validate\` and \`iac-code review\`. A value that only a run can tell never counts against a resource.`,
    "`# iac-code:ignore IAC-AWS-001 reason` on a line, or on a line of its own above, silences that rule there; silenced findings are counted.",
    "In the examples `# BAD` marks the lines that are found.",
    "",
    groups.join("\n"),
  ].join("\n");
}

function tableOf(rules: readonly Rule[]): string {
  const rows = rules.map(
    (rule) => `| [${rule.id}](#${rule.id.toLowerCase()}) | ${rule.severity} | ${rule.title} |`,
  );
  return ["| rule | severity | finds |", "|---|---|---|", ...rows].join("\n");
}

function sectionOf({ id, title, severity, why, fix, examples }: Rule): string {
  const dialects = [...new Set(examples.map(({ dialect }) => TITLES[dialect]))].join(", ");
  const [first] = examples;
  const language = first === undefined ? "" : LANGUAGES[first.dialect];
  return [
    `### ${id}`,
    "",
    `**${title}** (${severity}; ${dialects})`,
    "",
    why,
    "",
    `Fix: ${fix}`,
    "",
    fence(first?.failing ?? "", language),
    "",
    "Passes:",
    "",
    fence(first?.passing ?? "", language),
    "",
  ].join("\n");
}

if (import.meta.main) await Bun.write(RULE_DOCS_PATH, renderRuleDocs());
