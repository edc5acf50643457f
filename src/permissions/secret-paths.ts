// Which files look like secrets and which are never written by the file tools, by name alone. Nothing is opened here.

import { basename } from "node:path";

const SECRET_NAMES: readonly RegExp[] = [
  /^\.env/,
  /\.tfstate/,
  /\.tfvars(\.json)?$/,
  /\.tfplan$|^tfplan(\.json)?$|^crash\.log$/,
  /\.(pem|key|p12|pfx|jks|keystore|ppk|kdbx)$/,
  /^id_(rsa|dsa|ecdsa|ed25519)(_sk)?$/,
  /^kubeconfig|\.kubeconfig$/,
  /^\.(netrc|npmrc|pypirc|pgpass|my\.cnf|dockercfg|git-credentials|vault-token|terraformrc)$/,
  /^credentials(\.json|\.tfrc\.json|\.toml|\.ya?ml)?$/,
  /^(application_default_credentials|service[-_]?account.*)\.json$/,
  /^environ$/,
];

/** Tails of paths, for names that are harmless elsewhere. */
const SECRET_TAILS: readonly RegExp[] = [
  /(^|\/)\.kube\/config$/,
  /(^|\/)\.docker\/config\.json$/,
  /(^|\/)\.aliyun\/config\.json$/,
  /(^|\/)\.aws\/(config|credentials)$/,
  /(^|\/)\.iac-code\/credentials/,
];

const SECRET_FOLDERS = new Set([".ssh", ".gnupg", ".azure", "gcloud"]);
/** A public key beside a private one is no secret. */
const PUBLIC_KEY = /\.pub$/;

/** What people and editors add to the name of a copy: `terraform.tfvars.bak`, `server.key~`, `id_rsa.old`. */
const COPY = /((\.(bak|backup|old|orig|save|saved|copy|tmp|swp|\d+))|~)+$/;

const segmentsOf = (path: string): string[] => path.split(/[\\/]+/).filter(Boolean);

/** True when a file of that name usually holds secrets: reading it asks. Case does not matter. */
export function isSecretLooking(path: string): boolean {
  const lower = path.replaceAll("\\", "/").toLowerCase();
  if (PUBLIC_KEY.test(lower)) return false;
  const name = basename(lower).replace(COPY, "");
  if (SECRET_NAMES.some((pattern) => pattern.test(name))) return true;
  if (SECRET_TAILS.some((pattern) => pattern.test(lower))) return true;
  return segmentsOf(lower).some((segment) => SECRET_FOLDERS.has(segment));
}

/** Files that only their own program may write, with what to use instead. */
const PROTECTED: readonly { readonly segment: RegExp; readonly instead: string }[] = [
  { segment: /^\.git$/, instead: "use git through bash" },
  { segment: /^\.terraform$/, instead: "use `terraform init` through bash" },
  {
    segment: /^\.terraform\.lock\.hcl$/,
    instead: "use `terraform init -upgrade` or `terraform providers lock` through bash",
  },
  {
    segment: /\.tfstate/,
    instead: "use iac_plan and iac_apply, or `terraform state` through bash",
  },
];

/** What to use in place of writing `path` with a file tool; `undefined` when the path is not protected. */
export function protectedInstead(path: string): string | undefined {
  for (const segment of segmentsOf(path.toLowerCase())) {
    const entry = PROTECTED.find((one) => one.segment.test(segment));
    if (entry !== undefined) return entry.instead;
  }
  return undefined;
}

/** True for a project's own settings of this program: an edit of them could loosen its rules, so it always asks. */
export function isOwnSettings(path: string): boolean {
  return segmentsOf(path.toLowerCase()).includes(".iac-code");
}
