// The offline reviewer's words about findings: only what the user's own iac_validate call was allowed to tell.

import { type Finding, formatFinding } from "../iac/findings.ts";
import { count } from "../lib/text.ts";

/** Findings named one by one; the rest are counted. */
const MAX_NAMED = 60;
const NOUNS = { error: "error", warning: "warning", info: "note" } as const;

const placeOf = ({ file, line, column, severity, code }: Finding): string =>
  `${file}:${line}:${column} ${severity} ${code} `;

/** Those that a result of iac_validate names: a deny rule may have kept files from it. */
export function toldIn(result: string, findings: readonly Finding[]): readonly Finding[] {
  return findings.filter((finding) => result.includes(`\n${placeOf(finding)}`));
}

/** `2 errors and 1 note`; only what is there. */
export function tally(findings: readonly Finding[]): string {
  const parts = (["error", "warning", "info"] as const).flatMap((severity) => {
    const n = findings.filter((finding) => finding.severity === severity).length;
    return n === 0 ? [] : [count(n, NOUNS[severity])];
  });
  const last = parts.pop() ?? "nothing";
  return parts.length === 0 ? last : `${parts.join(", ")} and ${last}`;
}

export function describe(findings: readonly Finding[], notChecked: readonly string[]): string {
  const unchecked = notChecked.map((one) => `- Not checked: ${one}`);
  if (findings.length === 0)
    return `I found nothing wrong.${unchecked.length === 0 ? "" : `\n\n${unchecked.join("\n")}`}\n`;
  const rows = findings.slice(0, MAX_NAMED).map((finding) => `- ${formatFinding(finding)}`);
  const more = findings.length > MAX_NAMED ? [`- … and ${findings.length - MAX_NAMED} more`] : [];
  return `I found ${tally(findings)}:\n\n${[...rows, ...more, ...unchecked].join("\n")}\n`;
}
