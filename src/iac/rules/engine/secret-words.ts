// Which names and which texts look like secrets. Not the firewall of src/secrets: this one only judges source code,
// and rather misses a secret than takes a reference for one.

const SECRET_NAME =
  /(^|[_.-]|[a-z](?=[A-Z]))(password|passwd|pwd|passphrase|secret|secret_?key|token|api_?key|private_?key|access_?key|auth_?token|client_?secret|connection_?string|credentials?)$/i;
/** Names that end like a secret but hold a name, a place or a switch. */
const NOT_SECRET =
  /(public|ssh|kms|encryption|partition|sort|hash|primary|foreign|range)_?(access_?)?key$|next_?token$|(password|secret|token)_?(name|arn|id|ref|length|policy|file|path|key_ref)$/i;
/** Values that stand for a secret, and those too short or too plain to be one. */
const PLACEHOLDER = new RegExp(
  [
    "^(|change_?me.*|example|placeholder|todo|none|null|true|false|required|optional|enabled|disabled|dummy|redacted)$",
    // Masks, marks, small numbers, units of the lifetime of a token.
    "^(x{3,}|\\*+|<.*>|\\d{1,3}|seconds|minutes|hours|days)$",
    // Interpolation, and references that the service resolves.
    "^\\$|\\{\\{|^(arn:|projects/|vault:|ssm:)",
    // Paths, files and plain addresses.
    "^[~.]?/[\\w./-]+$|\\.(json|pem|crt|key|txt|ya?ml)$|^https?://[^:@]*$",
    "^-----BEGIN (PUBLIC|CERTIFICATE)",
  ].join("|"),
  "i",
);
const MIN_SECRET_LENGTH = 4;

type Shape = { readonly name: string; readonly pattern: RegExp };

const SHAPES: readonly Shape[] = [
  { name: "an AWS access key id", pattern: /\b(AKIA|ASIA)[A-Z2-7]{16}\b/ },
  { name: "an Alibaba Cloud access key id", pattern: /\bLTAI[A-Za-z0-9]{12,26}\b/ },
  { name: "a private key", pattern: /-----BEGIN ([A-Z]+ )?PRIVATE KEY-----/ },
  { name: "a GitHub token", pattern: /\b(gh[pousr]_[A-Za-z0-9]{36}|github_pat_[A-Za-z0-9_]{40,})/ },
  { name: "a GitLab token", pattern: /\bglpat-[A-Za-z0-9_-]{20}/ },
  { name: "a Slack token", pattern: /\bxox[abprs]-[A-Za-z0-9-]{20,}/ },
  { name: "a Google API key", pattern: /\bAIza[A-Za-z0-9_-]{35}\b/ },
  { name: "a Stripe key", pattern: /\b[sr]k_live_[A-Za-z0-9]{20,}/ },
  {
    name: "a password in a URL",
    pattern: /\b[a-z][a-z0-9+]+:\/\/[^\s:/@${}]+:[^\s:/@${}]{4,}@[^\s/]+/,
  },
];

/** `db_password`, `MasterUserPassword`, `API_KEY`; not `kms_key`, not `secret_name`. */
export function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name) && !NOT_SECRET.test(name);
}

/** True for a literal that is meant as the secret itself. */
export function isPlainSecret(text: string): boolean {
  return text.length >= MIN_SECRET_LENGTH && !PLACEHOLDER.test(text.trim());
}

/** What kind of well-known secret the text holds; published example keys do not count. */
export function secretShapeIn(text: string): string | undefined {
  // Nothing shorter can match; most literals end here.
  if (text.length < 16) return undefined;
  const shape = SHAPES.find(({ pattern }) => pattern.test(text));
  return shape === undefined || /EXAMPLE/.test(text) ? undefined : shape.name;
}
