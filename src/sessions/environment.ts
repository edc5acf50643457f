// What every session is given by the composition root.

import type { ModelCatalog } from "../agent/model-catalog.ts";
import type { Command } from "../commands/command.ts";
import type { Shelf } from "../commands/shelf.ts";
import type { DurableEvent } from "../conversation/events.ts";
import type { ThoughtLevel } from "../conversation/messages.ts";
import type { Registry } from "../lib/registry.ts";
import type { SessionId } from "../lib/ids.ts";
import type { McpServers } from "../mcp/servers.ts";
import type { ModeId } from "../permissions/modes.ts";
import type { RuleSet } from "../permissions/rules.ts";
import type { McpServerSpec } from "../protocol/params.ts";
import type { LeaseHolder, Store } from "../stores/store.ts";
import type { Tool, ToolSettings } from "../tools/tool.ts";

/** Hides secrets from model, store and log, and puts them back where the machine itself is written to. */
export type SessionMasker = {
  readonly mask: (
    text: string,
    hint?: { readonly path?: string; readonly command?: string },
  ) => string;
  readonly unmask: (text: string) => string;
  /** Placeholders in `text` that this session did not give out. */
  readonly unresolved: (text: string) => readonly string[];
  readonly maskEvent: <T extends DurableEvent>(event: T) => T;
  /** Keeps numbers of placeholders in stored text from being given out again with another meaning. */
  readonly reserve: (text: string) => void;
  /** Learns values that were given with the session, by the names that say whether they are secret. */
  readonly learn: (values: Readonly<Record<string, string>>) => void;
  /** Learns the values that the machine knows (tfvars, state, .env …); called before each turn. */
  readonly harvest: (signal: AbortSignal) => Promise<void>;
};

export type SessionEnvironment = {
  readonly store: Store;
  readonly holder: LeaseHolder;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** The program's own tools, loaded at the first turn; the same value each time. */
  readonly loadTools: () => Promise<Registry<Tool>>;
  readonly commands: Registry<Command>;
  /** The commands above with those of the user's and the project's files, and their skills. */
  readonly loadShelf: (cwd: string) => Promise<Shelf>;
  /** MCP servers of the user's configuration, which every session has. */
  readonly configuredServers: readonly McpServerSpec[];
  /** What runs the MCP servers of one session, the configured ones among them; loads it, and starts none. */
  readonly createServers: (roots: readonly string[]) => Promise<McpServers>;
  readonly models: ModelCatalog;
  readonly defaultMode: ModeId;
  /** Thinking of sessions that chose none, where the model has that level. */
  readonly defaultThoughtLevel?: ThoughtLevel;
  readonly settings: ToolSettings;
  /** The user's rules tightened by those of the project. */
  readonly rulesFor: (cwd: string) => Promise<RuleSet>;
  readonly createMasker: (cwd: string) => SessionMasker;
  /** Where a session's whole command outputs go. */
  readonly outputDirOf: (id: SessionId) => string;
  /** The same text all session long, so that the endpoint's prompt cache hits. */
  readonly systemPromptFor: (
    cwd: string,
    roots: readonly string[],
    mask: (text: string) => string,
    signal: AbortSignal,
  ) => Promise<string>;
  /** The instruction files that the system prompt of such a session holds, outermost first. */
  readonly instructionsFor: (
    cwd: string,
  ) => Promise<readonly { readonly path: string; readonly text: string }[]>;
  /** Why no turn may run: a part of the user's own configuration, maybe a deny rule, could not be understood. */
  readonly blocked: () => string | undefined;
};
