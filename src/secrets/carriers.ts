// Secrets known by what carries them rather than by a key beside them: URLs, HTTP headers, name/value pairs, blocks that
// declare a secret, a program's own flags, and commands whose whole output is one.

import { labelOf, strengthOfKey } from "./key-names.ts";
import { type Hint, isCodePath, type Level, type Span } from "./spans.ts";
import { isReference, isStandIn, looksSecret } from "./values.ts";

type Carrier = {
  readonly label: string;
  /** Group `value` is the secret; group `name`, where there is one, must name a secret. */
  readonly pattern: RegExp;
  /** The carrier also occurs in running text: the value must look like a secret. */
  readonly mustLook?: true;
};

const VALUE = String.raw`(?:"(?<quoted>(?:[^"\\\n]|\\.)*)"|'(?<single>[^'\n]*)'|(?<bare>[^\s"',}{[\]]+))`;

const CARRIERS: readonly Carrier[] = [
  {
    label: "url.password",
    pattern:
      /\b[a-z][a-z0-9+.-]{1,30}:\/\/[^\s:@/"'<>]{0,200}:(?<value>[^\s@"'<>]{1,500})@(?=[\w[$.-])/gi,
  },
  {
    // https://token@host: a user part that nobody would type.
    label: "url.token",
    pattern: /\bhttps?:\/\/(?<value>[\w.~%-]{20,200})@/gi,
  },
  {
    label: "url.parameter",
    pattern:
      /[?&](?:amp;)?(?:sig|signature|x-amz-signature|x-amz-security-token|x-goog-signature|access_token|refresh_token|id_token|client_secret|api_?key|apikey|token|password|passwd|secret|key|code)=(?<value>[^&\s"'#<>\\]{6,2000})/gi,
  },
  {
    label: "authorization",
    pattern:
      /\b(?:proxy-)?authorization(?:\\?["'])?\s*[:=]\s*(?:\\?["'])?(?:(?:bearer|basic|token|digest|apikey|aws4-hmac-sha256)\s+)?(?<value>[^\s"'\\,;]{6,4000})/gi,
  },
  { label: "bearer", pattern: /\bbearer\s+(?<value>[\w.~+/-]{16,4000}=*)/gi },
  {
    label: "cookie",
    pattern:
      /\b(?:set-)?cookie(?:\\?["'])?\s*:\s*(?:\\?["'])?[\w.-]+=(?<value>[^;\s"'\\]{8,4000})/gi,
  },
  {
    label: "mysql.password",
    pattern:
      /\b(?:mysql|mysqldump|mariadb|mysqladmin|sshpass)\b[^\n|;&]{0,300}?\s-p\s?(?:'(?<single>[^'\n]+)'|"(?<quoted>[^"\n]+)"|(?<bare>[^\s'"]+))/g,
  },
  {
    label: "curl.password",
    pattern:
      /(?:\bcurl\b|\bhttpie?\b)[^\n|;&]{0,500}?\s(?:-u|--user|--proxy-user)[\s=]?["']?[^\s:"']+:(?<value>[^\s"']+)/g,
  },
  {
    label: "netrc.password",
    pattern: /\b(?:machine|login)\s+\S+\s+(?:login\s+\S+\s+)?password\s+(?<value>\S+)/g,
  },
  {
    label: "login.password",
    pattern:
      /\b(?:(?:docker|podman|nerdctl|buildah|skopeo|oc|az|helm\s+registry|registry)\s+login|mongosh|mongo|mongodump|redis-cli|ldapsearch|ldapadd|kinit|unzip|zip)\b[^\n|;&]{0,300}?\s-[paPw]\s+["']?(?<value>[^\s"']{4,200})/g,
  },
  { label: "openssl.password", pattern: /-pass(?:in|out)?\s+["']?pass:(?<value>[^\s"']+)/g },
  { label: "smb.password", pattern: /\s(?:-U|--user)[\s=]["']?[^\s%"']+%(?<value>[^\s"']+)/g },
  {
    label: "htpasswd.password",
    pattern: /\bhtpasswd\s+-\w*b\w*\s+\S+\s+\S+\s+["']?(?<value>[^\s"']+)/g,
  },
  {
    label: "sql.password",
    pattern:
      /\b(?:identified\s+(?:with\s+\S+\s+)?by|(?:with\s+)?(?:encrypted\s+)?password)\s+\\?'(?<value>[^'\n\\]{3,200})/gi,
  },
  {
    // fish, csh, `aws configure set`: name and value with a blank between.
    label: "set.value",
    pattern:
      /\b(?:set(?:\s+-{1,2}\w+)*|setenv|configure\s+set|config\s+set(?:\s+--secret)?)\s+(?<name>[\w.:-]{3,80})\s+["']?(?<value>[^\s"'=-][^\s"']{3,500})/g,
  },
  {
    // "your temporary password is: …", "**Token:** `…`".
    label: "told",
    mustLook: true,
    pattern:
      /\b(?:password|passphrase|passcode|token|secret|api[ _-]key|access[ _-]key|credentials?)[\s*`_"']{0,4}(?:is|was|are|:)[\s*`_"':]{1,5}(?<value>[^\s"'`<>]{6,200}[^\s"'`<>.,;:!?)])/gi,
  },
  {
    label: "told",
    mustLook: true,
    pattern: /\b(?:login|credentials?|user(?:name)?)\s*:\s*[\w.@-]+\s*\/\s*(?<value>\S{6,200})/gi,
  },
  {
    label: "directive.password",
    pattern:
      /^[ \t]*(?:requirepass|masterauth|sentinel\s+auth-pass\s+\S+|rootpw|bindpw|ldap_default_authtok)\s+["']?(?<value>[^\s"']{3,500})/gm,
  },
  {
    label: "set.value",
    pattern:
      /\b(?:secrets?|variable|put-parameter|put-secret-value|create-secret)\b[^\n|;&]{0,200}?\s(?:--body|--value|--secret-string|-b)[\s=]["']?(?<value>[^\s"']{4,2000})/g,
  },
  {
    // Text and CSV output of a cloud CLI: the key's id, then the key.
    label: "aws_secret_key",
    pattern:
      /\b(?:AKIA|ASIA)[A-Z2-7]{16}\b[^\n]{0,60}?(?<![\w/+])(?<value>[A-Za-z0-9/+]{40})(?![\w/+=])/g,
  },
  {
    label: "alicloud_secret_key",
    pattern:
      /\bLTAI[A-Za-z0-9]{12,26}\b[^\n]{0,60}?(?<![\w/+])(?<value>[A-Za-z0-9]{30})(?![\w/+=])/g,
  },
  { label: "xml.value", pattern: /<(?<name>[\w.-]{2,60})>(?<value>[^<>\n]{3,2000})<\/\k<name>>/g },
  {
    // Environment lists: {name, value} in YAML, JSON and HCL, on one line or on two.
    label: "value",
    pattern: new RegExp(
      String.raw`\b(?:name|key|ParameterKey|OptionName|variable)\\?["']?\s*[:=]\s*\\?["']?(?<name>[\w.-]{2,80})\\?["']?\s*,?\s*(?:\n[+\-~ \t]*)?\\?["']?(?:value|ParameterValue)\\?["']?\s*[:=]\s*${VALUE}`,
      "gi",
    ),
  },
];

/** A block that declares a secret by its name or its marks, with a literal default inside. */
const BLOCKS: readonly { readonly open: RegExp; readonly value: RegExp }[] = [
  {
    open: /^[+\- ]?variable\s+"(?<name>[\w-]+)"\s*\{(?<body>[\s\S]{0,4000}?)^[+\- ]?\}/gm,
    value: new RegExp(String.raw`^[+\-\s]*default\s*=\s*${VALUE}`, "gm"),
  },
  {
    open: /^(?<indent>[ \t]+)["']?(?<name>\w+)["']?:[ \t]*\n(?<body>(?:\k<indent>[ \t]+.*(?:\n|$)){1,30})/gm,
    value: new RegExp(String.raw`^[ \t]*["']?(?:Default|default|value)["']?:[ \t]*${VALUE}`, "gm"),
  },
];
const DECLARED_SECRET = /^[+\-\s]*(?:sensitive\s*=\s*true|["']?NoEcho["']?:\s*["']?true)/im;

/** Commands that print nothing but one secret. */
const PRINTERS =
  /\b(?:terraform|tofu)\b.*\boutput\b.*\s-raw\b|\bvault\s+(?:kv\s+get|read)\b.*-field[= ]|get-secret-value\b.*\btext\b|\bop\s+read\b|\bpass\s+show\b|\bgcloud\s+secrets\s+versions\s+access\b|\bkubectl\b.*\bsecrets?\b.*(?:jsonpath|go-template)|\bgh\s+auth\s+token\b|\b(?:gcloud\s+auth\s+print-\w+-token|az\s+account\s+get-access-token.*tsv)\b|\bbase64\s+(?:-d|-D|--decode)\b/;

/** Commands that store secrets: the value of each assignment on their line is one, whatever its name. */
const STORING =
  /\b(?:vault\s+(?:kv\s+put|kv\s+patch|write)|kubectl\s+create\s+secret|(?:fly|flyctl|doppler|wrangler|supabase)\s+secrets?\s+(?:set|upload)|heroku\s+config:set)\b[^\n|;&]*/g;
const ASSIGNED = /(?<=[\s=])[\w.-]+=(?:'([^']+)'|"([^"]+)"|([^\s'"@][^\s'"]{3,}))/g;

function storedSpans(text: string, level: Level): Span[] {
  return [...text.matchAll(STORING)].flatMap((command) =>
    [...command[0].replace(/--from-literal=/g, "--from-literal ").matchAll(ASSIGNED)].flatMap(
      (match) => {
        const value = match[1] ?? match[2] ?? match[3] ?? "";
        if (!isWanted(value, match[3] === undefined, level)) return [];
        const start = command.index + match.index + match[0].lastIndexOf(value);
        return [{ start, end: start + value.length, label: "stored" }];
      },
    ),
  );
}

/** Spans of secrets known by their carrier. */
export function carrierSpans(text: string, hint: Hint, level: Level): Span[] {
  const carriers = isCodePath(hint.path) ? CARRIERS.filter(({ mustLook }) => !mustLook) : CARRIERS;
  const spans = carriers.flatMap((carrier) => matchesOf(carrier, text, level));
  spans.push(...storedSpans(text, level));
  for (const block of BLOCKS) spans.push(...declaredSpans(block, text, level));
  if (hint.path?.endsWith(".pgpass") === true) spans.push(...lastFields(text));
  if (PRINTERS.test(hint.command ?? "")) spans.push(...wholeLines(text));
  return spans;
}

function isWanted(value: string, isQuoted: boolean, level: Level): boolean {
  return !isReference(value, isQuoted) && (level === "strict" || !isStandIn(value));
}

function matchesOf({ label, pattern, mustLook }: Carrier, text: string, level: Level): Span[] {
  const spans: Span[] = [];
  for (const match of text.matchAll(pattern)) {
    const name = match.groups?.["name"];
    if (name !== undefined && strengthOfKey(name) === "none") continue;
    const found = valueOf(match);
    if (found === undefined || !isWanted(found.value, found.isQuoted, level)) continue;
    if (mustLook && !looksSecret(found.value)) continue;
    // host:8080/path@v1 is an address, not user and password.
    if (label === "url.password" && /^\d+\//.test(found.value)) continue;
    const start = match.index + match[0].lastIndexOf(found.value);
    spans.push({
      start,
      end: start + found.value.length,
      label: name === undefined ? label : labelOf(name),
    });
  }
  return spans;
}

function valueOf(
  match: RegExpMatchArray,
): { readonly value: string; readonly isQuoted: boolean } | undefined {
  const { value, quoted, single, bare } = match.groups ?? {};
  const found = value ?? quoted ?? single ?? bare;
  if (found === undefined || found === "") return undefined;
  return { value: found, isQuoted: quoted !== undefined || single !== undefined };
}

function declaredSpans(block: (typeof BLOCKS)[number], text: string, level: Level): Span[] {
  const spans: Span[] = [];
  for (const match of text.matchAll(block.open)) {
    const { name = "", body = "" } = match.groups ?? {};
    if (strengthOfKey(name) === "none" && !DECLARED_SECRET.test(body)) continue;
    const offset = match.index + match[0].lastIndexOf(body);
    for (const inner of body.matchAll(block.value)) {
      const found = valueOf(inner);
      if (found === undefined || !isWanted(found.value, found.isQuoted, level)) continue;
      const start = offset + inner.index + inner[0].lastIndexOf(found.value);
      spans.push({ start, end: start + found.value.length, label: `var.${labelOf(name)}` });
    }
  }
  return spans;
}

/** The password of each `host:port:database:user:password` line. */
function lastFields(text: string): Span[] {
  return [...text.matchAll(/^(?!#)(?:(?:[^:\\\n]|\\.)*:){4}(.+)$/gm)].flatMap((match) => {
    const end = match.index + match[0].length;
    return [{ start: end - (match[1] ?? "").length, end, label: "pgpass.password" }];
  });
}

const wholeLines = (text: string): Span[] =>
  [...text.matchAll(/^[ \t]*(\S.{3,}?)[ \t\r]*$/gm)].map((match) => {
    const start = match.index + match[0].indexOf(match[1] ?? "");
    return { start, end: start + (match[1] ?? "").length, label: "printed" };
  });
