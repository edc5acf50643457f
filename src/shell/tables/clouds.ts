// aws, az, gcloud, aliyun and their kin: services with operations named after API verbs.

import { type CommandClass, rankOf } from "../analysis.ts";
import { hasOption, type Invocation, mayHaveOption, operandWords } from "../invocation.ts";
import { operationClass, printsSecret } from "./cloud-verbs.ts";
import type { CliTable, Verdict } from "./table.ts";
import { list } from "./verbs.ts";

type Words = readonly (string | undefined)[];
const textsOf = (call: Invocation): Words => operandWords(call).map((word) => word.text);

const isPath = (word: string): boolean => !/^[a-z][a-z0-9+.-]*:\/\//i.test(word);

function withClass(
  verdict: Verdict,
  operation: string | undefined,
  commandClass: CommandClass,
): Verdict {
  const secret = operation !== undefined && printsSecret(operation);
  const warnings = [...(verdict.warnings ?? []), ...(secret ? ["prints a secret"] : [])];
  const reason =
    commandClass === "destroy"
      ? `${operation ?? "it"} takes away or stops something real`
      : commandClass === "mutate"
        ? "changes something real"
        : undefined;
  const { reason: _old, ...rest } = verdict;
  return { ...rest, class: commandClass, warnings, ...(reason === undefined ? {} : { reason }) };
}

/** aws s3 moves files: what it writes here counts too. */
function s3(call: Invocation, verdict: Verdict, words: Words): Verdict {
  const [, operation = "", source, target] = words;
  if (operation === "ls") return withClass(verdict, operation, "plan");
  if (/^(rm|rb)$/.test(operation)) return withClass(verdict, operation, "destroy");
  if (operation === "sync" && mayHaveOption(call, "--delete"))
    return withClass(verdict, "sync --delete", "destroy");
  if (call.dynamic && operation === "sync") return { ...verdict, class: "unknown" };
  if (/^(cp|mv|sync)$/.test(operation)) {
    const writes = target !== undefined && isPath(target) && target !== "-" ? [target] : [];
    const reads = source !== undefined && isPath(source) && source !== "-" ? [source] : [];
    const word = (text: string) => ({ text, prefix: text });
    return {
      ...withClass(verdict, operation, "mutate"),
      reads: reads.map(word),
      writes: writes.map(word),
    };
  }
  return withClass(verdict, operation, operationClass(operation));
}

function inspectAws(call: Invocation, verdict: Verdict): Verdict {
  const words = textsOf(call);
  const [service, operation] = words;
  if (service === undefined)
    return { ...verdict, class: call.operands.length === 0 ? "read" : "unknown" };
  if (service === "help" || words.at(-1) === "help") return { ...verdict, class: "read" };
  if (service === "configure")
    return {
      ...verdict,
      class:
        operation === "list" || operation === "list-profiles"
          ? "read"
          : operation === "get" || operation === "export-credentials"
            ? "plan"
            : "mutate",
    };
  if (operation === undefined) return { ...verdict, class: "unknown" };
  if (service === "s3") return s3(call, verdict, words);
  if (service === "sso" || service === "login")
    return withClass(
      verdict,
      operation,
      operation === "logout" ? "mutate" : operationClass(operation),
    );
  if (service === "ssm" && operation === "start-session")
    return withClass(verdict, operation, "mutate");
  if (service === "logs" && /^(tail|filter)/.test(operation))
    return withClass(verdict, operation, "plan");
  if (service === "cloudformation" && /^(package|validate)/.test(operation))
    return withClass(verdict, operation, operation === "package" ? "mutate" : "plan");
  const found = operationClass(operation);
  if (
    found === "mutate" &&
    mayHaveOption(call, "--dry-run") &&
    hasOption(call, "--dry-run") &&
    !hasOption(call, "--no-dry-run") &&
    !call.dynamic
  )
    return withClass(verdict, operation, "plan");
  return withClass(verdict, operation, found);
}

const production = {
  variables: [
    "AWS_PROFILE",
    "AWS_DEFAULT_PROFILE",
    "AZURE_SUBSCRIPTION_ID",
    "CLOUDSDK_CORE_PROJECT",
    "ALIBABA_CLOUD_PROFILE",
  ],
};

export const aws: CliTable = {
  name: "aws",
  programs: ["aws", "awslocal"],
  options: {
    withValue: list(
      "--profile --region --output --query --endpoint-url --color --ca-bundle --cli-read-timeout --cli-connect-timeout --cli-binary-format",
    ),
    flags: list(
      "--debug --no-verify-ssl --no-paginate --no-sign-request --no-cli-pager --cli-auto-prompt --no-cli-auto-prompt --version",
    ),
  },
  raises: { "--force": "skips safety checks" },
  otherwise: "read",
  production,
  inspect: guardHidden(inspectAws, 2),
};

/** An option that is not known before the operation may hide it: then nothing is certain. */
function guardHidden(inspect: (call: Invocation, verdict: Verdict) => Verdict, length: number) {
  return (call: Invocation, verdict: Verdict): Verdict => {
    const at = call.operands[Math.min(length, call.operands.length) - 1]?.at ?? 0;
    if (call.operands.slice(0, length).some(({ word }) => word.text === undefined))
      return { ...verdict, class: "unknown", reason: "the operation is known only at run time" };
    const hidden = call.options.some((option) => !option.listed && option.at < at);
    return hidden
      ? {
          ...verdict,
          class: "unknown",
          reason: "an option that is not known stands before the operation",
        }
      : inspect(call, verdict);
  };
}

/** az and gcloud: groups of any depth, then a verb, then names. The verb is the last word that is one. */
function byVerb(special: Readonly<Record<string, CommandClass>>) {
  return (call: Invocation, verdict: Verdict): Verdict => {
    const words = textsOf(call);
    if (words.length === 0) return { ...verdict, class: call.dynamic ? "unknown" : "read" };
    const dynamicAt = words.indexOf(undefined);
    const known = words
      .slice(0, dynamicAt < 0 ? words.length : dynamicAt)
      .flatMap((word) => word ?? []);
    for (let length = known.length; length > 0; length -= 1) {
      const key = known.slice(0, length).join(" ");
      const found = Object.hasOwn(special, key) ? special[key] : undefined;
      if (found !== undefined) return withClass(verdict, known[length - 1], found);
    }
    const classes = known
      .slice(1)
      .map(operationClass)
      .filter((found) => found !== "unknown");
    const hidden = call.options.some(
      (option) => !option.listed && option.at < (call.operands.at(1)?.at ?? 0),
    );
    if (classes.length === 0 || hidden || (dynamicAt >= 0 && dynamicAt < 2))
      return { ...verdict, class: "unknown", reason: "the operation is not known" };
    const verb = known.slice(1).find((word) => operationClass(word) !== "unknown");
    // Names may look like verbs; counting the most harmful keeps a hidden verb from passing.
    const worst = classes.reduce((a, b) => (rankOf(a) >= rankOf(b) ? a : b));
    return withClass(
      verdict,
      known.slice(1).find((word) => operationClass(word) === worst) ?? verb,
      worst,
    );
  };
}

export const az: CliTable = {
  name: "az",
  programs: ["az"],
  options: {
    clusters: false,
    withValue: list(
      "-g --resource-group -n --name --subscription -o --output --query -l --location --template-file -f --file --parameters -p --template-uri --ids --tags",
    ),
    flags: list("--debug --verbose --only-show-errors -y --yes --no-wait --version -v -h --help"),
  },
  otherwise: "read",
  production,
  lowers: { "--what-if": "plan", "--validate-only": "plan" },
  fileOptions: { "--template-file": "read", "-f": "read" },
  inspect: byVerb({
    "bicep build": "write",
    "bicep lint": "read",
    "bicep format": "write",
    "bicep decompile": "write",
    "bicep version": "read",
    version: "read",
    "account show": "plan",
    "account set": "write",
    login: "mutate",
    logout: "mutate",
    "deployment group what-if": "plan",
    "deployment sub what-if": "plan",
    rest: "unknown",
    "vm run-command": "mutate",
    "vm run-command invoke": "mutate",
    extension: "mutate",
    interactive: "unknown",
  }),
};

export const gcloud: CliTable = {
  name: "gcloud",
  programs: ["gcloud", "gsutil", "bq"],
  options: {
    withValue: list(
      "--project --account --configuration --format --filter --region --zone --verbosity --impersonate-service-account --flags-file --billing-project --limit --sort-by",
    ),
    flags: list(
      "-q --quiet --help -h --log-http --user-output-enabled --no-user-output-enabled --version -v -m",
    ),
  },
  otherwise: "read",
  production,
  lowers: { "--validate-only": "plan", "--preview-only": "plan" },
  inspect: (call, verdict) =>
    call.program === "gsutil"
      ? gsutil(call, verdict)
      : byVerb({
          "config list": "read",
          "config get": "read",
          "config get-value": "read",
          "config configurations list": "read",
          info: "read",
          version: "read",
          "config set": "write",
          "config configurations activate": "write",
          "auth list": "plan",
          "auth login": "mutate",
          "auth application-default login": "mutate",
          "auth print-access-token": "plan",
          "container clusters get-credentials": "write",
          "infra-manager": "unknown",
        })(call, verdict),
};

function gsutil(call: Invocation, verdict: Verdict): Verdict {
  const [verb = ""] = textsOf(call);
  if (/^(ls|stat|du|cat|hash|version|help)$/.test(verb)) return withClass(verdict, verb, "plan");
  if (/^(rm|rb)$/.test(verb) || (verb === "rsync" && mayHaveOption(call, "-d")))
    return withClass(verdict, verb, "destroy");
  return withClass(
    verdict,
    verb,
    /^(cp|mv|rsync|mb|setmeta|iam|acl|web|cors|lifecycle|versioning)$/.test(verb)
      ? "mutate"
      : "unknown",
  );
}

function inspectAliyun(call: Invocation, verdict: Verdict): Verdict {
  const [service, operation] = textsOf(call);
  if (service === undefined)
    return { ...verdict, class: call.operands.length === 0 ? "read" : "unknown" };
  if (service === "configure")
    return {
      ...verdict,
      class: operation === "list" ? "read" : operation === "get" ? "plan" : "mutate",
    };
  if (/^(version|help|auto-completion)$/.test(service)) return { ...verdict, class: "read" };
  if (operation === undefined) return { ...verdict, class: "unknown" };
  if (service === "oss" && /^(ls|stat|cat|du|hash)$/.test(operation))
    return withClass(verdict, operation, "plan");
  if (
    service === "oss" &&
    (operation === "rm" || (operation === "sync" && mayHaveOption(call, "--delete")))
  )
    return withClass(verdict, operation, "destroy");
  // REST style: `aliyun cs GET /clusters`.
  if (/^(GET|HEAD)$/.test(operation)) return withClass(verdict, operation, "plan");
  if (/^(POST|PUT|PATCH)$/.test(operation)) return withClass(verdict, operation, "mutate");
  return withClass(verdict, operation, operationClass(operation));
}

export const aliyun: CliTable = {
  name: "aliyun",
  programs: ["aliyun", "tccli", "hcloud", "doctl", "ibmcloud", "oci"],
  options: {
    withValue: list(
      "--profile -p --region --output -o --mode --access-key-id --access-key-secret --config-path --endpoint --read-timeout --connect-timeout --retry-count",
    ),
    flags: list("--force --secure --insecure --help --version"),
  },
  otherwise: "read",
  production,
  inspect: guardHidden(
    (call, verdict) =>
      call.program === "aliyun"
        ? inspectAliyun(call, verdict)
        : byVerb({ version: "read" })(call, verdict),
    2,
  ),
};
