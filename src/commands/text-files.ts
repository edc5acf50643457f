// Reading the Markdown files of a folder that somebody else may have written: plain files only, bounded, and none that
// a link leads to outside the place it was found in.

import { constants } from "node:fs";
import { open, readdir, realpath, stat } from "node:fs/promises";
import { join } from "node:path";
import { isInside } from "../lib/path-inside.ts";
import { truncateAtGrapheme } from "../lib/text.ts";

/** Bytes of one file; the rest is cut and said so. */
export const MAX_FILE_BYTES = 64 * 1024;
/** Entries of one folder that are looked at. */
const MAX_ENTRIES = 500;

export type TextFolder = {
  readonly path: string;
  /** Real path that every file must be in; absent for the user's own folders, where links may lead anywhere. */
  readonly inside?: string;
};

/** Names in a folder, sorted; empty when there is no such folder. */
export async function namesIn(folder: string): Promise<readonly string[]> {
  // Most people and projects have none.
  const names = await readdir(folder).catch(() => []);
  return names.toSorted((a, b) => (a < b ? -1 : 1)).slice(0, MAX_ENTRIES);
}

/** The text of one file; `undefined` for what is no readable plain text file of that folder. */
export async function readTextFile(
  { path: folder, inside }: TextFolder,
  name: string,
): Promise<{ readonly path: string; readonly text: string } | undefined> {
  const path = join(folder, name);
  try {
    const real = await realpath(path);
    if (inside !== undefined && !isInside(inside, real)) return undefined;
    // A named pipe would wait in `open` for a writer, for ever.
    if (!(await stat(real)).isFile()) return undefined;
    await using file = await open(real, constants.O_RDONLY | constants.O_NONBLOCK);
    const buffer = Buffer.alloc(MAX_FILE_BYTES + 1);
    const { bytesRead } = await file.read(buffer, 0, buffer.byteLength, 0);
    const text = buffer.subarray(0, Math.min(bytesRead, MAX_FILE_BYTES)).toString("utf8");
    if (text.includes("\0")) return undefined;
    return {
      path,
      text:
        bytesRead > MAX_FILE_BYTES
          ? `${truncateAtGrapheme(text, text.length - 1)}\n[cut here]`
          : text,
    };
  } catch {
    // Not there, not readable, or gone between listing and reading.
    return undefined;
  }
}
