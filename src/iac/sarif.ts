// Findings → SARIF 2.1.0, as code hosts and editors read it. Pure; the caller writes it out.
// https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html

import type { Finding, Severity } from "./findings.ts";
import type { JsonObject } from "../lib/json.ts";
import { allRules } from "./rules/all.ts";
import type { Rule } from "./rules/rule.ts";

export type SarifOptions = {
  /** The version of iac-code, as in `--version`. */
  readonly toolVersion: string;
};

const SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json";
const LEVELS: Readonly<Record<Severity, string>> = {
  error: "error",
  warning: "warning",
  info: "note",
};

/** One run with the rules that the findings name, each described once. */
export function toSarif(findings: readonly Finding[], { toolVersion }: SarifOptions): JsonObject {
  const codes = [...new Set(findings.map(({ code }) => code))].toSorted();
  const ruleOf = new Map(allRules.map((rule) => [String(rule.id), rule]));
  return {
    $schema: SCHEMA,
    version: "2.1.0",
    runs: [
      {
        tool: {
          driver: {
            name: "iac-code",
            version: toolVersion,
            rules: codes.map((code) => descriptorOf(code, ruleOf.get(code), findings)),
          },
        },
        // Columns count as in our findings, from 1 in UTF-16 units.
        columnKind: "utf16CodeUnits",
        originalUriBaseIds: { PROJECTROOT: { description: { text: "The project's root." } } },
        results: findings.map((finding) => resultOf(finding, codes.indexOf(finding.code))),
      },
    ],
  };
}

/** Checks and external tools have no rule file; their level is that of their first finding. */
function descriptorOf(
  code: string,
  rule: Rule | undefined,
  findings: readonly Finding[],
): JsonObject {
  if (rule !== undefined) {
    return {
      id: code,
      shortDescription: { text: `${rule.title}.` },
      fullDescription: { text: rule.why },
      help: { text: rule.fix, markdown: `${rule.why}\n\n**Fix:** ${rule.fix}` },
      defaultConfiguration: { level: LEVELS[rule.severity] },
      properties: { tags: ["security"] },
    };
  }
  const first = findings.find((finding) => finding.code === code);
  return {
    id: code,
    defaultConfiguration: { level: LEVELS[first?.severity ?? "warning"] },
  };
}

function resultOf(finding: Finding, ruleIndex: number): JsonObject {
  return {
    ruleId: finding.code,
    ruleIndex,
    level: LEVELS[finding.severity],
    message: { text: finding.message },
    locations: [
      {
        physicalLocation: {
          artifactLocation: { uri: uriOf(finding.file), uriBaseId: "PROJECTROOT" },
          region: {
            startLine: Math.max(finding.line, 1),
            startColumn: Math.max(finding.column, 1),
          },
        },
      },
    ],
  };
}

/** A relative URI: each part of the path encoded, so that `#`, `%` and blanks survive. */
function uriOf(file: string): string {
  return file.split("/").map(encodeURIComponent).join("/");
}
