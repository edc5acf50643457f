// Containment of paths, by real path and component by component, so that neither a link nor a shared
// prefix (/srv/app-evil beside /srv/app) passes as inside.

import { realpath } from "node:fs/promises";
import nodePath, { dirname, join, basename, sep } from "node:path";

/** The rules of a platform's paths; tests give those of the other one. */
type PathRules = Pick<typeof nodePath, "relative" | "isAbsolute" | "sep">;

/**
 * True when `path` is `root` or below it. Both are absolute and already real. On Windows case does not count, and another
 * drive or share is never inside.
 */
export function isInside(root: string, path: string, rules: PathRules = nodePath): boolean {
  const rest = rules.relative(root, path);
  if (rest === "") return true;
  return rest !== ".." && !rest.startsWith(`..${rules.sep}`) && !rules.isAbsolute(rest);
}

/** A path as globs spell it. Elsewhere than on Windows a backslash is a character of a name and stays. */
export function withSlashes(path: string, separator: string = sep): string {
  return separator === "\\" ? path.replaceAll("\\", "/") : path;
}

/**
 * The real path of `path`, or, where it does not exist, of its deepest existing parent with the rest appended.
 * Never throws: the walk upwards ends when a parent equals itself.
 */
export async function realPathOfDeepest(path: string): Promise<string> {
  const missing: string[] = [];
  let current = path;
  for (;;) {
    try {
      return join(await realpath(current), ...missing.toReversed());
    } catch {
      // Not there (or not readable): try its parent, keeping what is missing.
      const parent = dirname(current);
      if (parent === current) return path;
      missing.push(basename(current));
      current = parent;
    }
  }
}
