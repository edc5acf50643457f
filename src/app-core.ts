// The heavy half of the composition root: every room that a session needs, and the dispatcher over them. Loaded after the
// handshake (app.ts).

import { basename, join } from "node:path";
import type { LiveCatalog } from "./agent/create-catalog.ts";
import * as commandMembers from "./commands/all.ts";
import type { Command } from "./commands/command.ts";
import { loadShelf } from "./commands/shelf.ts";
import { forgetCredentials } from "./config/credentials.ts";
import { type ConfigFlags, type LoadedConfig, loadConfig } from "./config/load.ts";
import { loadProjectConfig } from "./config/project.ts";
import { type Dispatcher, createDispatcher } from "./dispatch/dispatcher.ts";
import type { Method } from "./dispatch/method.ts";
import { newUuid } from "./lib/ids.ts";
import { log } from "./lib/log.ts";
import { type Registry, registryOf } from "./lib/registry.ts";
import * as methodMembers from "./methods/all.ts";
import type { Services } from "./methods/services.ts";
import { DEFAULT_MODE, isModeId } from "./permissions/modes.ts";
import { parseRules } from "./permissions/rules.ts";
import { parseMcpServers } from "./protocol/params.ts";
import { internalError } from "./protocol/errors.ts";
import type { SessionEnvironment } from "./sessions/environment.ts";
import { LiveSessions } from "./sessions/live-sessions.ts";
import { createSessionMasker } from "./sessions/session-masker.ts";
import { lazyStore } from "./stores/lazy-store.ts";
import { thisProcess } from "./stores/leases.ts";
import { openSqliteStore } from "./stores/sqlite.ts";
import type { Store } from "./stores/store.ts";
import type { Tool } from "./tools/tool.ts";

/** An editor shows its user no log: why nothing can be kept must stand in the answer. Where the file lies is for the log. */
async function openStoreAt(path: string): Promise<Store> {
  try {
    return await openSqliteStore(path, { now: Date.now });
  } catch (error) {
    log.error("The session store cannot be opened", error);
    const why = (error instanceof Error ? error.message : String(error)).replaceAll(
      path,
      basename(path),
    );
    throw internalError("storage_error", `${why}. iac-code doctor names the file.`);
  }
}

export type CoreParts = {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly flags: ConfigFlags;
  readonly loaded: LoadedConfig;
  readonly models: LiveCatalog;
  readonly version: string;
};

export type Core = AsyncDisposable & {
  readonly dispatcher: Dispatcher;
  readonly gauges: () => Readonly<Record<string, number>>;
};

/** Reasons of a transport after which nobody will come back for a turn, so that it is stopped. */
const FINAL_REASONS: ReadonlySet<string> = new Set([
  "the client deleted the connection",
  "the client closed the socket",
  "disposed",
  "the run is over",
]);

/** The tools bring the parsers, tables and rules with them, so they wait until a turn needs them. */
async function loadTools(): Promise<Registry<Tool>> {
  return registryOf<Tool>(await import("./tools/all.ts"));
}

/** Opens no database and no connection yet. */
export function createCore({ env, flags, loaded, models, version }: CoreParts): Core {
  const { config, errors } = loaded;
  const { paths } = config;
  const store = lazyStore(() => openStoreAt(paths.sessionsDb));
  const userRules = parseRules({
    deny: config.permissions?.deny ?? [],
    ask: config.permissions?.ask ?? [],
    allow: config.permissions?.allow ?? [],
  });
  const builtIn = registryOf<Command>(commandMembers);
  const configuredServers = parseMcpServers(config.mcpServers);
  const instructionsOfConfig = async (cwd: string) => {
    const { tighten } = await loadProjectConfig(cwd);
    const all = [
      { path: paths.configFile, text: config.instructions },
      { path: join(cwd, ".iac-code", "config.json"), text: tighten.instructions },
    ];
    return all.flatMap(({ path, text }) => (text === undefined ? [] : [{ path, text }]));
  };
  const blocked = [...errors, ...userRules.errors];

  let tools: Promise<Registry<Tool>> | undefined;
  const environment: SessionEnvironment = {
    store,
    holder: { ...thisProcess(), holderId: newUuid() },
    now: Date.now,
    loadTools: () => (tools ??= loadTools()),
    commands: builtIn,
    loadShelf: (cwd) => loadShelf({ builtIn, home: paths.home, cwd }),
    configuredServers,
    createServers: async (roots) => {
      const { McpServers } = await import("./mcp/servers.ts");
      const cwd = roots[0] ?? paths.home;
      return new McpServers({ version, cwd, roots, inherited: env, configured: configuredServers });
    },
    models,
    defaultMode: isModeId(config.mode) ? config.mode : DEFAULT_MODE,
    ...(config.thoughtLevel === undefined ? {} : { defaultThoughtLevel: config.thoughtLevel }),
    settings: {
      fetchAllowPrivate: config.fetch?.allowPrivate ?? [],
      cacheDir: join(paths.home, "cache"),
      ...(config.iac?.binary === undefined ? {} : { iacBinary: config.iac.binary }),
      sandbox: config.sandbox ?? "auto",
    },
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
      const configured = await instructionsOfConfig(cwd);
      const { createSystemPrompt } = await import("./agent/project-context.ts");
      return createSystemPrompt({ cwd, roots, home: paths.home, configured, mask }, signal);
    },
    instructionsFor: async (cwd) => {
      const { readInstructions } = await import("./agent/project-context.ts");
      return [...(await instructionsOfConfig(cwd)), ...(await readInstructions(cwd, paths.home))];
    },
  };
  const sessions = new LiveSessions(environment);
  const services: Services = {
    version,
    sessions,
    models,
    reloadModels: async () => {
      models.use((await loadConfig({ env, flags })).config);
      await models.ready(AbortSignal.timeout(5_000));
      return models.missing();
    },
    forgetKeys: async () => void (await forgetCredentials(paths)),
  };
  const dispatcher = createDispatcher<Services>({
    methods: Object.values(methodMembers) satisfies readonly Method<Services>[],
    services,
    onClosing: async ({ transport, connectionId }, reason) => {
      const isFinal = transport === "stdio" || FINAL_REASONS.has(reason);
      await sessions.closeConnection(connectionId, isFinal);
      return isFinal;
    },
  });
  return {
    dispatcher,
    gauges: () => sessions.gauges,
    [Symbol.asyncDispose]: async () => {
      await sessions.dispose();
      await store[Symbol.asyncDispose]();
    },
  };
}
