// The directory that a list is filtered by, in both of the forms that a session keeps.

import { isAbsolute } from "node:path";
import { realPathOfDeepest } from "../lib/path-inside.ts";

export type ListDirectory = { readonly asGiven: string; readonly real: string };

/** A relative path means nothing to a server and is compared as it is. */
export async function resolveDirectory(cwd: string): Promise<ListDirectory> {
  return { asGiven: cwd, real: isAbsolute(cwd) ? await realPathOfDeepest(cwd) : cwd };
}
