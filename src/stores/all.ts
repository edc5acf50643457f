// Every kind of store, by the name that `--store` takes.

import type { StoreOptions } from "./leases.ts";
import { createMemoryStore } from "./memory.ts";
import { openSqliteStore } from "./sqlite.ts";
import type { Store } from "./store.ts";

/** `path`: the database file, for kinds that keep one. */
export type OpenOptions = StoreOptions & { readonly path: string };
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
