// Values that are known to be secret, looked for in every form they may be printed in, in one pass over the text.

import type { Span } from "./spans.ts";
import { isKnowable, MIN_KNOWN_LENGTH } from "./values.ts";

export type KnownValue = { readonly value: string; readonly label: string };

/** Values kept for one session; more are ignored, first come first kept. */
export const MAX_KNOWN_VALUES = 20_000;
/** Line of a known value of several lines that is looked for by itself. */
const MIN_LINE_LENGTH = 16;

type Form = { readonly text: string; readonly label: string };

/** The index of known values: forms by their first MIN_KNOWN_LENGTH characters, which every form has; longest first. */
export class KnownValues {
  readonly #forms = new Map<string, Form[]>();
  /** First two characters of every form: tells most places of a text apart without cutting a string. */
  readonly #starts = new Set<number>();
  readonly #seen = new Set<string>();

  /** Adds a value and its encoded forms; values that are short, common or public are not taken. True when taken. */
  add({ value, label }: KnownValue): boolean {
    if (/[\r\n]/.test(value))
      return linesOf(value)
        .map((line) => this.add({ value: line, label }))
        .includes(true);
    if (!isKnowable(value)) return false;
    if (this.#seen.has(value)) return true;
    if (this.#seen.size >= MAX_KNOWN_VALUES) return false;
    this.#seen.add(value);
    for (const form of formsOf(value, label)) this.#insert(form);
    return true;
  }

  /** Every occurrence, the longest form first at each place, without overlaps. */
  find(text: string): Span[] {
    const spans: Span[] = [];
    if (this.#forms.size === 0) return spans;
    for (let at = 0; at + MIN_KNOWN_LENGTH <= text.length; at += 1) {
      if (!this.#starts.has(startKey(text, at))) continue;
      const forms = this.#forms.get(text.slice(at, at + MIN_KNOWN_LENGTH));
      const form = forms?.find((one) => text.startsWith(one.text, at));
      if (form === undefined) continue;
      spans.push({ start: at, end: at + form.text.length, label: form.label });
      // Overlapping finds are joined later: going on by one keeps a value that begins inside another.
    }
    return spans;
  }

  #insert(form: Form): void {
    const key = form.text.slice(0, MIN_KNOWN_LENGTH);
    this.#starts.add(startKey(form.text, 0));
    const forms = this.#forms.get(key) ?? [];
    if (forms.some((one) => one.text === form.text)) return;
    forms.push(form);
    forms.sort((a, b) => b.text.length - a.text.length);
    this.#forms.set(key, forms);
  }
}

const startKey = (text: string, at: number): number =>
  text.charCodeAt(at) * 65_536 + text.charCodeAt(at + 1);

/** Keys and certificates are looked for line by line, since output shows them indented or cut. */
const linesOf = (value: string): string[] =>
  value
    .split(/\r?\n|\r/)
    .map((line) => line.trim())
    .filter((line) => line.length >= MIN_LINE_LENGTH && !/^-----(BEGIN|END)/.test(line));

/** The value as it stands, URL-encoded, JSON-escaped, shell-quoted, and inside Base64 at each of the three alignments. */
function formsOf(value: string, label: string): Form[] {
  const texts = new Map<string, string>([[value, label]]);
  const add = (text: string, how: string): void => {
    if (text.length >= MIN_KNOWN_LENGTH && !texts.has(text)) texts.set(text, `${label}.${how}`);
  };
  const isWhole = value.isWellFormed();
  if (isWhole) add(encodeURIComponent(value), "url");
  if (isWhole) add(encodeURIComponent(value).replaceAll("%20", "+"), "url");
  add(JSON.stringify(value).slice(1, -1), "json");
  add(JSON.stringify(JSON.stringify(value).slice(1, -1)).slice(1, -1), "json");
  add(value.replaceAll("'", String.raw`'\''`), "quoted");
  add(value.replaceAll(/[$`"\\]/g, String.raw`\$&`), "quoted");
  add(
    value
      .replaceAll("&", "&amp;")
      .replaceAll("<", "&lt;")
      .replaceAll(">", "&gt;")
      .replaceAll('"', "&quot;"),
    "html",
  );
  for (const text of base64Forms(value)) add(text, "base64");
  return [...texts].map(([text, named]) => ({ text, label: named }));
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
