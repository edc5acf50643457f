// From a path as the model wrote it to what the tools open: absolute, real, and found in another Unicode spelling when
// the written one does not exist. Decides nothing about permission.

import { lstat, readdir } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import type { PathAccess } from "../conversation/access.ts";
import { isInside, realPathOfDeepest } from "../lib/path-inside.ts";
import { similarity } from "./similarity.ts";
import type { ToolPlace } from "./tool.ts";

/** A folder with more entries is not searched for other spellings. */
const MAX_SPELLING_ENTRIES = 20_000;
const MAX_NEAR_NAMES = 3;
const MIN_NEAR_SIMILARITY = 0.4;

export type ToolPath = PathAccess & {
  /** For titles and answers: relative inside `cwd`, else absolute. */
  readonly shown: string;
};

/** Resolves `written` against `cwd`. A string is an error text for the model. */
export async function toToolPath(written: string, place: ToolPlace): Promise<ToolPath | string> {
  const fault = spellingFault(written);
  if (fault) return fault;
  const expanded =
    written === "~" || written.startsWith("~/") ? join(homedir(), written.slice(1)) : written;
  const path = await findSpelling(resolve(place.cwd, expanded));
  return { path, realPath: await realPathOfDeepest(path), shown: showPath(path, place.cwd) };
}

export function showPath(path: string, cwd: string): string {
  if (path === cwd) return ".";
  return isInside(cwd, path) ? relative(cwd, path) : path;
}

/** Just the two members that an `Access` carries. */
export function toAccess({ path, realPath }: ToolPath): PathAccess {
  return { path, realPath };
}

function spellingFault(written: string): string | undefined {
  if (written.trim() === "") return "path: it is empty. Give a file or folder, such as `main.tf`.";
  if (written.includes("\0")) return "path: it holds a NUL character, which no file name can.";
  if (/^[a-z]+:\/\//i.test(written))
    return "path: a URL was given. Give a plain path, relative to the working directory or absolute.";
  if (process.platform !== "win32" && (/^[a-z]:[\\/]/i.test(written) || written.startsWith("\\\\")))
    return `path: ${written} is a Windows path, and this machine is not Windows. Give a path as this machine spells it.`;
  return undefined;
}

/** The same name typed differently: composed or decomposed accents, and the many characters that look like a space. */
function foldSpelling(name: string): string {
  return name.normalize("NFC").replaceAll(/[\p{Zs}\u200b\u2060\ufeff]/gu, " ");
}

/** `path`, or the one existing path that differs from it in spelling only. */
async function findSpelling(path: string): Promise<string> {
  if (await doesExist(path)) return path;
  const root = isAbsolute(path) ? sep : "";
  let current = root;
  const parts = path.split(sep).filter(Boolean);
  for (const [index, part] of parts.entries()) {
    const next = join(current, part);
    if (await doesExist(next)) {
      current = next;
      continue;
    }
    const wanted = foldSpelling(part);
    const matches = (await namesIn(current)).filter((name) => foldSpelling(name) === wanted);
    const [only] = matches;
    // Nothing alike, or two alike: the written name stands, and what is missing is told later.
    if (only === undefined || matches.length > 1) return join(current, ...parts.slice(index));
    current = join(current, only);
  }
  return current;
}

/** Names beside a missing path that resemble it, best first. */
async function nearNames(path: string): Promise<readonly string[]> {
  const wanted = basename(path).toLowerCase();
  return (await namesIn(dirname(path)))
    .map((name) => ({ name, score: similarity(name.toLowerCase(), wanted) }))
    .filter(({ score }) => score >= MIN_NEAR_SIMILARITY)
    .toSorted((a, b) => b.score - a.score)
    .slice(0, MAX_NEAR_NAMES)
    .map(({ name }) => name);
}

/** `main.ft does not exist. Beside it: main.tf.` */
export async function missingText(target: ToolPath): Promise<string> {
  const near = await nearNames(target.path);
  const hint = near.length === 0 ? "" : ` Similar names in that folder: ${near.join(", ")}.`;
  return `${target.shown} does not exist.${hint}`;
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    const names = await readdir(folder);
    return names.length > MAX_SPELLING_ENTRIES ? [] : names;
  } catch {
    // No such folder, or not readable: there is nothing to suggest.
    return [];
  }
}

async function doesExist(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch {
    // Missing, or behind a folder that may not be searched; opening it tells which.
    return false;
  }
}
