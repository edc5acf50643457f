// The composition root. Its light half is here: configuration, the models to choose from, and a host that answers the
// handshake before anything else is loaded. The rooms of a session are in app-core.ts, behind an import.

import { type LiveCatalog, createCatalog } from "./agent/create-catalog.ts";
import type { Core } from "./app-core.ts";
import { type ConfigFlags, loadConfig } from "./config/load.ts";
import { createEarlyHost } from "./dispatch/early-host.ts";
import { log } from "./lib/log.ts";
import { VERSION } from "./lib/version.ts";
import * as methodMembers from "./methods/all.ts";
import { answerInitialize } from "./methods/initialize.ts";
import type { Host } from "./transports/transport.ts";

export type AppOptions = {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly flags: ConfigFlags;
};

export type App = AsyncDisposable & { readonly host: Host; readonly models: LiveCatalog };

/** Reads configuration; everything else waits until a client is there. */
export async function createApp({ env, flags }: AppOptions): Promise<App> {
  const loaded = await loadConfig({ env, flags });
  for (const warning of loaded.warnings) log.warn(warning);
  for (const error of loaded.errors) log.error(error);
  const models = createCatalog(loaded.config, {
    env,
    openEndpoint: async (endpoint) => {
      const { createProvider } = await import("./providers/create-provider.ts");
      return createProvider(endpoint, { now: Date.now, random: Math.random });
    },
    openOffline: async () => (await import("./providers/offline.ts")).createOfflineProvider(),
  });
  let core: Promise<Core> | undefined;
  let ready: Core | undefined;
  const loadCore = async (): Promise<Core> => {
    const { createCore } = await import("./app-core.ts");
    ready = createCore({ env, flags, loaded, models, version: VERSION });
    return ready;
  };
  const shares = Object.values(methodMembers).flatMap((method) => method.share ?? []);
  let connections = 0;
  const host = createEarlyHost({
    answerInitialize: (params) => answerInitialize(params, { version: VERSION, models, shares }),
    load: async () => (await (core ??= loadCore())).dispatcher,
    onConnected: (closed) => {
      connections += 1;
      void closed.finally(() => (connections -= 1));
    },
  });
  return {
    models,
    host: {
      connect: host.connect,
      gauges: () => ({
        ...(ready?.gauges() ?? { sessions: 0, running: 0, turns: 0, tokens: 0 }),
        connections,
      }),
    },
    [Symbol.asyncDispose]: async () => (await core)?.[Symbol.asyncDispose](),
  };
}
