// Linters and scanners of infrastructure code, kustomize, and other tools that look and report.

import { hasOption, mayHaveOption, type Option, operandWords, valuesOf } from "../invocation.ts";
import type { CliTable } from "./table.ts";
import { list, verbs } from "./verbs.ts";

export const checkers: CliTable = {
  name: "checkers",
  programs: list(
    "tflint cfn-lint checkov tfsec kubeconform kubeval kube-linter kube-score yamllint shellcheck hadolint terrascan terraform-docs actionlint conftest polaris pluto infracost bicep markdownlint cfn_nag_scan regula datree kics semgrep terramate inframap terraform-config-inspect cfn-guard rain",
  ),
  options: {
    clusters: false,
    withValue: list(
      "-f --format -o --output -output --output-file -d --directory --chdir -c --config --config-file -schema-location -skip --skip-check --check --framework -t --template -s --severity --minimum-failure-severity --filter",
    ),
  },
  otherwise: { class: "read", files: "read" },
  inspect: (call, verdict) => {
    const verb = call.operands[0]?.word.text;
    const writes = valuesOf(call, "--output-file", "--output-file-path", "--out-file");
    if (call.program === "bicep")
      return {
        ...verdict,
        class:
          verb === "publish"
            ? "mutate"
            : /^(lint|--version|version)$/.test(verb ?? "--version")
              ? "read"
              : "write",
        writes: [],
      };
    if (call.program === "infracost")
      return {
        ...verdict,
        class: /^(breakdown|diff|output)$/.test(verb ?? "")
          ? "plan"
          : verb === undefined
            ? "read"
            : "mutate",
        reads: [],
      };
    if (call.program === "rain")
      return {
        ...verdict,
        class: /^(fmt|lint|tree|ls|cat|logs|diff)$/.test(verb ?? "")
          ? "plan"
          : verb === "rm"
            ? "destroy"
            : "mutate",
        reads: [],
      };
    if (call.program === "terramate")
      return { ...verdict, class: verb === "list" ? "read" : "unknown", reads: [] };
    // Its own configuration may say which file it writes.
    if (call.program === "terraform-docs") return { ...verdict, class: "write", reads: [] };
    if (call.program === "conftest" && /^(pull|push|plugin)$/.test(verb ?? ""))
      return { ...verdict, class: "mutate" };
    if (mayHaveOption(call, "--init") && call.program === "tflint")
      return { ...verdict, class: "write", reason: "downloads plugins", reads: [] };
    if (hasOption(call, "--fix", "-w", "--write", "--autofix") || mayHaveOption(call, "--fix"))
      return { ...verdict, class: "write", writes: [...operandWords(call), ...writes] };
    if (
      mayHaveOption(call, "--external-checks-git", "--external-checks-dir", "--append-rules", "-a")
    )
      return { ...verdict, class: "unknown", reason: "loads rules that are programs" };
    if (writes.length > 0) return { ...verdict, class: "write", writes };
    return call.options.every((option) => isPlainOption(call.program, option))
      ? verdict
      : { ...verdict, class: "unknown", reason: "an option may load rules or write a file" };
  },
};

/** What is checked, what is left out, how the result looks. */
const PLAIN_OPTIONS = new Set(
  list(
    `-h --help -v --version -V -q --quiet --silent --verbose --debug -d --directory --chdir --recursive -f --format --output-format --compact --color
    --no-color --no-colour -n --strict -strict --soft-fail --framework --check --skip-check --ignore --ignore-checks --include-checks
    --regions --template -t -s --severity -S --minimum-failure-severity --minimum-severity --summary -summary -skip -reject -kind
    -ignore-missing-schemas --ignore-missing-schemas -kubernetes-version --kubernetes-version -schema-location -skip-kinds -exit-on-error
    --only --except --enable-rule --disable-rule --force --error --no-module --call-module-type --shell --exclude -e -i -x --list-files
    --download-external-modules --evaluate-variables --no-guide --minimum-failure-severity --include-passed --concise-output --exclude-downloaded-modules
    --no-cert-check --failure-threshold --no-fail --trusted-registry --target-versions -list -oneline -no-color -ignore --stdin`,
  ),
);
/** Where these letters mean something else than in most checkers. */
const OTHER_MEANING: Readonly<Record<string, RegExp>> = {
  markdownlint: /^-[frosc]$/,
  "cfn-lint": /^-[os]$/,
  semgrep: /^-[fe]$/,
  conftest: /^-d$/,
  terrascan: /^-[xc]$/,
};
const FORMATS =
  /^(cli|json|text|txt|sarif|csv|yaml|yml|junit(xml)?|tap|pretty|default|compact|human|ci|table|html|markdown|md|parsable|checkstyle|github.*|codeclimate|gitlab.*|score|wide|normal|rego|tty|gcc|diff|quiet|pycodestyle)$/;

function isPlainOption(program: string, { name, value }: Option): boolean {
  if (OTHER_MEANING[program]?.test(name) === true) return false;
  // A format for most, a file for some.
  if (/^(-o|-output|--output)$/.test(name)) return FORMATS.test(value?.text ?? "");
  // checkov's -c is a check, tflint's a settings file.
  if (name === "-c") return program === "checkov";
  return PLAIN_OPTIONS.has(name);
}

export const trivy: CliTable = {
  name: "trivy",
  programs: ["trivy", "grype", "syft"],
  options: {
    clusters: false,
    withValue: list(
      "-f --format -o --output -s --severity --scanners -c --config --skip-dirs --skip-files --cache-dir --timeout -t --template --exit-code",
    ),
    flags: list("--version -v --help -h -q --quiet --debug --no-progress"),
  },
  otherwise: "plan",
  verbs: verbs({
    read: "version,config,conf,help,",
    plan: "fs,filesystem,image,i,repo,repository,rootfs,sbom,k8s,kubernetes,vm",
    write: "convert,clean,plugin list",
    mutate: "plugin,plugin install,server,module,registry",
  }),
  fileOptions: { "-o": "write", "--output": "write" },
};

export const kustomize: CliTable = {
  name: "kustomize",
  programs: ["kustomize"],
  options: {
    clusters: false,
    withValue: list("-o --output --load-restrictor --helm-command --network-name -e --env --mount"),
  },
  verbs: verbs({
    read: "build,version,help,",
    write: "create,edit,localize",
    plan: "cfg",
    unknown: "fn",
  }),
  fileOptions: { "-o": "write", "--output": "write" },
  inspect: (call, verdict) =>
    mayHaveOption(
      call,
      "--enable-alpha-plugins",
      "--enable-exec",
      "--helm-command",
      "--enable-helm",
    )
      ? { ...verdict, class: "unknown", reason: "an option runs programs" }
      : verdict.class === "read" && operandWords(call, 1).some(({ text }) => isRemote(text))
        ? { ...verdict, class: "plan", reason: "downloads what it builds" }
        : verdict,
};

/** A base that kustomize fetches: a URL, `git@host:x`, `github.com/x`. */
export const isRemote = (text: string | undefined): boolean =>
  text === undefined ||
  /:\/\/|^[\w.-]+@[\w.-]+:|^(github|gitlab|bitbucket)\.\w+\/|\?ref=/.test(text);

export const secretsTools: CliTable = {
  name: "secrets-tools",
  programs: [
    "sops",
    "age",
    "gpg",
    "openssl",
    "vault",
    "bao",
    "ssh-keygen",
    "keybase",
    "pass",
    "op",
    "doppler",
    "chamber",
    "infisical",
    "aws-vault",
    "direnv",
    "envchain",
    "teller",
    "dotenv",
  ],
  options: {
    clusters: false,
    withValue: list(
      "-i -o -d --decrypt -e -in -out -f -t -C -b -N -address -namespace -format -field -mount",
    ),
  },
  otherwise: { class: "unknown", reason: "works with secrets or keys" },
  inspect: (call, verdict) => {
    const first = call.words[0]?.text ?? "";
    const verb = operandWords(call).map(({ text }) => text);
    if (call.words.length === 1 && /^(--version|-v|-V|version|status)$/.test(first))
      return { class: "read" };
    if (call.program === "vault" || call.program === "bao") {
      const text = verb.slice(0, 2).join(" ");
      if (
        /^(kv delete|kv destroy|delete|operator seal|secrets disable|auth disable|policy delete|lease revoke|token revoke|kv metadata)/.test(
          text,
        )
      )
        return { class: "destroy", reason: "takes secrets or access away" };
      if (
        /^(read|list|kv get|kv list|policy read|policy list|secrets list|auth list|token lookup|print)/.test(
          text,
        )
      )
        return { class: "plan", warnings: ["prints secrets"] };
      return /^(write|kv put|kv patch|login|secrets enable|auth enable|policy write)/.test(text)
        ? { class: "mutate" }
        : verdict;
    }
    if (
      call.program === "openssl" &&
      /^(x509|dgst|s_client|verify|version|crl|req)$/.test(first) &&
      !call.words.some(({ text, prefix }) =>
        /^-(out|engine|CAkey|signkey|key|keyout|provider|config|writerand|sess_out|sign|new)/.test(
          text ?? prefix,
        ),
      )
    )
      return { class: first === "s_client" ? "plan" : "read", reads: valuesOf(call, "-in") };
    if (call.program === "direnv" && /^(allow|permit|grant)$/.test(first))
      return { class: "mutate", reason: "lets a project's .envrc run" };
    if (call.program === "aws-vault" && first === "list") return { class: "read" };
    return verdict;
  },
};
