// How programs print one and the same value: encoded for URLs, JSON, HTML, YAML and shells, in Base64 and in hexadecimal.

import { MIN_KNOWN_LENGTH } from "./values.ts";

export type Form = { readonly text: string; readonly label: string };

/** The value as it stands and in every form that is looked for; the label of a form says which it is. */
export function formsOf(value: string, label: string): Form[] {
  const texts = new Map<string, string>([[value, label]]);
  const add = (how: string, ...forms: readonly string[]): void => {
    for (const text of forms)
      if (text.length >= MIN_KNOWN_LENGTH && !texts.has(text)) texts.set(text, `${label}.${how}`);
  };
  if (value.isWellFormed()) add("url", ...urlForms(value));
  add("json", ...jsonForms(value));
  add(
    "quoted",
    value.replaceAll("'", String.raw`'\''`),
    value.replaceAll("'", "''"),
    value.replaceAll(/[$`"\\]/g, String.raw`\$&`),
    value.replaceAll(/[^\w./:=@%^+,-]/g, String.raw`\$&`),
    value.replaceAll("$", () => "$$"),
  );
  add("html", ...htmlForms(value));
  add("base64", ...base64Forms(value));
  const hex = Buffer.from(value, "utf8").toString("hex");
  add("hex", hex, hex.toUpperCase());
  return [...texts].map(([text, named]) => ({ text, label: named }));
}

const percent = (char: string): string =>
  `%${char.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`;

/**
 * Encoders differ in what they leave: JavaScript `!'()*`, Python the slash, form encoders write a plus for a blank; some
 * write hexadecimal digits in lower case.
 */
function urlForms(value: string): string[] {
  const loose = encodeURIComponent(value);
  const strict = loose.replaceAll(/[!'()*]/g, percent);
  const upper = [loose, strict, loose.replaceAll("%2F", "/"), strict.replaceAll("%2F", "/")];
  const all = [...upper, ...upper.map((form) => form.replaceAll("%20", "+"))];
  const lower = all.map((form) => form.replaceAll(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()));
  return [...all, ...lower];
}

/** Go writes `<`, `>` and `&` as escapes, others all that is not ASCII; HCL doubles the dollar before a brace. */
function jsonForms(value: string): string[] {
  const escaped = JSON.stringify(value).slice(1, -1);
  const unicode = (char: string): string =>
    `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`;
  const go = escaped.replaceAll(/[<>&]/g, unicode);
  return [
    escaped,
    JSON.stringify(escaped).slice(1, -1),
    go,
    JSON.stringify(go).slice(1, -1),
    escaped.replaceAll(/[^\0-\x7f]/g, unicode),
    escaped.replaceAll(/[$%]\{/g, (open) => `${open.charAt(0)}${open}`),
  ];
}

function htmlForms(value: string): string[] {
  const body = value.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  return [
    body,
    body.replaceAll('"', "&quot;"),
    body.replaceAll('"', "&quot;").replaceAll("'", "&#39;"),
    body.replaceAll('"', "&quot;").replaceAll("'", "&apos;"),
    body.replaceAll('"', "&#34;").replaceAll("'", "&#39;"),
  ];
}

/** Base64 of the value alone, and the part of it that no neighbour changes when it stands inside longer data. */
function base64Forms(value: string): string[] {
  const bytes = Buffer.from(value, "utf8");
  const forms = [bytes.toString("base64"), bytes.toString("base64").replace(/=+$/, "")];
  for (const shift of [0, 1, 2]) {
    const encoded = Buffer.concat([Buffer.alloc(shift), bytes])
      .toString("base64")
      .replace(/=+$/, "");
    const lead = [0, 2, 3][shift] ?? 0;
    const spare = (bytes.length + shift) % 3 === 0 ? 0 : 1;
    forms.push(encoded.slice(lead, encoded.length - spare));
  }
  return forms.flatMap((form) => [form, form.replaceAll("+", "-").replaceAll("/", "_")]);
}
