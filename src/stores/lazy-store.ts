// A store that is opened at its first use, so that the handshake is answered before any database work.

import type { Store } from "./store.ts";

/** The same contract; the first call opens, and a failure to open is tried again by the next one. */
export function lazyStore(open: () => Promise<Store>): Store {
  let opened: Promise<Store> | undefined;
  const get = (): Promise<Store> => {
    opened ??= open().catch((error: unknown) => {
      opened = undefined;
      throw error;
    });
    return opened;
  };
  return {
    createSession: async (...args) => (await get()).createSession(...args),
    getSession: async (...args) => (await get()).getSession(...args),
    updateSession: async (...args) => (await get()).updateSession(...args),
    append: async (...args) => (await get()).append(...args),
    entries: async (...args) => (await get()).entries(...args),
    forkSession: async (...args) => (await get()).forkSession(...args),
    deleteSession: async (...args) => (await get()).deleteSession(...args),
    listSessions: async (...args) => (await get()).listSessions(...args),
    checkpoint: async (...args) => (await get()).checkpoint(...args),
    drafts: async (...args) => (await get()).drafts(...args),
    acquireLease: async (...args) => (await get()).acquireLease(...args),
    releaseLease: async (...args) => (await get()).releaseLease(...args),
    [Symbol.asyncDispose]: async () => (await opened)?.[Symbol.asyncDispose](),
  };
}
