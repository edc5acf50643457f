// One shape for everything that a check, a rule or an external tool has to say about a file.

export type Severity = "error" | "warning" | "info";

/** A safe textual change: `oldText` stands exactly once in the file. */
export type Fix = { readonly title: string; readonly oldText: string; readonly newText: string };

export type Finding = {
  /** Relative to the project's root, with forward slashes. */
  readonly file: string;
  /** From 1. */
  readonly line: number;
  /** From 1, in UTF-16 units. */
  readonly column: number;
  readonly severity: Severity;
  /** `IAC-AWS-001` for built-in rules, `HCL-…`, `CFN-…`, `ROS-…`, `K8S-…` for checks, `tflint:…` and the like for tools. */
  readonly code: string;
  readonly message: string;
  readonly fix?: Fix;
};

const ORDER: Readonly<Record<Severity, number>> = { error: 0, warning: 1, info: 2 };

/** By file, then line, column, severity and code. */
export function sortFindings(findings: readonly Finding[]): Finding[] {
  return findings.toSorted(
    (a, b) =>
      (a.file < b.file ? -1 : a.file > b.file ? 1 : 0) ||
      a.line - b.line ||
      a.column - b.column ||
      ORDER[a.severity] - ORDER[b.severity] ||
      (a.code < b.code ? -1 : a.code > b.code ? 1 : 0),
  );
}

/** `main.tf:12:3 error HCL-REF undeclared variable "x"`: one line, as models and people read it. */
export function formatFinding(finding: Finding): string {
  const { file, line, column, severity, code, message } = finding;
  return `${file}:${line}:${column} ${severity} ${code} ${message}`;
}
