// Tokens that are recognised by their own shape, as their issuers document it. The last net: a shape says nothing about
// passwords people choose.

import type { Level, Span } from "./spans.ts";

type Shape = { readonly label: string; readonly pattern: RegExp };

const SHAPES: readonly Shape[] = [
  {
    label: "private_key",
    pattern:
      /-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----(?:\\n|\s|\\r)*([\s\S]{16,16000}?)(?:\\n|\s|\\r)*(?=-----END|$)/g,
  },
  { label: "putty_key", pattern: /^Private-Lines: \d+\r?\n([\s\S]+?)\r?\nPrivate-MAC/gm },
  { label: "age_key", pattern: /\b(AGE-SECRET-KEY-1[0-9A-Z]{50,62})\b/g },
  { label: "aws_key_id", pattern: /\b((?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16})\b/g },
  { label: "alicloud_key_id", pattern: /\b(LTAI[A-Za-z0-9]{12,26})\b/g },
  { label: "tencent_key_id", pattern: /\b(AKID[A-Za-z0-9]{28,40})\b/g },
  { label: "google_api_key", pattern: /\b(AIza[\w-]{35})(?![\w-])/g },
  {
    label: "google_oauth",
    pattern: /\b(ya29\.[\w-]{20,2000}|GOCSPX-[\w-]{24,40}|1\/\/0[\w-]{30,200})/g,
  },
  {
    label: "azure_account_key",
    pattern: /(?:AccountKey|SharedAccessKey|sharedSecret)=([A-Za-z0-9+/]{40,100}={0,2})/g,
  },
  {
    label: "azure_client_secret",
    pattern: /(?<![\w~.-])([\w~.-]{3}8Q~[\w~.-]{31,34})(?![\w~.-])/g,
  },
  { label: "github_token", pattern: /\b(gh[pousr]_[A-Za-z0-9]{30,255}|github_pat_\w{22,255})/g },
  {
    label: "gitlab_token",
    pattern: /\b((?:glpat|gldt|glrt|glcbt|glptt|glsoat|glagent|glft|glimt)-[\w-]{16,100})/g,
  },
  { label: "slack_token", pattern: /\b(xox[abeoprs]-[\w-]{10,300}|xapp-\d-[\w-]{10,300})/g },
  {
    label: "slack_webhook",
    pattern: /hooks\.slack(?:-gov)?\.com\/(?:services|workflows|triggers)\/([\w/+-]{10,200})/g,
  },
  { label: "teams_webhook", pattern: /webhook\.office\.com\/webhookb2\/([\w@/-]{30,300})/g },
  {
    label: "discord_webhook",
    pattern: /discord(?:app)?\.com\/api\/webhooks\/\d+\/([\w-]{30,100})/g,
  },
  { label: "model_api_key", pattern: /\b(sk-(?:[a-z]+-)*[\w-]{20,300})/g },
  { label: "stripe_key", pattern: /\b((?:sk|rk|whsec)_(?:live_|test_)?[A-Za-z0-9]{16,120})\b/g },
  { label: "npm_token", pattern: /\b(npm_[A-Za-z0-9]{36})\b/g },
  { label: "pypi_token", pattern: /\b(pypi-[\w-]{50,300})/g },
  { label: "docker_token", pattern: /\b(dckr_(?:pat|oat)_[\w-]{20,100})/g },
  { label: "vault_token", pattern: /\b((?:hv[sbr]\.|s\.)[A-Za-z0-9_-]{24,300})(?![\w-])/g },
  { label: "terraform_token", pattern: /\b([A-Za-z0-9]{14}\.atlasv1\.[\w-]{60,80})/g },
  { label: "digitalocean_token", pattern: /\b(do[opr]_v1_[a-f0-9]{40,80})\b/g },
  { label: "sendgrid_key", pattern: /\b(SG\.[\w-]{16,32}\.[\w-]{16,64})/g },
  { label: "grafana_token", pattern: /\b(gl(?:sa|c)_[\w+/=-]{32,300})/g },
  { label: "datadog_key", pattern: /\bdd(?:p|a)?_?(?:api|app)_?key\W{1,4}([a-f0-9]{32,40})\b/gi },
  { label: "newrelic_key", pattern: /\b(NR(?:AK|JS|II|IQ|RA)-[A-Za-z0-9-]{20,60})/g },
  { label: "atlassian_token", pattern: /\b(AT(?:ATT|CTT)3[\w=-]{40,300})/g },
  { label: "postman_key", pattern: /\b(PMAK-[a-f0-9]{24}-[a-f0-9]{34})\b/g },
  { label: "shopify_token", pattern: /\b(shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32})\b/g },
  { label: "square_token", pattern: /\b(sq0(?:atp|csp|idp)-[\w-]{20,60})/g },
  { label: "tailscale_key", pattern: /\b(tskey-[a-z]+-[\w-]{20,80})/g },
  { label: "hugging_face_token", pattern: /\b(hf_[A-Za-z0-9]{30,60})\b/g },
  { label: "linear_key", pattern: /\b(lin_(?:api|oauth)_[A-Za-z0-9]{32,64})\b/g },
  { label: "doppler_token", pattern: /\b(dp\.(?:pt|st|ct|sa|scim|audit)\.[\w.-]{30,80})/g },
  { label: "pulumi_token", pattern: /\b(pul-[a-f0-9]{40})\b/g },
  { label: "telegram_token", pattern: /\b(\d{8,10}:AA[\w-]{32,34})(?![\w-])/g },
  { label: "jwt", pattern: /\b(eyJ[\w-]{10,4000}\.eyJ[\w-]{10,8000}\.[\w-]{0,2000})/g },
  {
    label: "connection_password",
    pattern: /(?:^|[;"'\s])(?:password|pwd)\s*=\s*(?!\$|\{)([^;"'\s]{4,200})(?=;)/gi,
  },
  { label: "crypt_hash", pattern: /(\$(?:2[aby]|5|6|y|apr1|argon2id?)\$[\w./$,=+-]{20,200})/g },
];

/** Base64 of text that begins with `-----BEGIN`: a certificate or a key. */
const ENCODED_PEM = /(LS0tLS1CRUdJTi[A-Za-z0-9+/]{40,}={0,2})/g;

/** Only in `strict`: long random text that nothing else explains. Hex is left alone, since it is nearly always a hash. */
const RANDOM = /(?<![\w+/=:.@-])([A-Za-z0-9+/_-]{32,256}={0,2})(?![\w+/=-])/g;

/** Spans of well-known token shapes. */
export function shapeSpans(text: string, level: Level): Span[] {
  const spans = SHAPES.flatMap(({ label, pattern }) => spansOf(text, label, pattern));
  spans.push(
    ...spansOf(text, "private_key", ENCODED_PEM).filter(({ start, end }) =>
      Buffer.from(text.slice(start, end), "base64").includes("PRIVATE KEY"),
    ),
  );
  if (level !== "strict") return spans;
  return [
    ...spans,
    ...spansOf(text, "random", RANDOM).filter(({ start, end }) => isRandom(text.slice(start, end))),
  ];
}

function spansOf(text: string, label: string, pattern: RegExp): Span[] {
  return [...text.matchAll(pattern)].flatMap((match) => {
    const inner = match[1] ?? "";
    const start = match.index + match[0].lastIndexOf(inner);
    return inner === "" ? [] : [{ start, end: start + inner.length, label }];
  });
}

/** Mixed case and digits with no long run of either, unlike names and paths. */
function isRandom(text: string): boolean {
  if (/^[a-f0-9-]+$/i.test(text) || text.includes("//")) return false;
  const switches = text.match(/[a-z][A-Z0-9]|[A-Z][a-z0-9]|\d[A-Za-z]/g)?.length ?? 0;
  return switches >= text.length / 4;
}
