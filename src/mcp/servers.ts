// All MCP servers of one session: the user's own and those the client named. Starting never holds anything up but the
// first turn, and that for a few seconds at most.

import type { JsonObject } from "../lib/json.ts";
import { count } from "../lib/text.ts";
import type { McpServerSpec } from "../protocol/params.ts";
import { aborted } from "./aborted.ts";
import { type ConnectionParts, McpConnection } from "./connection.ts";
import type { Forms } from "./elicit.ts";
import { assignNames, fitCommandName } from "./names.ts";
import { type McpPrompt, createMcpPrompt } from "./prompt.ts";
import { resourceTools } from "./resources.ts";
import { type McpCallContext, type McpTool, callServerTool, createMcpTool } from "./tool.ts";

/** From the opening of a session; a turn that begins earlier waits for what is left of it. */
export const START_BUDGET_MS = 5_000;
/** Of all servers together; with the program's own they stay below the 128 that OpenAI takes in a request. */
export const MAX_TOOLS = 100;
/** Sentences kept for the next turn; a server that fails all the time must not fill the screen. */
const MAX_REPORTS = 20;

export type McpServersParts = Omit<ConnectionParts, "onChange" | "report" | "forms"> & {
  /** The servers of the user's own configuration; a client's server of the same name replaces one. */
  readonly configured: readonly McpServerSpec[];
};

export class McpServers {
  readonly #parts: McpServersParts;
  #connections = new Map<string, McpConnection>();
  readonly #leaving = new Set<Promise<void>>();
  #reports: string[] = [];
  #startedAt = 0;
  #isToldCut = false;
  readonly #toldSlow = new WeakSet<McpConnection>();
  #tools: readonly McpTool[] | undefined;
  #prompts: readonly McpPrompt[] | undefined;
  /** Called when tools, prompts or states are others now. */
  onChange: () => void = () => undefined;
  /** How a server asks the user; set by whoever knows the client. */
  forms: Forms = { canAsk: () => false, ask: async () => ({ action: "cancel" }) };

  constructor(parts: McpServersParts) {
    this.#parts = parts;
  }

  /** Makes these, and the configured ones, the servers of the session: what runs already stays, what is not named ends. */
  use(specs: readonly McpServerSpec[]): void {
    const wanted = new Map<string, McpServerSpec>();
    for (const spec of this.#parts.configured) wanted.set(spec.name, spec);
    const named = new Set<string>();
    for (const spec of specs) {
      if (named.has(spec.name))
        this.#report(`Two MCP servers are named ${spec.name}; only the last one is used.`);
      named.add(spec.name);
      wanted.set(spec.name, spec);
    }
    const kept = new Map<string, McpConnection>();
    for (const [name, spec] of wanted) kept.set(name, this.#running(spec) ?? this.#start(spec));
    for (const connection of this.#connections.values())
      if (!kept.has(connection.spec.name) || kept.get(connection.spec.name) !== connection)
        this.#end(connection);
    this.#connections = kept;
    this.#startedAt = performance.now();
    this.#changed();
  }

  /** Waits until every server is ready or has failed, or the budget of the start is used up. */
  async settle(signal: AbortSignal): Promise<void> {
    // Why such a server failed was told; that it is tried again is not worth a word.
    for (const connection of this.#connections.values())
      if (connection.retry()) this.#toldSlow.add(connection);
    const starting = this.#starting();
    const leftMs = this.#startedAt + START_BUDGET_MS - performance.now();
    if (starting.length > 0 && leftMs > 0) {
      const limit = AbortSignal.any([signal, AbortSignal.timeout(leftMs)]);
      await Promise.race([Promise.all(starting.map(({ settled }) => settled)), aborted(limit)]);
    }
    for (const connection of signal.aborted ? [] : this.#starting()) {
      if (this.#toldSlow.has(connection)) continue;
      this.#toldSlow.add(connection);
      const { name } = connection.spec;
      this.#report(`MCP server ${name} is still starting; its tools can be used once it is ready.`);
    }
  }

  /** What each server is given by name, secrets among it; a header's token also without its scheme. */
  settings(): readonly Readonly<Record<string, string>>[] {
    return [...this.#connections.values()].map(({ spec }) => {
      if (spec.type === "stdio") return spec.env;
      const tokens = Object.entries(spec.headers).map(
        ([name, value]) => [`${name}-token`, value.replace(/^\w+\s+/, "")] as const,
      );
      return { ...Object.fromEntries(tokens), ...spec.headers };
    });
  }

  /** The tools of all servers, under names that no other tool has. */
  tools(): readonly McpTool[] {
    return (this.#tools ??= this.#makeTools());
  }

  prompts(): readonly McpPrompt[] {
    return (this.#prompts ??= this.#makePrompts());
  }

  /** One row a server, for a person. */
  status(): readonly { readonly name: string; readonly state: string }[] {
    return [...this.#connections.values()].map((connection) => {
      const { spec, state, problems } = connection;
      const { tools, prompts, hasResources } = connection.offers;
      const offers = [count(tools.length, "tool"), count(prompts.length, "prompt")];
      if (hasResources) offers.push("resources");
      const shown =
        state.type === "ready"
          ? [`ready: ${offers.join(", ")}`, ...problems].join("; ")
          : state.type === "failed"
            ? `failed: ${state.reason}`
            : "starting";
      return { name: `${spec.name} (${spec.type})`, state: shown };
    });
  }

  /** What the user has not been told yet; whoever tells takes it out. */
  takeReports(): readonly string[] {
    // Whether there are too many tools shows when they are made.
    this.tools();
    const reports = this.#reports;
    this.#reports = [];
    return reports;
  }

  /** Ends every server; resolves when nothing of them is left. */
  async dispose(): Promise<void> {
    this.onChange = () => undefined;
    for (const connection of this.#connections.values()) this.#end(connection);
    this.#connections = new Map();
    await Promise.all(this.#leaving);
  }

  #starting(): McpConnection[] {
    return [...this.#connections.values()].filter(({ state }) => state.type === "starting");
  }

  #running(spec: McpServerSpec): McpConnection | undefined {
    const connection = this.#connections.get(spec.name);
    const isUsable =
      connection !== undefined &&
      connection.state.type !== "failed" &&
      Bun.deepEquals(connection.spec, spec, true);
    return isUsable ? connection : undefined;
  }

  #start(spec: McpServerSpec): McpConnection {
    return new McpConnection(spec, {
      ...this.#parts,
      forms: {
        canAsk: () => this.forms.canAsk(),
        ask: (question, signal) => this.forms.ask(question, signal),
      },
      onChange: () => this.#changed(),
      report: (text) => this.#report(text),
    });
  }

  #end(connection: McpConnection): void {
    const leaving = connection.close().finally(() => this.#leaving.delete(leaving));
    this.#leaving.add(leaving);
  }

  #report(text: string): void {
    if (this.#reports.length < MAX_REPORTS) this.#reports.push(text);
  }

  #changed(): void {
    this.#tools = undefined;
    this.#prompts = undefined;
    this.onChange();
  }

  #makeTools(): McpTool[] {
    const offered = [...this.#connections.values()].flatMap((connection) => {
      const server = connection.spec.name;
      const own = connection.offers.tools.map((info) => ({
        info,
        execute: (args: JsonObject, context: McpCallContext) =>
          callServerTool(connection, info.name, args, context),
      }));
      return [...own, ...resourceTools(connection)].map((tool) => ({
        ...tool,
        server,
        name: tool.info.name,
      }));
    });
    if (offered.length > MAX_TOOLS && !this.#isToldCut) {
      this.#isToldCut = true;
      this.#report(
        `The MCP servers offer ${offered.length} tools; only the first ${MAX_TOOLS} are used. Leave servers out to have the others.`,
      );
    }
    const named = [...assignNames(offered)].slice(0, MAX_TOOLS);
    return named.map(([name, tool]) => createMcpTool({ ...tool, name }));
  }

  #makePrompts(): McpPrompt[] {
    const offered = [...this.#connections.values()].flatMap((connection) =>
      connection.offers.prompts.map((info) => ({
        server: connection.spec.name,
        name: info.name,
        info,
        connection,
      })),
    );
    return [...assignNames(offered, fitCommandName)].map(([name, { info, connection }]) =>
      createMcpPrompt(name, info, connection),
    );
  }
}
