// terragrunt: terraform's verbs, the same for all units with run --all, and its own.

import { hasOption, mayHaveOption, operandWords } from "../invocation.ts";
import { rankOf } from "../analysis.ts";
import { terraform } from "./terraform.ts";
import type { CliTable, Rule } from "./table.ts";
import { list } from "./verbs.ts";

/** `run-all plan`, `run plan`, `stack run plan` are what they run. */
function throughAll(): Record<string, Rule> {
  const rules: Record<string, Rule> = {};
  for (const [verb, rule] of Object.entries(terraform.verbs ?? {})) {
    if (verb === "") continue;
    for (const head of ["", "run-all ", "run ", "stack run "]) rules[head + verb] = rule;
  }
  return rules;
}

export const terragrunt: CliTable = {
  name: "terragrunt",
  programs: ["terragrunt"],
  options: {
    singleDash: true,
    withValue: [
      ...(terraform.options?.withValue ?? []),
      ...list(
        "-terragrunt-config -config -terragrunt-working-dir -working-dir -queue-include-dir -queue-exclude-dir -terragrunt-include-dir -terragrunt-exclude-dir -parallelism -terragrunt-parallelism -download-dir -terragrunt-download-dir -iam-assume-role -terragrunt-iam-role -log-level -terragrunt-log-level -log-format -source -terragrunt-source",
      ),
    ],
    flags: [
      ...(terraform.options?.flags ?? []),
      ...list(
        "-all -graph -a -non-interactive -terragrunt-non-interactive -no-auto-init -terragrunt-ignore-external-dependencies -queue-include-external -queue-ignore-errors",
      ),
    ],
  },
  verbs: {
    ...throughAll(),
    "hcl validate": "read",
    "validate-inputs": "read",
    hclvalidate: "read",
    list: "read",
    find: "read",
    "output-module-groups": "read",
    "graph-dependencies": "read",
    // Before `run --graph`, the verb for all dependents: `terragrunt graph destroy`.
    ...Object.fromEntries(
      Object.entries(terraform.verbs ?? {}).flatMap(([verb, rule]) =>
        verb === "" ? [] : [[`graph ${verb}`, rule]],
      ),
    ),
    graph: "unknown",
    "dag graph": "read",
    "info print": "read",
    "terragrunt-info": "read",
    "": "read",
    "hcl fmt": { class: "write", options: { "-check": "read" } },
    hclfmt: { class: "write", options: { "-check": "read", "-terragrunt-check": "read" } },
    render: "write",
    "render-json": "write",
    "stack generate": "write",
    scaffold: "write",
    "backend bootstrap": "mutate",
    "backend migrate": "mutate",
    "backend delete": { class: "destroy", reason: "deletes the state's storage" },
    exec: { class: "unknown", reason: "runs any command" },
    catalog: "unknown",
  },
  fileOptions: terraform.fileOptions ?? {},
  raises: terraform.raises ?? {},
  production: { variables: ["TF_WORKSPACE", "AWS_PROFILE"] },
  argsVariable: "TF_CLI_ARGS",
  inspect: (call, verdict) => {
    const words = operandWords(call).map((word) => word.text);
    if (
      mayHaveOption(
        call,
        "-tf-path",
        "-terragrunt-tfpath",
        "-auth-provider-cmd",
        "-terragrunt-auth-provider-cmd",
      )
    )
      return { ...verdict, class: "unknown", reason: "an option names the program that runs" };
    const after = call.afterDashes === undefined ? [] : call.words.slice(call.afterDashes);
    if (after.some(({ text }) => /^--?destroy(=|$)/.test(text ?? "")))
      return { ...verdict, class: "destroy", reason: "deletes every resource in the state" };
    const all = hasOption(call, "-all", "-a") || words[0] === "run-all" || words[0] === "stack";
    if (!all || rankOf(verdict.class) < rankOf("mutate")) return verdict;
    return {
      ...verdict,
      warnings: [
        ...(verdict.warnings ?? []),
        "run --all adds -auto-approve and changes every unit below",
      ],
    };
  },
};
