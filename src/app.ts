// The composition root: the only file that knows every room. Makes the one dispatcher that all transports connect to.

import { join } from "node:path";
import { createCatalog } from "./agent/create-catalog.ts";
import { createSystemPrompt } from "./agent/project-context.ts";
import * as commandMembers from "./commands/all.ts";
import type { Command } from "./commands/command.ts";
import { forgetCredentials } from "./config/credentials.ts";
import { type ConfigFlags, loadConfig } from "./config/load.ts";
import { loadProjectConfig } from "./config/project.ts";
import { createDispatcher } from "./dispatch/dispatcher.ts";
import type { Method } from "./dispatch/method.ts";
import { newUuid } from "./lib/ids.ts";
import { log } from "./lib/log.ts";
import { registryOf } from "./lib/registry.ts";
import { VERSION } from "./lib/version.ts";
import * as methodMembers from "./methods/all.ts";
import type { Services } from "./methods/services.ts";
import { DEFAULT_MODE, isModeId } from "./permissions/modes.ts";
import { parseRules } from "./permissions/rules.ts";
import type { SessionEnvironment } from "./sessions/environment.ts";
import { LiveSessions } from "./sessions/live-sessions.ts";
import { createSessionMasker } from "./sessions/session-masker.ts";
import { lazyStore } from "./stores/lazy-store.ts";
import { thisProcess } from "./stores/leases.ts";
import { openSqliteStore } from "./stores/sqlite.ts";
import * as toolMembers from "./tools/all.ts";
import type { Tool } from "./tools/tool.ts";
import type { Host } from "./transports/transport.ts";

export type AppOptions = {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly flags: ConfigFlags;
};

export type App = AsyncDisposable & { readonly host: Host; readonly services: Services };

/** Reasons of a transport after which nobody will come back for a turn, so that it is stopped. */
const FINAL_REASONS: ReadonlySet<string> = new Set([
  "the client deleted the connection",
  "the client closed the socket",
  "disposed",
  "the run is over",
]);

/** Reads configuration; opens no database and no connection yet. */
export async function createApp({ env, flags }: AppOptions): Promise<App> {
  const { config, warnings, errors } = await loadConfig({ env, flags });
  for (const warning of warnings) log.warn(warning);
  for (const error of errors) log.error(error);
  const { paths } = config;
  const store = lazyStore(() => openSqliteStore(paths.sessionsDb, { now: Date.now }));
  const models = createCatalog(config, {
    env,
    openEndpoint: async (endpoint) => {
      const { createProvider } = await import("./providers/create-provider.ts");
      return createProvider(endpoint, { now: Date.now, random: Math.random });
    },
    openOffline: async () => (await import("./providers/offline.ts")).createOfflineProvider(),
  });
  const userRules = parseRules({
    deny: config.permissions?.deny ?? [],
    ask: config.permissions?.ask ?? [],
    allow: config.permissions?.allow ?? [],
  });
  const blocked = [...errors, ...userRules.errors];

  const environment: SessionEnvironment = {
    store,
    holder: { ...thisProcess(), holderId: newUuid() },
    now: Date.now,
    tools: registryOf<Tool>(toolMembers),
    commands: registryOf<Command>(commandMembers),
    models,
    defaultMode: isModeId(config.mode) ? config.mode : DEFAULT_MODE,
    settings: { fetchAllowPrivate: config.fetch?.allowPrivate ?? [] },
    blocked: () => (blocked.length === 0 ? undefined : blocked.join("; ")),
    rulesFor: async (cwd) => {
      const project = await loadProjectConfig(cwd);
      for (const warning of project.warnings) log.warn(warning);
      const tightened = parseRules(project.tighten);
      for (const error of tightened.errors)
        log.warn(`A rule of the project does not count: ${error}`);
      const { rules } = userRules;
      return {
        deny: [...rules.deny, ...tightened.rules.deny],
        ask: [...rules.ask, ...tightened.rules.ask],
        allow: rules.allow,
        protect: [...(config.protectedPaths ?? []), ...project.tighten.protectedPaths],
      };
    },
    createMasker: (cwd) => createSessionMasker({ cwd, level: config.redaction ?? "balanced", env }),
    outputDirOf: (id) => join(paths.sessionsFolder, id),
    systemPromptFor: async (cwd, roots, mask, signal) => {
      const { tighten } = await loadProjectConfig(cwd);
      const configured = [
        ...(config.instructions === undefined
          ? []
          : [{ path: paths.configFile, text: config.instructions }]),
        ...(tighten.instructions === undefined
          ? []
          : [{ path: join(cwd, ".iac-code", "config.json"), text: tighten.instructions }]),
      ];
      return createSystemPrompt({ cwd, roots, home: paths.home, configured, mask }, signal);
    },
  };
  const sessions = new LiveSessions(environment);
  const services: Services = {
    version: VERSION,
    sessions,
    models,
    reloadModels: async () => {
      models.use((await loadConfig({ env, flags })).config);
      await models.ready(AbortSignal.timeout(5_000));
      return models.missing();
    },
    forgetKeys: async () => void (await forgetCredentials(paths)),
  };
  let connections = 0;
  const dispatcher = createDispatcher<Services>({
    methods: Object.values(methodMembers) satisfies readonly Method<Services>[],
    services,
    onClosing: async ({ transport, connectionId }, reason) => {
      connections -= 1;
      const isFinal = transport === "stdio" || FINAL_REASONS.has(reason);
      await sessions.closeConnection(connectionId, isFinal);
      return isFinal;
    },
  });
  return {
    services,
    host: {
      connect: (stream, origin) => {
        connections += 1;
        return dispatcher.connect(stream, origin);
      },
      gauges: () => ({ ...sessions.gauges, connections }),
    },
    [Symbol.asyncDispose]: async () => {
      await sessions.dispose();
      await store[Symbol.asyncDispose]();
    },
  };
}
