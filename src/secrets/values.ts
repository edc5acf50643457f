// Questions about a value alone: is it a reference to somewhere else, a stand-in, or plain words, rather than a secret?

const NOTHING =
  /^(true|false|null|nil|none|undefined|~|yes|no|on|off|string|number|bool|boolean|any|object|list|map|int|integer|required|optional|sensitive|securestring|enabled|disabled|default|opaque|bearer|basic|token|secret|password|username|key|auth|n\/a|unknown)$/i;
/** Written by people and programs in place of a secret. */
const STAND_IN =
  /^(?:\*+|x{3,}|\.{3,}|•+|-+|_+|<[^<>]*>|\[[^\]]*\]|\{[^{}"]*\}|\((?:sensitive value|sensitive|known after apply|redacted|hidden|none)\)?.*|redacted|masked|hidden|sensitive value|\(sensitive.*)$/i;
const TO_CHANGE =
  /^(change[-_ ]?me.*|change[-_ ]?it|replace[-_ ]?me.*|your[-_ ].*|my[-_ ]?(password|secret|token)|example|dummy|placeholder.*|todo|tbd|fixme|insert[-_ ].*|fake)$/i;
const ROOT_OF_REFERENCE =
  /^(var|local|data|module|each|self|path|terraform|count|dependency|include|random_\w+|[a-z]+_\w+)(\.|\[)[\w.["\]*-]+$/;
const CALL = /^[A-Za-z_][\w.:]*\(/;
const ELSEWHERE =
  /^(?:\$\{.*\}|\$\(.*\)|\$[A-Za-z_]\w*|%[A-Za-z_]\w*%|\{\{.*\}\}|!\w.*|<%.*%>|arn:[\w-]+:.*|ref\+.*|vault:.*|op:\/\/.*|awssm:.*|secretsmanager:.*|ssm:.*|env:.*|file:.*|ENC\[.*|projects\/[^/]+\/secrets\/.*|@Microsoft\.KeyVault.*)$/s;
const FILE_PATH =
  /^(?:~|\.{1,2})?\/(?:[\w.@-]+\/)*[\w.@-]+$|^[A-Za-z]:\\|^[\w.-]+\.(?:pem|key|crt|json|ya?ml|txt|tf)$/;

/** True for a value that names a secret kept elsewhere, or is none: variables, templates, paths, ARNs, `null`. */
export function isReference(value: string, isQuoted: boolean): boolean {
  const text = value.trim();
  if (text.length < 3 || NOTHING.test(text) || STAND_IN.test(text) || ELSEWHERE.test(text))
    return true;
  if (text.includes("«secret:") || text.includes("(sensitive")) return true;
  if (/^\d{1,5}$/.test(text) || /^(?:ssh-(?:rsa|ed25519|dss)|ecdsa-sha2-\S+)\s/.test(text))
    return true;
  if (FILE_PATH.test(text) && text.length < 120 && !/[A-Za-z0-9+/]{40,}/.test(text)) return true;
  // Quoted text with a template inside is put together elsewhere; its literal parts are looked at by other detectors.
  if (isQuoted) return text.includes("${") || text.includes("{{");
  return ROOT_OF_REFERENCE.test(text) || CALL.test(text);
}

/** True for words such as `changeme`, which `strict` masks and `balanced` shows. */
export function isStandIn(value: string): boolean {
  return TO_CHANGE.test(value.trim());
}

/** True when a value looks made by a generator or a careful person rather than being a name. */
export function looksSecret(value: string): boolean {
  if (value.length < 8 || /^(https?:|arn:|urn:)/.test(value) || /\s/.test(value)) return false;
  if (
    /^[a-z]+([-_.][a-z]+)*$/i.test(value) &&
    !/[a-z][A-Z]{2,}|[A-Z][a-z]+[A-Z][a-z]+[A-Z]/.test(value)
  )
    return value.length >= 32;
  if (/^v?\d+(\.\d+)+([-+].*)?$/.test(value) || /^[\d.:/-]+$/.test(value))
    return /^\d{10,}$/.test(value);
  // A name with a number, `db-secret-2`, is still a name.
  return !/^[a-z]+([-_.][a-z]+)*([-_.]?\d{1,3})?$/.test(value);
}

const COMMON =
  /^(password\d*|administrator|localhost|production|development|terraform|kubernetes|postgres(ql)?|[a-z]{2,}-[a-z]+-\d[a-z]?|\d{4}-\d\d-\d\d.*|[\d.:/]+|[a-z0-9.-]+\.(com|org|net|io|dev|internal|local)|[\w.+-]+@[\w.-]+|(https?|s3|gs):\/\/[^@]*|arn:.*)$|^(?<char>.)\k<char>+$/i;

export const MIN_KNOWN_LENGTH = 8;
export const MAX_KNOWN_LENGTH = 8_192;

/** True when a value may be looked for everywhere: long enough, neither common nor public nor plain words. */
export function isKnowable(value: string): boolean {
  if (value.length < MIN_KNOWN_LENGTH || value.length > MAX_KNOWN_LENGTH) return false;
  if (COMMON.test(value) || isStandIn(value) || isReference(value, true)) return false;
  if (/^[a-z]+$/i.test(value)) return value.length >= 12;
  return !/^[a-z]+([-_. ][a-z]+)*$/i.test(value) || value.length >= 16;
}
