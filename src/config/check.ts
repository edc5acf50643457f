// From the object of config.json to checked settings: what is right is kept, what is wrong is named with file, line and fix.
// Loaded only where there is such a file: the schema costs milliseconds to build.

import type { z } from "zod";
import { isRecord } from "../lib/json.ts";
import type { JsoncPath } from "./jsonc.ts";
import { type FileContent, showName } from "./read-file.ts";
import { configSchema, isSettingName } from "./schema.ts";
import type { Settings } from "./schema.ts";

export type Checked = {
  readonly settings: Settings;
  readonly warnings: readonly string[];
  readonly errors: readonly string[];
};

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
