// Containment of paths, by real path and component by component, so that neither a link nor a shared
// prefix (/work/app-evil beside /work/app) passes as inside.

import { realpath } from "node:fs/promises";
import { dirname, join, relative, isAbsolute, basename, sep } from "node:path";

/** True when `path` is `root` or below it. Both are absolute and already real. */
export function isInside(root: string, path: string): boolean {
  const rest = relative(root, path);
  return rest === "" || (rest !== ".." && !rest.startsWith(`..${sep}`) && !isAbsolute(rest));
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
