// Which programs of the trade are here, and in which version. None of them is needed; what is missing is only not checked.

import { tmpdir } from "node:os";
import { findProgram, runProgram } from "../tools/iac-programs/program.ts";
import type { Check } from "./doctor-checks.ts";

/** Linters written in Python take seconds to start. */
const VERSION_LIMIT_MS = 20_000;

type Env = Readonly<Record<string, string | undefined>>;

/** Each with what asks for its version, and what it is for. */
const PROGRAMS: readonly (readonly [name: string, args: readonly string[], use: string])[] = [
  ["terraform", ["version"], "plan, apply and full validation"],
  ["tofu", ["version"], "plan, apply and full validation"],
  ["terragrunt", ["--version"], "Terragrunt units"],
  ["tflint", ["--version"], "full validation of Terraform"],
  ["cfn-lint", ["--version"], "full validation of CloudFormation"],
  ["kubectl", ["version", "--client"], "diffs of Kubernetes"],
  ["kubeconform", ["-v"], "full validation of Kubernetes"],
  ["helm", ["version", "--short"], "Helm charts"],
  ["ansible-lint", ["--version"], "full validation of Ansible"],
  ["checkov", ["--version"], "further rules"],
  ["trivy", ["--version"], "further rules"],
  ["git", ["--version"], "what changed"],
];

export async function checkPrograms(env: Env, signal: AbortSignal): Promise<Check[]> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(VERSION_LIMIT_MS)]);
  return Promise.all(
    PROGRAMS.map(async ([name, args, use]): Promise<Check> => {
      const path = findProgram(name, env);
      if (path === undefined) return { state: "note", what: name, detail: `not found (${use})` };
      // Not in the project: a version must not depend on its files, nor run what they name.
      const output = await runProgram([path, ...args], tmpdir(), { env, signal: limit });
      if (typeof output === "string") return { state: "warn", what: name, detail: output };
      const version = /\d+\.\d+(?:\.\d+)?(?:[-+.\w]*)/.exec(output.stdout + output.stderr)?.[0];
      if (output.exitCode !== 0 || version === undefined)
        return {
          state: "warn",
          what: name,
          detail: `${path} does not tell its version (exit ${output.exitCode})`,
        };
      return { state: "ok", what: name, detail: `${version} ${path}` };
    }),
  );
}

/** The binary that the configuration names must be there. */
export function checkBinary(binary: string | undefined, env: Env): Check[] {
  if (binary === undefined) return [];
  const found = binary.includes("/") ? (Bun.which(binary) ?? undefined) : findProgram(binary, env);
  if (found !== undefined) return [{ state: "ok", what: "iac.binary", detail: found }];
  return [
    {
      state: "broken",
      what: "iac.binary",
      detail: `config.json names ${binary}, which is not found; install it or change iac.binary`,
    },
  ];
}
