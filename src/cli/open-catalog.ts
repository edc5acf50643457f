// Configuration and the models that follow from it, for commands that work without a session.

import { type LiveCatalog, createCatalog } from "../agent/create-catalog.ts";
import type { ConfiguredEndpoint } from "../config/build-endpoint.ts";
import { type LoadedConfig, loadConfig } from "../config/load.ts";
import type { Provider } from "../providers/provider.ts";

type Env = Readonly<Record<string, string | undefined>>;
export type OpenedCatalog = LoadedConfig & { readonly catalog: LiveCatalog };

export async function openEndpoint(endpoint: ConfiguredEndpoint): Promise<Provider> {
  const { createProvider } = await import("../providers/create-provider.ts");
  return createProvider(endpoint, { now: Date.now, random: Math.random });
}

/** Looks for a local model server too, when nothing is configured. */
export async function openCatalog(env: Env, signal: AbortSignal): Promise<OpenedCatalog> {
  const loaded = await loadConfig({ env });
  const catalog = createCatalog(loaded.config, {
    env,
    openEndpoint,
    openOffline: async () => (await import("../providers/offline.ts")).createOfflineProvider(),
  });
  await catalog.ready(signal);
  return { ...loaded, catalog };
}
