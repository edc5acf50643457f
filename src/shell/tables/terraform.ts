// terraform and tofu. Verdicts: the command classes of the infrastructure contract, confirmed against terraform 1.11's help.

import type { InnerCommand } from "../analysis.ts";
import { hasOption, type Invocation, operandWords } from "../invocation.ts";
import type { CliTable, Rule, Verdict } from "./table.ts";
import { list, verbs } from "./verbs.ts";

const SECRETS = "may print secrets: output and state hold values in plain text";

/** Said for what iac_plan can plan, and only for that. */
const POINTER =
  "iac_plan shows what this would change, and iac_apply applies exactly that plan; a command line is not bound to what was shown";
/** What iac_plan has no argument for: iac_apply could not do the same. */
const WITHOUT_PLAN_TOOL = ["-var", "-replace", "-state", "-state-out", "-backup"] as const;

const special: Readonly<Record<string, Rule>> = {
  fmt: { class: "write", files: "write", options: { "-check": "read", "-write": "write" } },
  init: {
    class: "write",
    options: { "-migrate-state": "mutate", "-force-copy": "mutate", "-reconfigure": "write" },
    reason: "downloads providers and modules",
  },
  output: { class: "plan", warning: SECRETS },
  "state pull": { class: "plan", warning: SECRETS },
  "state show": { class: "plan", warning: SECRETS },
  show: { class: "plan", warning: SECRETS },
  apply: {
    class: "mutate",
    reason: "changes the real infrastructure",
    options: { "-destroy": "destroy" },
  },
  destroy: { class: "destroy", reason: "deletes every resource in the state" },
  "state rm": { class: "destroy", reason: "forgets resources, which then run on unmanaged" },
  "state push": { class: "destroy", reason: "overwrites the state" },
  "force-unlock": { class: "destroy", reason: "takes away a lock that someone may hold" },
  "workspace delete": { class: "destroy", reason: "deletes a workspace and its state" },
  "workspace select": {
    class: "write",
    choosesPlace: true,
    reason: "switches the workspace that later commands change",
  },
  import: { class: "mutate", reason: "writes the state" },
  refresh: { class: "mutate", reason: "writes the state" },
};

export const terraform: CliTable = {
  name: "terraform",
  programs: ["terraform", "tofu"],
  options: {
    singleDash: true,
    withValue: list(
      "-var -var-file -target -replace -state -state-out -backup -out -parallelism -lock-timeout -backend-config -plugin-dir -from-module -generate-config-out",
    ),
    flags: list(
      "-help -h -version -v -json -no-color -input -auto-approve -destroy -refresh-only -compact-warnings -detailed-exitcode -check -diff -recursive -upgrade -reconfigure -migrate-state -force-copy -raw",
    ),
  },
  verbs: verbs(
    {
      read: "version,validate,graph,providers,providers schema,workspace list,workspace show,metadata functions,modules,metadata,,help",
      write: "get,providers lock,providers mirror",
      plan: "plan,console,state list,state",
      mutate:
        "taint,untaint,state mv,state replace-provider,workspace new,test,login,logout,state identities",
    },
    special,
  ),
  fileOptions: {
    "-out": "write",
    "-var-file": "read",
    "-state-out": "write",
    "-generate-config-out": "write",
    "-backup": "write",
  },
  raises: {
    "-auto-approve": "skips the question that would show what changes",
    "-lock=false": "lets others change the state at the same time",
    "-force": "skips a safety check",
    "-force-copy": "copies the state without asking",
  },
  production: { variables: ["TF_WORKSPACE", "AWS_PROFILE"] },
  argsVariable: "TF_CLI_ARGS",
  inspect: (call, verdict, { earlier }) => {
    const verb = call.operands[0]?.word.text;
    if (verb === "apply" || verb === "destroy")
      return pointed(call, ofApply(call, verdict, earlier));
    if (
      verb === "fmt" &&
      operandWords(call, 1).every((word) => word.text === "-") &&
      call.operands.length > 1
    )
      return { ...verdict, class: "read", writes: [] };
    // `validate`, `graph` and `console` change nothing; a saved plan as operand is shown, not applied, only by show.
    return hasOption(call, "-version", "-v") && call.operands.length === 0
      ? { ...verdict, class: "read" }
      : verdict;
  },
};

/** A saved plan may be one that deletes everything. */
function ofApply(call: Invocation, verdict: Verdict, earlier: readonly InnerCommand[]): Verdict {
  const isSaved = call.operands.length > 1;
  const isOfDestroy = earlier.some(
    ({ argv }) => argv[1] === "plan" && argv.some((word) => /^--?destroy$/.test(word ?? "")),
  );
  return isSaved && isOfDestroy
    ? { ...verdict, class: "destroy", reason: "applies a plan that deletes every resource" }
    : verdict;
}

function pointed(call: Invocation, verdict: Verdict): Verdict {
  const changes = verdict.class === "mutate" || verdict.class === "destroy";
  if (!changes || hasOption(call, ...WITHOUT_PLAN_TOOL)) return verdict;
  return { ...verdict, warnings: [...(verdict.warnings ?? []), POINTER] };
}
