// What a transport says about itself, as data: the command line derives its flags and help from it.

import type { Host, Listener } from "./transport.ts";

type FlagValue = string | boolean | readonly string[] | undefined;
export type FlagValues = Readonly<Record<string, FlagValue>>;

/** A flag `--name`. `strings` may be given more than once. Numbers, sizes and times are strings until `open` reads them. */
export type Flag =
  | {
      readonly type: "string";
      readonly default?: string;
      readonly value: string;
      readonly help: string;
    }
  | { readonly type: "boolean"; readonly default: false; readonly help: string }
  | { readonly type: "strings"; readonly value: string; readonly help: string };

/** What `open` needs from outside beside its flags. */
export type OpenContext = {
  readonly host: Host;
  /** Where secrets come from, so that none is ever a flag. */
  readonly env: Readonly<Record<string, string | undefined>>;
};

/** A member of this room. `open` rejects with a readable Error when a flag is wrong or the address is taken. */
export type Transport = {
  readonly name: string;
  readonly help: string;
  readonly flags: Readonly<Record<string, Flag>>;
  readonly open: (values: FlagValues, context: OpenContext) => Promise<Listener>;
};

const BYTES_PER: Readonly<Record<string, number>> = { "": 1, k: 1024, m: 1024 ** 2, g: 1024 ** 3 };
const MS_PER: Readonly<Record<string, number>> = {
  "": 1000,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};

/** `32MiB`, `64k`, `1000` → bytes. Throws an Error that names the flag. */
export function readBytes(flag: string, text: string): number {
  const match = /^(\d+)\s*([kmg]?)(?:i?b)?$/i.exec(text.trim());
  const bytes = Number(match?.[1]) * (BYTES_PER[(match?.[2] ?? "").toLowerCase()] ?? Number.NaN);
  if (Number.isSafeInteger(bytes) && bytes > 0) return bytes;
  throw new Error(`--${flag} must be a size such as 32MiB, not "${text}"`);
}

/** `300`, `5m`, `30s`, `1h` → milliseconds; a bare number is seconds. Throws an Error that names the flag. */
export function readDurationMs(flag: string, text: string): number {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h)?$/i.exec(text.trim());
  const ms = Number(match?.[1]) * (MS_PER[(match?.[2] ?? "").toLowerCase()] ?? Number.NaN);
  if (Number.isFinite(ms)) return ms;
  throw new Error(`--${flag} must be a time such as 30s or 5m, not "${text}"`);
}

/** A whole number from `min` to `max`. Throws an Error that names the flag. */
export function readInteger(flag: string, text: string, min: number, max: number): number {
  const number = /^\d+$/.test(text.trim()) ? Number(text) : Number.NaN;
  if (number >= min && number <= max) return number;
  throw new Error(`--${flag} must be a whole number from ${min} to ${max}, not "${text}"`);
}
