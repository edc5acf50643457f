// The user's session store, for commands that work on it without an agent.

import { mkdir } from "node:fs/promises";
import { homePaths } from "../config/home.ts";
import { openSqliteStore } from "../stores/sqlite.ts";
import type { Store } from "../stores/store.ts";

export async function openStore(env: Readonly<Record<string, string | undefined>>): Promise<Store> {
  const { sessionsFolder, sessionsDb } = homePaths(env);
  await mkdir(sessionsFolder, { recursive: true, mode: 0o700 });
  return openSqliteStore(sessionsDb, { now: Date.now });
}
