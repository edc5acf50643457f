// Reads the files that a walk found, as UTF-8 text, within the budget.

import { stat, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Budget } from "./walk.ts";

/** Open at once; enough to hide the latency of a disk. */
const PARALLEL = 32;

export type SourceText = { readonly path: string; readonly text: string };
export type ReadReport = {
  readonly texts: readonly SourceText[];
  readonly unread: readonly string[];
  readonly notices: readonly string[];
  /** Not everything fitted into the total. */
  readonly isCut: boolean;
};

/** Rejects only when `signal` aborts; what cannot be read becomes a notice. */
export async function readFiles(
  root: string,
  paths: readonly string[],
  signal: AbortSignal,
  budget: Budget,
): Promise<ReadReport> {
  const texts: SourceText[] = [];
  const notices: string[] = [];
  let left = budget.maxTotalBytes;
  let isCut = false;
  for (let at = 0; at < paths.length; at += PARALLEL) {
    signal.throwIfAborted();
    const batch = paths.slice(at, at + PARALLEL);
    const results = await Promise.all(
      batch.map((path) => readOne(root, path, budget.maxFileBytes)),
    );
    for (const one of results) {
      if ("notice" in one) notices.push(one.notice);
      else if (one.text.length > left) {
        isCut = true;
        notices.push(`${one.path} is over the size limit in total`);
      } else {
        left -= one.text.length;
        texts.push(one);
      }
    }
  }
  const read = new Set(texts.map(({ path }) => path));
  return { texts, unread: paths.filter((path) => !read.has(path)), notices, isCut };
}

async function readOne(
  root: string,
  path: string,
  maxBytes: number,
): Promise<SourceText | { readonly notice: string }> {
  const absolute = join(root, path);
  try {
    const found = await stat(absolute);
    if (!found.isFile()) return { notice: `${path} is no regular file` };
    if (found.size > maxBytes) return { notice: `${path} is larger than ${maxBytes} bytes` };
    return { path, text: await readFile(absolute, "utf8") };
  } catch {
    // Unreadable or gone meanwhile: said, and the rest is read.
    return { notice: `Cannot read ${path}` };
  }
}
