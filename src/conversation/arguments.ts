// What a model wrote as a call's arguments → an object, or what is wrong with it. Nothing cut off or invalid is repaired.

import { type JsonObject, isRecord, parseJson } from "../lib/json.ts";

export type ParsedArguments =
  | { readonly ok: true; readonly value: JsonObject }
  | { readonly ok: false; readonly reason: string };

const EXTRACT_LENGTH = 200;

function asObject(value: unknown): JsonObject | undefined {
  return isRecord(value) ? (value as JsonObject) : undefined;
}

/** Empty text is `{}`; a JSON string that itself is JSON of an object is decoded once. */
export function parseArguments(text: string): ParsedArguments {
  if (text.trim() === "") return { ok: true, value: {} };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { ok: false, reason: `The arguments are not valid JSON (${why}): ${extract(text)}` };
  }
  const direct =
    asObject(value) ?? (typeof value === "string" ? asObject(parseJson(value)) : undefined);
  if (direct !== undefined) return { ok: true, value: direct };
  return { ok: false, reason: `The arguments must be a JSON object: ${extract(text)}` };
}

function extract(text: string): string {
  return text.length <= EXTRACT_LENGTH
    ? text
    : `${text.slice(0, EXTRACT_LENGTH)}… (${text.length} characters)`;
}
