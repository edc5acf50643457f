// One server of one session: started in the background, listed, asked, started again once when it dies, ended. Whoever
// asks always gets an answer in words; nothing here rejects.

import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { pathToFileURL } from "node:url";
import { log } from "../lib/log.ts";
import { aborted, within } from "./aborted.ts";
import { type Forms, answerQuestions } from "./elicit.ts";
import type { McpServerSpec } from "../protocol/params.ts";
import {
  type Listed,
  type PromptInfo,
  type ToolInfo,
  listItems,
  readPrompts,
  readTools,
} from "./listing.ts";
import { type OpenTransport, type Sdk, loadSdk, openTransport } from "./open-transport.ts";
import { errorText, reasonWriter } from "./server-text.ts";

/** A server that is not ready by then has failed. Many are fetched from a registry when first run. */
export const CONNECT_LIMIT_MS = 60_000;
/** A server that dies again this soon after it was started again is left dead. */
const CRASH_LOOP_MS = 60_000;
/** How long a call waits for a server that is just starting. */
const CALL_WAIT_MS = 5_000;
/** Telling a server over HTTP that its session is over must not hold up the end of ours. */
const LEAVE_MS = 1_000;
/** Lists that change all the time are read again this often at most. */
const REFRESH_GAP_MS = 250;

export type ConnectionParts = {
  readonly version: string;
  readonly cwd: string;
  readonly roots: readonly string[];
  readonly inherited: Readonly<Record<string, string | undefined>>;
  readonly forms: Forms;
  /** Its state or its lists are others now. */
  readonly onChange: () => void;
  /** A sentence for the user, known outside any turn maybe. */
  readonly report: (text: string) => void;
};

export type ServerState =
  | { readonly type: "starting" }
  | { readonly type: "ready" }
  | { readonly type: "failed"; readonly reason: string };

export type Outcome<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly text: string };

type Asked<T> = Outcome<T> | { readonly ok: "expired" };
type Opened = { readonly client: Client; readonly sdk: Sdk } & OpenTransport;

const NOTHING: Listed<never> = { items: [], problems: [] };

export class McpConnection {
  readonly spec: McpServerSpec;
  readonly #parts: ConnectionParts;
  readonly #words: (text: string) => string;
  readonly #closing = new AbortController();
  readonly #refreshing = new Set<"tools" | "prompts">();
  #state: ServerState = { type: "starting" };
  #opened: Opened | undefined;
  #attempt: Promise<void>;
  #tools: Listed<ToolInfo> = NOTHING;
  #prompts: Listed<PromptInfo> = NOTHING;
  #hasResources = false;
  /** Requests that wait for an answer. */
  #asking = 0;
  /** By the monotonic clock; when it was last started again because it had died. */
  #restartedAt = Number.NEGATIVE_INFINITY;

  constructor(spec: McpServerSpec, parts: ConnectionParts) {
    this.spec = spec;
    this.#parts = parts;
    this.#words = reasonWriter(spec);
    this.#attempt = this.#connect();
  }

  get state(): ServerState {
    return this.#state;
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
    return [...this.#tools.problems, ...this.#prompts.problems].map(this.#words);
  }
  /** Resolves when the running attempt to start it is over, whichever way. */
  get settled(): Promise<void> {
    return this.#attempt;
  }

  /** Asks the server; every failure comes back as a text for the model. */
  async ask<T>(run: (client: Client) => Promise<T>, signal: AbortSignal): Promise<Outcome<T>> {
    const first = await this.#askOnce(run, signal);
    if (first.ok !== "expired") return first;
    // The server forgot our session and did nothing: a new one is opened, and the question put once more.
    const second = await this.#askOnce(run, signal);
    return second.ok === "expired" ? this.#unusable("it forgets its sessions") : second;
  }

  /** Ends it; resolves when nothing of it is left. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#attempt;
    await this.#release(true);
  }

  async #connect(): Promise<void> {
    const signal = AbortSignal.any([this.#closing.signal, AbortSignal.timeout(CONNECT_LIMIT_MS)]);
    const late = `it did not answer within ${CONNECT_LIMIT_MS / 1_000} s`;
    let opened: Opened | undefined;
    try {
      // Whoever opens the session goes first: loading the SDK takes a while.
      await Bun.sleep(0);
      opened = await this.#open(await loadSdk());
      const { client, transport } = opened;
      await within(client.connect(transport, { timeout: CONNECT_LIMIT_MS }), signal, late);
      await within(this.#readLists(client, signal), signal, late);
      this.#state = { type: "ready" };
    } catch (error) {
      const reason = this.#words(opened?.reason() ?? errorText(error));
      this.#state = { type: "failed", reason };
      await this.#release(false);
      if (this.#closing.signal.aborted) return;
      this.#parts.report(`MCP server ${this.spec.name} did not start: ${reason}.`);
    }
    this.#parts.onChange();
  }

  async #open(sdk: Sdk): Promise<Opened> {
    const { version, cwd, inherited, roots, forms } = this.#parts;
    const open = await openTransport(this.spec, { cwd, inherited });
    const client = new sdk.Client(
      { name: "iac-code", version },
      {
        capabilities: {
          roots: { listChanged: false },
          ...(forms.canAsk() ? { elicitation: { form: {} } } : {}),
        },
      },
    );
    if (forms.canAsk())
      answerQuestions(client, sdk, {
        server: this.spec.name,
        forms,
        isCalling: () => this.#asking > 0,
      });
    client.setRequestHandler(sdk.ListRootsRequestSchema, () => ({
      roots: roots.map((root) => ({ uri: pathToFileURL(root).href })),
    }));
    client.fallbackNotificationHandler = async ({ method }) => {
      if (method === "notifications/tools/list_changed") void this.#refresh("tools");
      if (method === "notifications/prompts/list_changed") void this.#refresh("prompts");
    };
    client.onerror = (error) =>
      log.debug(`MCP server ${this.spec.name}:`, this.#words(errorText(error)));
    client.onclose = () => this.#lost(client);
    this.#opened = { ...open, client, sdk };
    return this.#opened;
  }

  async #readLists(client: Client, signal: AbortSignal): Promise<void> {
    const offered = client.getServerCapabilities();
    this.#hasResources = offered?.resources !== undefined;
    const read = async (what: "tools" | "prompts"): Promise<Listed<unknown>> => {
      if (offered?.[what] === undefined) return NOTHING;
      try {
        return await listItems(client, what, signal);
      } catch (error) {
        if (signal.aborted || this.#opened?.client.transport === undefined) throw error;
        return { items: [], problems: [`its ${what} cannot be listed: ${errorText(error)}`] };
      }
    };
    const [tools, prompts] = await Promise.all([read("tools"), read("prompts")]);
    this.#tools = readTools(tools);
    this.#prompts = readPrompts(prompts);
    for (const problem of this.problems)
      this.#parts.report(`MCP server ${this.spec.name}: ${problem}.`);
  }

  async #refresh(what: "tools" | "prompts"): Promise<void> {
    if (this.#refreshing.has(what)) return;
    this.#refreshing.add(what);
    await Bun.sleep(REFRESH_GAP_MS);
    // What changes from here on is a change of its own.
    this.#refreshing.delete(what);
    const client = this.#opened?.client;
    if (client === undefined || this.#state.type !== "ready") return;
    try {
      const listed = await listItems(client, what, this.#closing.signal);
      if (what === "tools") this.#tools = readTools(listed);
      else this.#prompts = readPrompts(listed);
      this.#parts.onChange();
    } catch (error) {
      // The lists stay as they were; a server that died is dealt with where its end is noticed.
      log.debug(`MCP server ${this.spec.name}: no new list of ${what}`, errorText(error));
    }
  }

  async #askOnce<T>(run: (client: Client) => Promise<T>, signal: AbortSignal): Promise<Asked<T>> {
    if (this.#state.type === "starting")
      await Promise.race([
        this.#attempt,
        aborted(AbortSignal.any([signal, AbortSignal.timeout(CALL_WAIT_MS)])),
      ]);
    const opened = this.#opened;
    if (signal.aborted) return { ok: false, text: "Cancelled." };
    if (this.#state.type === "starting") return this.#unusable("it is still starting");
    if (this.#state.type === "failed" || opened === undefined)
      return this.#unusable(this.#state.type === "failed" ? this.#state.reason : "it was closed");
    try {
      this.#asking += 1;
      return { ok: true, value: await run(opened.client) };
    } catch (error) {
      if (signal.aborted) return { ok: false, text: "Cancelled." };
      return this.#explain(error, opened);
    } finally {
      this.#asking -= 1;
    }
  }

  #explain(error: unknown, opened: Opened): Asked<never> {
    const { McpError, ErrorCode } = opened.sdk;
    const said = this.#words(opened.reason() ?? errorText(error));
    const { name } = this.spec;
    if (error instanceof McpError && error.code === Number(ErrorCode.RequestTimeout))
      return { ok: false, text: `MCP server ${name} gave no answer in time: ${said}` };
    if (error instanceof McpError && error.code !== Number(ErrorCode.ConnectionClosed))
      return { ok: false, text: `MCP server ${name} answered with an error: ${said}` };
    if (error instanceof Error && "issues" in error)
      return { ok: false, text: `MCP server ${name} gave an answer that is not understood.` };
    const status = error instanceof Error && "code" in error ? error.code : undefined;
    if (typeof status === "number" && status >= 400 && status !== 404)
      return { ok: false, text: `MCP server ${name} refused the request: ${said}` };
    if (this.#closing.signal.aborted) return this.#unusable("the session does not use it any more");
    this.#lost(opened.client, said);
    if (status === 404) return { ok: "expired" };
    const now =
      this.#state.type === "failed"
        ? "It is not started again."
        : "It is being started again; check what was done before you repeat the call.";
    return { ok: false, text: `MCP server ${name} was lost during the call (${said}). ${now}` };
  }

  #unusable(why: string): { readonly ok: false; readonly text: string } {
    return { ok: false, text: `MCP server ${this.spec.name} cannot be used: ${why}.` };
  }

  /** A server that was ready is gone: once it is started again, a second time within a minute it stays dead. */
  #lost(client: Client, said?: string): void {
    if (this.#opened?.client !== client || this.#state.type !== "ready") return;
    if (this.#closing.signal.aborted) return;
    const reason = this.#words(this.#opened.reason() ?? said ?? "it closed the connection");
    const released = this.#release(false);
    const at = performance.now();
    if (at - this.#restartedAt < CRASH_LOOP_MS) {
      this.#state = { type: "failed", reason: `it was lost twice (${reason})` };
      this.#parts.report(
        `MCP server ${this.spec.name} was lost twice and is not started again: ${reason}.`,
      );
      this.#attempt = released.then(this.#parts.onChange);
      return;
    }
    this.#restartedAt = at;
    this.#state = { type: "starting" };
    this.#attempt = released.then(() => this.#connect());
  }

  async #release(isPolite: boolean): Promise<void> {
    const opened = this.#opened;
    this.#opened = undefined;
    if (opened === undefined) return;
    if (isPolite)
      // A server that does not answer any more has nothing left to be told.
      await Promise.race([opened.leave().catch(() => undefined), Bun.sleep(LEAVE_MS)]);
    // It may be closed already, or never have been open.
    await opened.transport.close().catch(() => undefined);
  }
}
