// Every kind of store, by the name that `--store` takes.

import type { IsAlive } from "./leases.ts";
import { createMemoryStore } from "./memory.ts";
import { openSqliteStore } from "./sqlite.ts";
import type { Store } from "./store.ts";

export type OpenOptions = {
  /** The database file, for kinds that keep one. */
  readonly path: string;
  readonly now: () => number;
  readonly isAlive?: IsAlive;
};
export type StoreKind = {
  readonly name: string;
  readonly open: (options: OpenOptions) => Promise<Store>;
};

export const sqlite: StoreKind = {
  name: "sqlite",
  open: ({ path, ...options }) => openSqliteStore(path, options),
};
export const memory: StoreKind = {
  name: "memory",
  open: async (options) => createMemoryStore(options),
};
