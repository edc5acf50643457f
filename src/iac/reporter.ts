// How a check of one document says what it found: the file and the family of codes are said once.

import type { Finding, Severity } from "./findings.ts";
import type { Span } from "./hcl/tree.ts";

/** `report("REF", "error", span, "…")` makes a finding with the code `CFN-REF`. */
export type Report = (code: string, severity: Severity, at: Span, message: string) => void;

/** A report function that adds to `findings`. */
export function reporter(findings: Finding[], file: string, family: "CFN" | "ROS" | "K8S"): Report {
  return (code, severity, { line, column }, message) =>
    findings.push({ file, line, column, severity, code: `${family}-${code}`, message });
}
