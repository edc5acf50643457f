// Keys that `login` stored: one file, for its owner only. Nothing here is ever logged or put into a message.

import { chmod, open, rename, rm } from "node:fs/promises";
import { z } from "zod";
import { newUuid } from "../lib/ids.ts";
import { lazily } from "../lib/lazily.ts";
import { readConfigFile } from "./read-file.ts";
import { ensureHome } from "./home.ts";
import type { HomePaths } from "./home.ts";

/** Built where there is a file. */
const credentialsFile = lazily(() => {
  const credential = z.object({
    apiKey: z.string().min(1),
    /** Only for endpoints that are no known provider, or an address other than the usual one. */
    baseUrl: z.string().optional(),
    /** Chosen at login. */
    model: z.string().optional(),
  });
  return z.object({ providers: z.record(z.string(), credential) });
});

export type Credential = Readonly<
  z.output<ReturnType<typeof credentialsFile>>["providers"][string]
>;
/** By provider id, the one stored last first. */
export type Credentials = Readonly<Record<string, Credential>>;
export type StoredCredentials = {
  readonly credentials: Credentials;
  /** Why the file could not be used; it is then treated as empty. */
  readonly problem?: string;
};

/** Never rejects. */
export async function readCredentials(paths: HomePaths): Promise<StoredCredentials> {
  const content = await readConfigFile(paths.credentialsFile);
  if (content.type === "absent") return { credentials: {} };
  if (content.type === "broken") return { credentials: {}, problem: content.error };
  const parsed = credentialsFile().safeParse(content.value);
  if (parsed.success) return { credentials: parsed.data.providers };
  const problem = `${paths.credentialsFile}: not as \`iac-code login\` writes it; log in again`;
  return { credentials: {}, problem };
}

/** Adds or replaces one provider's key and puts it first. Rejects when the folder cannot be written. */
export async function saveCredential(
  paths: HomePaths,
  provider: string,
  added: Credential,
): Promise<void> {
  const { [provider]: _, ...others } = (await readCredentials(paths)).credentials;
  await write(paths, { [provider]: added, ...others });
}

/** Removes one provider's key, or all. Resolves with the ids that were removed. */
export async function forgetCredentials(
  paths: HomePaths,
  provider?: string,
): Promise<readonly string[]> {
  const { credentials, problem } = await readCredentials(paths);
  const removed = Object.keys(credentials).filter(
    (id) => provider === undefined || id === provider,
  );
  const kept = Object.entries(credentials).filter(([id]) => !removed.includes(id));
  // A file that cannot be understood may still hold keys, and forgetting all means those too.
  const isForgettingAll = provider === undefined && (removed.length > 0 || problem !== undefined);
  if (isForgettingAll || (removed.length > 0 && kept.length === 0)) {
    await rm(paths.credentialsFile, { force: true });
  } else if (removed.length > 0) await write(paths, Object.fromEntries(kept));
  return removed;
}

/** Written beside and renamed, so that a crash leaves the old file or the new one. */
async function write(paths: HomePaths, credentials: Credentials): Promise<void> {
  await ensureHome(paths);
  const temporary = `${paths.credentialsFile}.${newUuid()}`;
  try {
    {
      await using file = await open(temporary, "wx", 0o600);
      await file.writeFile(`${JSON.stringify({ providers: credentials }, undefined, 2)}\n`);
      await file.sync();
    }
    await chmod(temporary, 0o600);
    await rename(temporary, paths.credentialsFile);
  } catch (cause) {
    await rm(temporary, { force: true });
    throw new Error(`The key cannot be stored in ${paths.credentialsFile}`, { cause });
  }
}
