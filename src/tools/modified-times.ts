// When files were last changed.

import { lstatSync } from "node:fs";

/** Milliseconds since 1970, one for each path; 0 for what is not there any more. */
export function modifiedTimes(paths: readonly string[]): number[] {
  return paths.map((path) => {
    try {
      return lstatSync(path).mtimeMs;
    } catch {
      // It was removed after its folder was read: it sorts last.
      return 0;
    }
  });
}
