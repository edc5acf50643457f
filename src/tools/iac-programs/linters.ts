// Linters that print JSON: cfn-lint, tflint, kubeconform, ansible-lint. Each runs where it is installed and has files.

import { join } from "node:path";
import { z } from "zod";
import type { Finding, Severity } from "../../iac/findings.ts";
import type { OtherKind } from "../../iac/map/project-index.ts";
import { parseJson } from "../../lib/json.ts";
import { ownCodeOf } from "./own-code.ts";
import {
  failure,
  findProgram,
  leftOut,
  NOTHING,
  runProgram,
  toProjectPath,
  type Program,
  type ProgramOutput,
  type ProgramProject,
} from "./program.ts";

/** Files of one run: an argument list must stay far below the system's limit. */
const MAX_FILES = 500;

/** One run of a linter: where, and with which arguments. */
type Run = { readonly directory: string; readonly args: readonly string[] };
type Runs = {
  readonly runs: readonly Run[];
  /** Files or modules over the limit. */ readonly left: number;
};
type Linter = {
  readonly name: string;
  /** What stays unchecked without it. */
  readonly subject: string;
  readonly plan: (project: ProgramProject) => Runs;
  /** `undefined`: its output is no result. */
  readonly parse: (output: ProgramOutput) => readonly Finding[] | undefined;
};

/** Makes a program of a linter: looked up, run, its paths made relative to the project. */
export function programOf({ name, subject, plan, parse }: Linter): Program {
  return async (project) => {
    const { runs: planned, left } = plan(project);
    if (planned.length === 0) return NOTHING;
    const binary = findProgram(name, project.env);
    if (binary === undefined)
      return { ...NOTHING, notChecked: [`${subject}: ${name} is not installed`] };
    const findings: Finding[] = [];
    let hasRun = false;
    const notChecked = left > 0 ? [leftOut(left, name)] : [];
    for (const { directory, args } of planned) {
      const cwd = join(project.root, directory);
      const ownCode = await ownCodeOf(name, cwd);
      if (ownCode !== undefined) {
        notChecked.push(ownCode);
        continue;
      }
      hasRun = true;
      const output = await runProgram([binary, ...args], cwd, project);
      const found = typeof output === "string" ? undefined : parse(output);
      if (found === undefined)
        notChecked.push(typeof output === "string" ? output : failure(name, output));
      else
        findings.push(
          ...found.map((each) => ({
            ...each,
            file: toProjectPath(project.root, directory, each.file),
          })),
        );
    }
    return { ran: hasRun ? [name] : [], findings, notChecked };
  };
}

function filesOf({ index }: ProgramProject, kinds: readonly OtherKind[]): string[] {
  // A name that begins with a dash would be an option.
  return index.others.filter(({ kind }) => kinds.includes(kind)).map(({ path }) => `./${path}`);
}

const oneRun = (args: readonly string[], files: readonly string[]): Runs => ({
  runs:
    files.length === 0 ? [] : [{ directory: "", args: [...args, ...files.slice(0, MAX_FILES)] }],
  left: files.length - MAX_FILES,
});

const SEVERITIES: Readonly<Record<string, Severity>> = {
  error: "error",
  critical: "error",
  blocker: "error",
  major: "error",
  high: "error",
  warning: "warning",
  minor: "warning",
  medium: "warning",
};

/** Any scale of any linter; what is not known is information. */
export function toSeverity(word: string): Severity {
  return SEVERITIES[word.toLowerCase()] ?? "info";
}

const cfnLintOutput = z.array(
  z.object({
    Filename: z.string(),
    Level: z.string(),
    Message: z.string(),
    Rule: z.object({ Id: z.string() }),
    Location: z.object({ Start: z.object({ LineNumber: z.number(), ColumnNumber: z.number() }) }),
  }),
);
/** Exit status is a sum: 2 errors, 4 warnings, 8 information; anything else means that it failed itself. */
const CFN_LINT_RESULT_BITS = 2 | 4 | 8;

export const cfnLint: Linter = {
  name: "cfn-lint",
  subject: "resource properties of CloudFormation templates",
  plan: (project) =>
    oneRun(["--format", "json", "--"], filesOf(project, ["cloudformation", "sam"])),
  parse: ({ exitCode, stdout }) => {
    if ((exitCode & ~CFN_LINT_RESULT_BITS) !== 0) return undefined;
    return cfnLintOutput
      .safeParse(parseJson(stdout))
      .data?.map(({ Filename, Level, Message, Rule, Location }) => ({
        file: Filename,
        line: Location.Start.LineNumber,
        column: Location.Start.ColumnNumber,
        severity: toSeverity(Level),
        code: `cfn-lint:${Rule.Id}`,
        message: Message,
      }));
  },
};

const tflintOutput = z.object({
  issues: z.array(
    z.object({
      rule: z.object({ name: z.string(), severity: z.string() }),
      message: z.string(),
      range: z.object({
        filename: z.string(),
        start: z.object({ line: z.number(), column: z.number() }),
      }),
    }),
  ),
});
const MAX_TFLINT_MODULES = 50;

export const tflint: Linter = {
  name: "tflint",
  subject: "provider rules of Terraform modules",
  plan: ({ index }) => {
    const directories = index.modules
      .filter(({ files }) => files.some(({ role }) => role === "module"))
      .map(({ directory }) => directory);
    return {
      runs: directories
        .slice(0, MAX_TFLINT_MODULES)
        .map((directory) => ({ directory, args: ["--format=json", "--force"] })),
      left: directories.length - MAX_TFLINT_MODULES,
    };
  },
  parse: ({ stdout }) =>
    tflintOutput.safeParse(parseJson(stdout)).data?.issues.map(({ rule, message, range }) => ({
      file: range.filename,
      line: range.start.line,
      column: range.start.column,
      severity: toSeverity(rule.severity),
      code: `tflint:${rule.name}`,
      message,
    })),
};

const kubeconformOutput = z.object({
  resources: z
    .array(
      z.object({
        filename: z.string(),
        kind: z.string().optional(),
        name: z.string().optional(),
        status: z.string(),
        msg: z.string(),
      }),
    )
    .nullish(),
});

export const kubeconform: Linter = {
  name: "kubeconform",
  subject: "fields of Kubernetes manifests",
  plan: (project) =>
    oneRun(["-output", "json", "-ignore-missing-schemas"], filesOf(project, ["kubernetes"])),
  parse: ({ stdout }) => {
    const parsed = kubeconformOutput.safeParse(parseJson(stdout));
    if (!parsed.success) return undefined;
    return (parsed.data.resources ?? [])
      .filter(({ status }) => status === "statusInvalid" || status === "statusError")
      .map(({ filename, kind, name, msg }) => ({
        file: filename,
        line: 1,
        column: 1,
        severity: "error",
        code: "kubeconform:schema",
        message: `${kind ?? "document"} ${name ?? ""}: ${msg}`.replaceAll(/\s+/g, " "),
      }));
  },
};

const ansibleLintOutput = z.array(
  z.object({
    check_name: z.string(),
    description: z.string(),
    severity: z.string(),
    location: z.object({
      path: z.string(),
      lines: z.object({ begin: z.number() }).optional(),
      positions: z.object({ begin: z.object({ line: z.number(), column: z.number() }) }).optional(),
    }),
  }),
);

export const ansibleLint: Linter = {
  name: "ansible-lint",
  subject: "Ansible playbooks",
  plan: (project) =>
    oneRun(["--offline", "--nocolor", "-f", "json", "--"], filesOf(project, ["ansible"])),
  parse: ({ stdout }) =>
    ansibleLintOutput
      .safeParse(parseJson(stdout))
      .data?.map(({ check_name, description, severity, location }) => ({
        file: location.path,
        line: location.lines?.begin ?? location.positions?.begin.line ?? 1,
        column: location.positions?.begin.column ?? 1,
        severity: toSeverity(severity),
        code: `ansible-lint:${check_name}`,
        message: description,
      })),
};
