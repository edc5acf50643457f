// A configuration file from disk to an object whose members know their lines.

import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { isRecord } from "../lib/json.ts";
import { escapeInvisible, truncateAtGrapheme } from "../lib/text.ts";
import { parseJsonc } from "./jsonc.ts";
import type { JsoncPath } from "./jsonc.ts";

export type FileContent =
  | { readonly type: "absent" }
  | {
      readonly type: "object";
      readonly value: Readonly<Record<string, unknown>>;
      /** `config.json:12`. */
      readonly place: (path: JsoncPath) => string;
    }
  | { readonly type: "broken"; readonly error: string };

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
