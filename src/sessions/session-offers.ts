// What one session has on offer: tools and slash commands, the program's own with those of MCP servers, Markdown files
// and skills. Asked anew each time, since servers and files come, change and go while a session lives.

import type { Command, PromptCommand } from "../commands/command.ts";
import type { Shelf } from "../commands/shelf.ts";
import { createSkillTool } from "../commands/skill-tool.ts";
import { splitWords } from "../commands/template.ts";
import { type Registry, liveRegistry, registryOf } from "../lib/registry.ts";
import type { McpPrompt } from "../mcp/prompt.ts";
import type { McpServers } from "../mcp/servers.ts";
import type { McpServerSpec } from "../protocol/params.ts";
import type { Tool } from "../tools/tool.ts";
import type { SessionEnvironment } from "./environment.ts";

type Servers = Pick<
  McpServers,
  "use" | "settle" | "settings" | "tools" | "prompts" | "status" | "takeReports" | "dispose"
>;
/** How servers reach the session. */
export type ServerHooks = Pick<McpServers, "onChange" | "forms">;

const NO_SERVERS: Servers = {
  use: () => undefined,
  settle: async () => undefined,
  settings: () => [],
  tools: () => [],
  prompts: () => [],
  status: () => [],
  takeReports: () => [],
  dispose: async () => undefined,
};

function promptCommand({ expand, ...info }: McpPrompt): PromptCommand {
  return { ...info, expand: (args, signal) => expand(splitWords(args), signal) };
}

export class SessionOffers {
  /** In a fixed order for the same members, so that the endpoint's prompt cache hits. */
  readonly tools: Registry<Tool>;
  readonly #environment: SessionEnvironment;
  readonly #cwd: string;
  readonly #roots: readonly string[];
  readonly #hooks: ServerHooks;
  #servers: Servers = NO_SERVERS;
  #loading: Promise<McpServers> | undefined;
  #isDisposed = false;
  #shelf: Shelf;
  #own: readonly Tool[] = [];
  #made: { readonly from: readonly unknown[]; readonly tools: Registry<Tool> } | undefined;

  constructor(
    environment: SessionEnvironment,
    cwd: string,
    roots: readonly string[],
    hooks: ServerHooks,
  ) {
    this.#environment = environment;
    this.#cwd = cwd;
    this.#roots = roots;
    this.#hooks = hooks;
    this.#shelf = { commands: environment.commands, skills: [] };
    this.tools = liveRegistry(() => this.#currentTools());
  }

  get servers(): Servers {
    return this.#servers;
  }

  /** Makes these, beside the configured ones, the session's MCP servers. What runs them is loaded with the first. */
  async useServers(specs: readonly McpServerSpec[]): Promise<void> {
    const isNone = specs.length === 0 && this.#environment.configuredServers.length === 0;
    if (isNone && this.#loading === undefined) return;
    this.#loading ??= this.#environment.createServers(this.#roots);
    const servers = await this.#loading;
    if (this.#isDisposed) return;
    this.#servers = Object.assign(servers, this.#hooks);
    servers.use(specs);
  }

  /** Ends every server; none is started from now on. */
  async dispose(): Promise<void> {
    this.#isDisposed = true;
    await this.#servers.dispose();
  }

  /** Loads the program's own tools; to be awaited before a turn uses `tools`. */
  async loadTools(): Promise<void> {
    this.#own = (await this.#environment.loadTools()).all;
  }

  /** Reads commands and skills from their files again. Never rejects. */
  async reload(): Promise<void> {
    this.#shelf = await this.#environment.loadShelf(this.#cwd);
  }

  commands(): Registry<Command | PromptCommand> {
    const { commands } = this.#shelf;
    const prompts = this.#servers
      .prompts()
      .map(promptCommand)
      .filter(({ name }) => commands.get(name) === undefined);
    return prompts.length === 0 ? commands : registryOf([...commands.all, ...prompts]);
  }

  #currentTools(): Registry<Tool> {
    const { skills } = this.#shelf;
    const served = this.#servers.tools();
    const from = [this.#own, skills, served];
    if (this.#made?.from.every((one, index) => one === from[index]) !== true) {
      const skill = createSkillTool(skills);
      const own = [...this.#own, ...(skill === undefined ? [] : [skill])];
      this.#made = { from, tools: registryOf<Tool>([...own, ...served]) };
    }
    return this.#made?.tools ?? registryOf<Tool>([]);
  }
}
