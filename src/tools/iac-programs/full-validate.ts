// The level `full`: the fast checks, then every program that is installed and has something to look at, merged.

import { sortFindings, type Finding } from "../../iac/findings.ts";
import type { ProjectIndex } from "../../iac/map/project-index.ts";
import { fastValidate, type FastOptions, type FastReport } from "../../iac/validate.ts";
import { ansibleLint, cfnLint, kubeconform, programOf, tflint } from "./linters.ts";
import type { Program, ProgramProject } from "./program.ts";
import { checkov, scannerProgram, trivy } from "./scanners.ts";
import { terraform } from "./terraform.ts";

const PROGRAMS: readonly Program[] = [
  terraform,
  ...[cfnLint, tflint, kubeconform, ansibleLint].map(programOf),
  ...[checkov, trivy].map(scannerProgram),
];

export type FullReport = FastReport & {
  /** The programs that ran. */
  readonly ran: readonly string[];
};

/** Rejects only when the signal aborts; a program that fails is named in `notChecked`. */
export async function fullValidate(
  project: ProgramProject & Pick<FastOptions, "openSchema">,
  paths?: readonly string[],
): Promise<FullReport> {
  const { root, index, signal, openSchema } = project;
  const fast = await fastValidate(
    root,
    {
      index,
      ...(paths === undefined ? {} : { paths }),
      ...(openSchema === undefined ? {} : { openSchema }),
    },
    signal,
  );
  const ran: string[] = [];
  const found: Finding[] = [];
  const notChecked: string[] = [];
  // In turn: side by side they would fight for the same cores and double the time of each.
  for (const program of PROGRAMS) {
    const report = await program({ ...project, index: narrowed(index, paths) });
    signal.throwIfAborted();
    ran.push(...report.ran);
    found.push(...report.findings);
    notChecked.push(...report.notChecked);
  }
  const selected = found.filter(({ file }) => paths === undefined || isBelow(file, paths));
  return {
    ...fast,
    ran,
    findings: merge(fast.findings, selected),
    notChecked: [...fast.notChecked.filter((line) => !isCovered(line, ran)), ...notChecked],
  };
}

/** Only what is asked about is worth the time of a program. */
function narrowed(index: ProjectIndex, paths: readonly string[] | undefined): ProjectIndex {
  if (paths === undefined) return index;
  return {
    ...index,
    modules: index.modules.filter(({ files }) => files.some(({ path }) => isBelow(path, paths))),
    others: index.others.filter(({ path }) => isBelow(path, paths)),
  };
}

function isBelow(file: string, paths: readonly string[]): boolean {
  return paths.some((path) => path === "" || file === path || file.startsWith(`${path}/`));
}

function isCovered(line: string, ran: readonly string[]): boolean {
  return line.startsWith("Ansible playbooks") && ran.includes("ansible-lint");
}

/** Our own finding stands for an external one of the same weight on the same line, and equal ones are said once. */
export function merge(own: readonly Finding[], external: readonly Finding[]): Finding[] {
  const errors = new Set(
    own.filter(({ severity }) => severity === "error").map(({ file, line }) => `${file}:${line}`),
  );
  const seen = new Set<string>();
  const kept = external.filter(({ file, line, severity, code, message }) => {
    if (severity === "error" && errors.has(`${file}:${line}`)) return false;
    const key = `${file}:${line}:${code}:${message}`;
    return !seen.has(key) && seen.add(key);
  });
  return sortFindings([...own, ...kept]);
}
