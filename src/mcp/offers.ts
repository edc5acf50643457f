// What a server offers, kept up to date: read when it starts, and again when it says that something changed.

import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { log } from "../lib/log.ts";
import {
  type Listed,
  type PromptInfo,
  type ToolInfo,
  listItems,
  readPrompts,
  readTools,
} from "./listing.ts";
import { errorText } from "./server-text.ts";

/** Lists that change all the time are read again this often at most. */
const REFRESH_GAP_MS = 250;

const NOTHING: Listed<never> = { items: [], problems: [] };
type ListName = "tools" | "prompts";

const CHANGES: Readonly<Record<string, ListName>> = {
  "notifications/tools/list_changed": "tools",
  "notifications/prompts/list_changed": "prompts",
};

export class ServerOffers {
  readonly #onChange: () => void;
  /** Lists that are being kept from being read too often; true: there is news meanwhile. */
  readonly #resting = new Map<ListName, boolean>();
  readonly #reading = new Set<Promise<void>>();
  #tools: Listed<ToolInfo> = NOTHING;
  #prompts: Listed<PromptInfo> = NOTHING;
  #hasResources = false;

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  get tools(): readonly ToolInfo[] {
    return this.#tools.items;
  }
  get prompts(): readonly PromptInfo[] {
    return this.#prompts.items;
  }
  get hasResources(): boolean {
    return this.#hasResources;
  }
  get problems(): readonly string[] {
    return [...this.#tools.problems, ...this.#prompts.problems];
  }

  /** Reads everything from a server that has just started; rejects when it is gone meanwhile. */
  async read(client: Client, signal: AbortSignal): Promise<void> {
    const offered = client.getServerCapabilities();
    this.#hasResources = offered?.resources !== undefined;
    const read = async (what: ListName): Promise<Listed<unknown>> => {
      if (offered?.[what] === undefined) return NOTHING;
      try {
        return await listItems(client, what, signal);
      } catch (error) {
        if (signal.aborted || client.transport === undefined) throw error;
        return { items: [], problems: [`its ${what} cannot be listed: ${errorText(error)}`] };
      }
    };
    const [tools, prompts] = await Promise.all([read("tools"), read("prompts")]);
    this.#tools = readTools(tools);
    this.#prompts = readPrompts(prompts);
  }

  /** Takes a notification of the server; those that are not about lists are passed over. */
  notice(method: string, client: Client, signal: AbortSignal): void {
    const what = CHANGES[method];
    if (what === undefined) return;
    if (this.#resting.has(what)) this.#resting.set(what, true);
    else void this.#refresh(what, client, signal);
  }

  /** Resolves when the lists that are being read now have been read. */
  async settled(): Promise<void> {
    await Promise.all(this.#reading);
  }

  async #refresh(what: ListName, client: Client, signal: AbortSignal): Promise<void> {
    do {
      this.#resting.set(what, false);
      const reading = this.#readAgain(what, client, signal);
      this.#reading.add(reading);
      await reading;
      this.#reading.delete(reading);
      await Bun.sleep(REFRESH_GAP_MS);
    } while (this.#resting.get(what) === true && !signal.aborted && client.transport !== undefined);
    this.#resting.delete(what);
  }

  async #readAgain(what: ListName, client: Client, signal: AbortSignal): Promise<void> {
    try {
      const listed = await listItems(client, what, signal);
      if (what === "tools") this.#tools = readTools(listed);
      else this.#prompts = readPrompts(listed);
      this.#onChange();
    } catch (error) {
      // The list stays as it was; a server that died is dealt with where its end is noticed.
      log.debug(`An MCP server gave no new list of ${what}`, error instanceof Error && error.name);
    }
  }
}
