// Files of a project, and of the user, whose values must never leave the machine: found by name, bounded, no link followed.

import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { isSecretLooking } from "../permissions/secret-paths.ts";

/** Directory entries looked at in one search. */
const MAX_ENTRIES = 20_000;
const MAX_DEPTH = 8;
const PRUNED: ReadonlySet<string> = new Set([
  ".git",
  "node_modules",
  ".terraform",
  ".venv",
  "__pycache__",
]);

/** Relative to the user's home. */
const USER_FILES = [
  ".aws/credentials",
  ".kube/config",
  ".aliyun/config.json",
  ".docker/config.json",
  ".netrc",
  ".git-credentials",
  ".terraform.d/credentials.tfrc.json",
  ".config/gcloud/application_default_credentials.json",
  ".azure/msal_token_cache.json",
];

export type SecretFile = { readonly path: string; readonly stamp: string };

async function stamped(path: string): Promise<SecretFile | undefined> {
  try {
    const { size, mtimeMs, ctimeMs } = await stat(path);
    return { path, stamp: `${size} ${mtimeMs} ${ctimeMs}` };
  } catch {
    // Not there, or gone between listing and looking.
    return undefined;
  }
}

async function candidates(root: string, signal: AbortSignal): Promise<string[]> {
  const found: string[] = [];
  const queue = [{ folder: root, depth: 0 }];
  let left = MAX_ENTRIES;
  for (
    let next = queue.shift();
    next !== undefined && left > 0 && !signal.aborted;
    next = queue.shift()
  ) {
    const { folder, depth } = next;
    // A folder that cannot be listed cannot be read by a tool of ours either.
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
    left -= entries.length;
    for (const entry of entries) {
      const path = join(folder, entry.name);
      if (entry.isFile() && isSecretLooking(entry.name)) found.push(path);
      else if (entry.isDirectory() && depth < MAX_DEPTH && !PRUNED.has(entry.name))
        queue.push({ folder: path, depth: depth + 1 });
    }
  }
  return found;
}

/** With a stamp that changes when the file does. Never rejects. */
export async function findSecretFiles(
  root: string,
  userHome: string | undefined,
  signal: AbortSignal,
): Promise<readonly SecretFile[]> {
  const own = await candidates(root, signal);
  const user = userHome === undefined ? [] : USER_FILES.map((name) => join(userHome, name));
  const files = await Promise.all([...own, ...user].map(stamped));
  return files.flatMap((file) => file ?? []);
}
