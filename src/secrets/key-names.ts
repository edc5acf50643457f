// Which names say that their value is a secret: `db_password`, `apiKey`, `client-secret`; not `password_length`,
// `secret_name`, `public_key`.

/** Words that describe the form or place of a value and may follow the word that counts. */
const SUFFIXES = new Set(
  "0 1 2 3 prod production dev test staging stage old new current previous primary secondary value string text plaintext plain raw b64 base64 encoded encrypted pem data default main live base wo hash jwk".split(
    " ",
  ),
);
const STRONG = new Set(
  "password passwords passwd passphrase passcode pwd pw pgpassword apikey credential credentials dsn psk authtoken secretkey privatekey dockerconfigjson htpasswd authorization storepass keypass passkey mnemonic presharedkey".split(
    " ",
  ),
);
/** Words that are also used for names and kinds of things: their value must look like a secret. */
const WEAK = new Set(
  "pass secret secrets token tokens auth cookie webhook accesskey sas salt jwt pat bearer".split(
    " ",
  ),
);
const PAIRS = new Set(
  [
    "api key,access key,secret key,private key,auth key,encryption key,signing key,master key,account key,storage key",
    "shared key,session key,license key,service key,app key,application key,client key,consumer key,tls key,server key",
    "integration key,write key,ingest key,hmac key,cookie key,connection string,connection strings,secret string",
    "key material,webhook url,slack url,preshared key,function key,functions key,subscription key,sas url,access id secret",
  ]
    .join(",")
    .split(","),
);
const NOT_SECRET = new Set("public existing".split(" "));

export type KeyStrength = "strong" | "weak" | "none";

/** `clientSecret`, `client-secret` and `CLIENT_SECRET` alike → `["client", "secret"]`. */
export function wordsOf(name: string): string[] {
  return name
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1_$2")
    .replaceAll(/([A-Z]+)([A-Z][a-z])/g, "$1_$2")
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter(Boolean);
}

/** How surely a key of that name holds a secret. An upper-case `SECRET` or `TOKEN`, as in the environment, is sure. */
export function strengthOfKey(name: string): KeyStrength {
  const words = wordsOf(name);
  if (words.some((word) => NOT_SECRET.has(word))) return "none";
  if (words.slice(-3).join(" ") === "slack api url") return "strong";
  const isUpperCase = name === name.toUpperCase() && /[A-Z]/.test(name);
  for (;;) {
    const last = (words.at(-1) ?? "").replace(/\d+$/, "");
    const pair = `${words.at(-2) ?? ""} ${last}`;
    if (STRONG.has(last) || PAIRS.has(pair) || PAIRS.has(pair.replace(/s$/, ""))) return "strong";
    if (/password|passwd/.test(last)) return "strong";
    if (WEAK.has(last)) return isUpperCase ? "strong" : "weak";
    if (words.length < 2 || !SUFFIXES.has(words.at(-1) ?? "")) return "none";
    words.pop();
  }
}

/** True for a name of several secrets, whose value is a map or a list of them: `db_passwords`, `api_keys`. */
export function isPluralKey(name: string): boolean {
  return (
    /(?:passwords|secrets|tokens|keys)$/.test(wordsOf(name).join(" ")) &&
    strengthOfKey(name) !== "none"
  );
}

/** The name as it stands in a placeholder: short, and of harmless characters only. */
export function labelOf(name: string): string {
  const clean = name.replaceAll(/[^\w.-]+/g, "_").replaceAll(/^[_.-]+|[_.-]+$/g, "");
  return clean.slice(-MAX_LABEL_LENGTH) || "value";
}
const MAX_LABEL_LENGTH = 60;
