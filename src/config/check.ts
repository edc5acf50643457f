// A configuration file from disk to checked settings: what is right is kept, what is wrong is named with file, line and fix.

import { constants } from "node:fs";
import { open } from "node:fs/promises";
import type { z } from "zod";
import { isRecord } from "../lib/json.ts";
import { escapeInvisible, truncateAtGrapheme } from "../lib/text.ts";
import { parseJsonc } from "./jsonc.ts";
import type { JsoncPath } from "./jsonc.ts";
import { configSchema, isSettingName } from "./schema.ts";
import type { Settings } from "./schema.ts";

export type FileContent =
  | { readonly type: "absent" }
  | {
      readonly type: "object";
      readonly value: Readonly<Record<string, unknown>>;
      /** `config.json:12`. */
      readonly place: (path: JsoncPath) => string;
    }
  | { readonly type: "broken"; readonly error: string };

export type Checked = {
  readonly settings: Settings;
  readonly warnings: readonly string[];
  readonly errors: readonly string[];
};

const MAX_CONFIG_BYTES = 1024 * 1024;
const MAX_NAME_LENGTH = 80;

/** Names come from files that a stranger may have written: no control characters, no novels. */
export function showName(path: JsoncPath): string {
  return truncateAtGrapheme(escapeInvisible(path.join("."), ""), MAX_NAME_LENGTH);
}

/** Never rejects: what cannot be read is `broken`, with the reason. Values are in no message. */
export async function readConfigFile(file: string): Promise<FileContent> {
  const text = await readSmallFile(file);
  if (typeof text !== "string") return text;
  // An empty file is what `touch` leaves: nothing is set.
  const parsed = parseJsonc(text.trim() === "" ? "{}" : text);
  if (!parsed.ok) {
    return { type: "broken", error: `${file}:${parsed.line}: not valid JSON: ${parsed.message}` };
  }
  if (!isRecord(parsed.value)) {
    return { type: "broken", error: `${file}: the file must hold one object, { … }` };
  }
  const { value, lineOf } = parsed;
  return { type: "object", value, place: (path) => `${file}:${lineOf(path)}` };
}

async function readSmallFile(file: string): Promise<string | FileContent> {
  try {
    // Without O_NONBLOCK a named pipe in a project would hold the program for ever.
    await using handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
    const found = await handle.stat();
    if (!found.isFile()) return { type: "broken", error: `${file}: is not a file` };
    if (found.size > MAX_CONFIG_BYTES) {
      return { type: "broken", error: `${file}: larger than 1 MiB; that is no configuration` };
    }
    return await handle.readFile("utf8");
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "unknown error";
    if (code === "ENOENT" || code === "ENOTDIR") return { type: "absent" };
    return { type: "broken", error: `${file}: cannot be read (${code}); check its rights` };
  }
}

/** Checks each key by itself, so that one mistake costs one setting. */
export function checkSettings(content: Extract<FileContent, { type: "object" }>): Checked {
  const settings: Record<string, unknown> = {};
  const warnings: string[] = [];
  const errors: string[] = [];
  for (const [name, value] of Object.entries(content.value)) {
    if (!isSettingName(name)) {
      warnings.push(unknownKey(content.place([name]), [name]));
      continue;
    }
    const known = withoutUnknownKeys(configSchema.shape[name], value);
    for (const path of known.dropped) {
      warnings.push(unknownKey(content.place([name, ...path]), [name, ...path]));
    }
    if (known.result.success) settings[name] = known.result.data;
    else errors.push(...known.result.error.issues.map((issue) => explain(name, issue, content)));
  }
  // Each member was checked by the same schema, so this only gives the whole its type.
  return { settings: configSchema.parse(settings), warnings, errors };
}

function unknownKey(place: string, path: JsoncPath): string {
  return `${place}: unknown key "${showName(path)}" is ignored; see \`iac-code config schema\``;
}

function toJsoncPath(path: readonly PropertyKey[]): JsoncPath {
  return path.map((key) => (typeof key === "number" ? key : String(key)));
}

function explain(
  name: string,
  issue: z.core.$ZodIssue,
  content: Extract<FileContent, { type: "object" }>,
): string {
  const path = [name, ...toJsoncPath(issue.path)];
  return `${content.place(path)}: ${showName(path)}: ${issue.message}; see \`iac-code config schema\``;
}

type Known = {
  readonly result: z.ZodSafeParseResult<unknown>;
  readonly dropped: readonly JsoncPath[];
};

/** Parses; where the only fault is keys that the schema does not have, without them. */
function withoutUnknownKeys(schema: z.ZodType, value: unknown): Known {
  const result = schema.safeParse(value);
  if (result.success) return { result, dropped: [] };
  const dropped: JsoncPath[] = [];
  const copy = structuredClone(value);
  for (const issue of result.error.issues) {
    if (issue.code !== "unrecognized_keys") continue;
    const parent = toJsoncPath(issue.path);
    for (const key of issue.keys) {
      removeAt(copy, parent, key);
      dropped.push([...parent, key]);
    }
  }
  return dropped.length === 0 ? { result, dropped } : { result: schema.safeParse(copy), dropped };
}

function removeAt(value: unknown, path: JsoncPath, key: string): void {
  let parent = value;
  for (const step of path) {
    if (isRecord(parent) || Array.isArray(parent)) parent = Reflect.get(parent, step);
  }
  if (isRecord(parent)) Reflect.deleteProperty(parent, key);
}
