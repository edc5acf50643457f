// Words about a server that may be shown and logged: what its settings hold (env, headers, keys in its address) is never
// in them, whatever the server or the runtime said.

import type { McpServerSpec } from "../protocol/params.ts";
import { escapeInvisible, truncateAtGrapheme } from "../lib/text.ts";

/** Shorter values would hide ordinary words. */
const MIN_HIDDEN_LENGTH = 4;
/** UTF-16 units of one reason. */
const MAX_REASON_LENGTH = 300;

function secretsOf(spec: McpServerSpec): string[] {
  if (spec.type === "stdio") return Object.values(spec.env);
  const headers = Object.values(spec.headers).flatMap((value) => [value, ...value.split(" ")]);
  if (!URL.canParse(spec.url)) return headers;
  const { username, password, search, searchParams } = new URL(spec.url);
  return [...headers, username, password, search.slice(1), ...searchParams.values()];
}

/** Makes a function that shortens a text to one line without a full stop and takes the values of the server's settings out of it. */
export function reasonWriter(spec: McpServerSpec): (text: string) => string {
  const hidden = secretsOf(spec)
    .filter((value) => value.length >= MIN_HIDDEN_LENGTH)
    // The longer goes first, or a part of it would be left over.
    .toSorted((a, b) => b.length - a.length);
  return (text) => {
    let clean = text;
    for (const value of hidden) clean = clean.replaceAll(value, "«hidden»");
    return truncateAtGrapheme(
      escapeInvisible(clean.replaceAll(/\s+/g, " ").trim()).replace(/[.?!]+$/, ""),
      MAX_REASON_LENGTH,
    );
  };
}

/** The first line of an error; the SDK's own prefix says nothing to a person. */
export function errorText(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return (text.split("\n")[0] ?? text).replace(/^MCP error -?\d+: /, "");
}
