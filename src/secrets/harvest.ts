// Known values from the files and the environment that this machine holds anyway: read, kept in memory, never stored.
// Which files are looked at is the caller's choice; this is the only file of the room that reads any.

import { open } from "node:fs/promises";
import { carrierSpans } from "./carriers.ts";
import { labelOf, strengthOfKey } from "./key-names.ts";
import { keyedSpans } from "./keyed.ts";
import type { KnownValue } from "./known.ts";
import { manifestSpans } from "./manifest.ts";
import { shapeSpans } from "./shapes.ts";
import { structureSpans } from "./structure.ts";
import { isKnowable } from "./values.ts";

/** Bytes read of one file; state files are seldom larger, and what is past the end is still masked by its key. */
export const MAX_HARVEST_BYTES = 16 * 1_024 * 1_024;
/** Files read in one harvest. */
export const MAX_HARVEST_FILES = 200;

/** The secrets of one file's text, found as masking would find them; Base64 of Secret manifests also decoded. */
export function harvestText(text: string, path: string): KnownValue[] {
  const hint = { path };
  const spans = [
    ...structureSpans(text),
    ...manifestSpans(text),
    ...keyedSpans(text, hint, "strict"),
    ...carrierSpans(text, hint, "strict"),
    ...shapeSpans(text, "strict"),
  ];
  return spans
    .flatMap(({ start, end, label }) => variantsOf(text.slice(start, end), label))
    .filter(isWorthKnowing);
}

/** Secrets in the environment, by the names of the variables. */
export function harvestEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
): KnownValue[] {
  return Object.entries(environment).flatMap(([name, value]) => {
    if (value === undefined || value === "") return [];
    if (strengthOfKey(name) !== "none")
      return [{ value, label: labelOf(name) }].filter(isWorthKnowing);
    return harvestText(`${name}=${value}\n`, ".env");
  });
}

/**
 * Reads `paths` (at most MAX_HARVEST_FILES, MAX_HARVEST_BYTES each) and returns what they hold. Files that are missing,
 * unreadable or binary hold nothing. Stops early when `signal` aborts.
 */
export async function harvestFiles(
  paths: readonly string[],
  signal: AbortSignal,
): Promise<KnownValue[]> {
  const found: KnownValue[] = [];
  for (const path of paths.slice(0, MAX_HARVEST_FILES)) {
    if (signal.aborted) break;
    const text = await readHead(path);
    if (text !== undefined) found.push(...harvestText(text, path));
  }
  return found;
}

async function readHead(path: string): Promise<string | undefined> {
  try {
    await using file = await open(path);
    const { size } = await file.stat();
    const bytes = new Uint8Array(Math.min(size, MAX_HARVEST_BYTES));
    const { bytesRead } = await file.read(bytes, 0, bytes.length, 0);
    const head = bytes.subarray(0, bytesRead);
    return head.includes(0) ? undefined : new TextDecoder().decode(head);
  } catch {
    // Not there or not readable: then its secrets cannot be read by anyone in this session either.
    return undefined;
  }
}

/** A value as written, without JSON escapes, and decoded where it is Base64 of text. */
function variantsOf(raw: string, label: string): KnownValue[] {
  const values = new Set([raw]);
  if (raw.includes("\\")) values.add(raw.replaceAll(/\\n/g, "\n").replaceAll(/\\(["\\/])/g, "$1"));
  if (/^[A-Za-z0-9+/]{8,}={0,2}$/.test(raw) && raw.length % 4 === 0) {
    const text = Buffer.from(raw, "base64").toString("utf8");
    if (/^[\x20-\x7E\r\n\t]+$/.test(text)) values.add(text);
  }
  return [...values].map((value) => ({ value, label }));
}

const isWorthKnowing = ({ value }: KnownValue): boolean =>
  isKnowable(value) || /[\r\n]/.test(value);
