// pulumi, ansible, cdk, sam, serverless, copilot and kin: tools that deploy.

import { hasOption, type Invocation, mayHaveOption } from "../invocation.ts";
import type { CliTable, Verdict } from "./table.ts";
import { list, verbs } from "./verbs.ts";

const production = { variables: ["AWS_PROFILE", "PULUMI_STACK", "STAGE", "ENV", "ENVIRONMENT"] };

export const pulumi: CliTable = {
  name: "pulumi",
  programs: ["pulumi"],
  options: {
    clusters: true,
    withValue: list(
      "-C --cwd -s --stack -c --config --config-file -p --parallel -m --message -t --target -r --replace --color --logflow -v --verbose --save-plan --plan --target-replace --exclude",
    ),
    flags: list(
      "-y --yes -f --skip-preview --diff -e --emoji --non-interactive --logtostderr --refresh --force --preview-only -d --debug --expect-no-changes --json -j --show-secrets",
    ),
  },
  verbs: verbs(
    {
      read: "version,about,help,schema check,whoami,",
      write: "config set,config rm,config refresh,stack select,new,install,plugin install,convert",
      plan: "preview,pre,stack ls,stack,stack output,stack history,stack graph,config,config get,logs,stack export,plugin ls,org",
      mutate:
        "up,update,refresh,import,cancel,stack init,stack import,stack rename,stack tag,login,logout,state rename,state unprotect,state protect,state move,policy,stack change-secrets-provider,watch",
    },
    {
      destroy: { class: "destroy", reason: "deletes every resource of the stack" },
      down: { class: "destroy", reason: "deletes every resource of the stack" },
      "stack rm": { class: "destroy", reason: "deletes the stack and its history" },
      "state delete": {
        class: "destroy",
        reason: "forgets resources, which then run on unmanaged",
      },
      "stack select": { class: "write", choosesPlace: true },
      "state repair": { class: "mutate" },
      "stack output": { class: "plan", warning: "may print secrets: stack outputs" },
      "stack export": { class: "plan", warning: "prints the state, which may hold secrets" },
      up: {
        class: "mutate",
        reason: "changes the real infrastructure",
        warning: "a preview shows what would change",
      },
    },
  ),
  raises: {
    "--force": "skips safety checks",
    "-f": "skips the preview",
    "--skip-preview": "skips the preview",
  },
  lowers: { "--preview-only": "plan" },
  production,
  inspect: (call, verdict) =>
    /^(exec|env)$/.test(call.operands[0]?.word.text ?? "")
      ? { ...verdict, class: "unknown" }
      : verdict,
};

const ANSIBLE_OPTIONS = {
  clusters: true,
  withValue: list(
    "-i --inventory -l --limit -e --extra-vars -t --tags --skip-tags -u --user -f --forks -m --module-name -a --args -M --module-path --start-at-task --vault-password-file --vault-id --private-key --key-file -c --connection -T --timeout --become-user --become-method --ssh-common-args --ssh-extra-args -B --background -P --poll -p -r --roles-path",
  ),
  flags: list(
    "-b --become -K --ask-become-pass -k --ask-pass -C --check -D --diff --syntax-check --list-hosts --list-tasks --list-tags --step --flush-cache --force-handlers --list --graph --ask-vault-pass -v -vv -vvv -vvvv --version",
  ),
};

/** Modules, plugins and password files: the last are run when they can be. */
const LOADS = list(
  "-M --module-path --playbook-dir --vault-password-file --vault-pass-file --vault-id",
);
const RUNS_CODE: Readonly<Record<string, readonly string[]>> = {
  "ansible-lint": list("-r --rules-dir -R --project-dir -c --config-file"),
};

/** The holes of --check: a task with `check_mode: no` runs for real. */
function inspectAnsible(call: Invocation, verdict: Verdict): Verdict {
  if (hasOption(call, "--version") && call.words.length === 1) return { ...verdict, class: "read" };
  if (call.dynamic) return { ...verdict, class: "unknown" };
  if (
    RUNS_CODE[call.program]?.some((name) => mayHaveOption(call, name)) ??
    mayHaveOption(call, ...LOADS)
  )
    return { ...verdict, class: "unknown", reason: "an option loads code or runs a program" };
  const isInventory =
    call.program === "ansible-inventory" ||
    call.program === "ansible-doc" ||
    call.program === "ansible-config" ||
    call.program === "ansible-lint";
  if (isInventory)
    return {
      ...verdict,
      class: mayHaveOption(call, "--fix", "--write", "--output") ? "write" : "read",
    };
  if (hasOption(call, "--syntax-check", "--list-hosts", "--list-tasks", "--list-tags"))
    return { ...verdict, class: "read" };
  if (hasOption(call, "--check", "-C"))
    return {
      ...verdict,
      class: "plan",
      warnings: ["--check has holes: tasks with check_mode: no run for real"],
    };
  return { ...verdict, class: "mutate", reason: "changes the hosts of the inventory" };
}

export const ansible: CliTable = {
  name: "ansible",
  programs: [
    "ansible",
    "ansible-playbook",
    "ansible-inventory",
    "ansible-doc",
    "ansible-config",
    "ansible-lint",
    "ansible-pull",
  ],
  options: ANSIBLE_OPTIONS,
  otherwise: "mutate",
  fileOptions: { "-i": "read" },
  production: { variables: ["ANSIBLE_INVENTORY"] },
  inspect: inspectAnsible,
};

export const ansibleTools: CliTable = {
  name: "ansible-tools",
  programs: ["ansible-galaxy", "ansible-vault"],
  options: ANSIBLE_OPTIONS,
  verbs: verbs({
    read: "list,info,search,collection list,role list,role info,role search,",
    write:
      "install,init,collection install,role install,collection init,role init,collection build,remove,collection download,encrypt,decrypt,rekey,edit,create,encrypt_string",
    plan: "view,collection verify",
    mutate: "collection publish,import,delete,role import,role delete,setup",
  }),
};

const DEPLOY_OPTIONS = {
  clusters: false,
  withValue: list(
    "-a --app -c --context --profile -o --output --stack-name --template-file -t --template --config-file --config-env --region --parameter-overrides --s3-bucket -s --stage -e --env -n --name --require-approval --role-arn --toolkit-stack-name --capabilities -f --function --aws-profile -r --param --method",
  ),
  flags: list(
    "--all --force --yes -y --no-confirm-changeset --debug --verbose -v --guided -g --json -j --no-prompts --help -h --version",
  ),
};

export const deployers: CliTable = {
  name: "deployers",
  programs: ["cdk", "sam", "serverless", "sls", "copilot", "eb", "cdktf", "amplify", "sst"],
  options: DEPLOY_OPTIONS,
  verbs: verbs(
    {
      read: "ls,list,validate,version,docs,doctor,notices,acknowledge,metadata,help,--version,info,app ls,svc ls,env ls,job ls,print,",
      write:
        "synth,synthesize,build,package,init,context,local invoke,local,get,provider list,create",
      plan: "diff,list stack-outputs,list resources,logs,svc logs,svc status,svc show,app show,env show,status,health,events,drift,output",
      mutate:
        "deploy,bootstrap,import,migrate,watch,sync,publish,remote invoke,invoke,svc deploy,env deploy,env init,svc init,job deploy,app init,app upgrade,rollback,deploy function,svc exec,up,push,pipeline bootstrap,pipeline deploy,run,task run,refactor,apply,use,dev",
    },
    {
      destroy: { class: "destroy", reason: "deletes the deployed stacks" },
      delete: { class: "destroy", reason: "deletes the deployed stacks" },
      remove: { class: "destroy", reason: "deletes the deployed service" },
      terminate: { class: "destroy", reason: "terminates the environment" },
      gc: { class: "destroy", reason: "deletes stored assets" },
      "app delete": "destroy",
      "env delete": "destroy",
      "svc delete": "destroy",
      "job delete": "destroy",
      "task delete": "destroy",
      deploy: {
        class: "mutate",
        reason: "changes the real infrastructure",
        options: { "--dry-run": "mutate" },
      },
    },
  ),
  raises: {
    "--force": "skips safety checks",
    "-auto-approve": "skips the question that would show what changes",
    "--auto-approve": "skips the question that would show what changes",
  },
  production,
  // The app's own code runs to make the template: that is why synth is a write and -a a program of the caller's choice.
  inspect: (call, verdict) =>
    call.program === "cdk" && mayHaveOption(call, "-a", "--app", "--plugin", "--build")
      ? customApp(call, verdict)
      : verdict,
};

function customApp(call: Invocation, verdict: Verdict): Verdict {
  const app = call.options.find(({ name }) => name === "-a" || name === "--app")?.value?.text;
  if (
    app !== undefined &&
    !mayHaveOption(call, "--plugin", "--build") &&
    /^[\w./-]+$/.test(app) &&
    app.endsWith("cdk.out")
  )
    return verdict;
  return {
    ...verdict,
    class: verdict.class === "destroy" ? "destroy" : "unknown",
    reason: "an option runs a program",
    always: false,
  };
}
