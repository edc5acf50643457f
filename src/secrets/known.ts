// Values that are known to be secret, looked for in every form they may be printed in, in one pass over the text.

import { type Form, formsOf } from "./forms.ts";
import type { Span } from "./spans.ts";
import { isKnowable, MIN_KNOWN_LENGTH } from "./values.ts";

export type KnownValue = { readonly value: string; readonly label: string };

/** Values kept for one session; more are ignored, first come first kept. */
export const MAX_KNOWN_VALUES = 20_000;
/** Line of a known value of several lines that is looked for by itself. */
const MIN_LINE_LENGTH = 16;

/** The index of known values: forms by their first MIN_KNOWN_LENGTH characters, which every form has; longest first. */
export class KnownValues {
  readonly #forms = new Map<string, Form[]>();
  /** First two characters of every form: tells most places of a text apart without cutting a string. */
  readonly #starts = new Set<number>();
  readonly #seen = new Set<string>();

  /** Values taken so far. */
  get size(): number {
    return this.#seen.size;
  }

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
