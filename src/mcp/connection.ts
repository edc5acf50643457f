// One server of one session: started in the background, listed, asked, started again once when it dies, ended. Whoever
// asks always gets an answer in words; nothing here rejects.

import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { pathToFileURL } from "node:url";
import { log } from "../lib/log.ts";
import { aborted, within } from "./aborted.ts";
import { type Forms, answerQuestions } from "./elicit.ts";
import type { McpServerSpec } from "../protocol/params.ts";
import { ServerOffers } from "./offers.ts";
import { type OpenTransport, type Sdk, loadSdk, openTransport } from "./open-transport.ts";
import { errorText, reasonWriter } from "./server-text.ts";

/** A server that is not ready by then has failed. Many are fetched from a registry when first run. */
export const CONNECT_LIMIT_MS = 60_000;
/** A server that dies again this soon after it was started again is left dead. */
const CRASH_LOOP_MS = 60_000;
/** A forgotten session is closed this much later, so that other calls in it get the server's own answer. */
const RENEW_GRACE_MS = 1_000;
/** How long a call waits for a server that is just starting. */
const CALL_WAIT_MS = 5_000;
/** Telling a server over HTTP that its session is over must not hold up the end of ours. */
const LEAVE_MS = 1_000;
/** A call that changed the server's lists waits for them, so that the model's next request knows them. */
const LIST_WAIT_MS = 1_000;
/** A server over HTTP that could not be reached is tried again by a turn that begins this much later. */
export const RETRY_AFTER_MS = 5_000;

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

export class McpConnection {
  readonly spec: McpServerSpec;
  readonly #parts: ConnectionParts;
  readonly #words: (text: string) => string;
  readonly #closing = new AbortController();
  #state: ServerState = { type: "starting" };
  #opened: Opened | undefined;
  #attempt: Promise<void>;
  /** As they were last; a server that is being started again still has its tools, which then say so. */
  readonly offers: ServerOffers;
  readonly #reported = new Set<string>();
  /** By the monotonic clock; when the last attempt to start it was over. */
  #attemptedAt = 0;
  /** Requests that wait for an answer. */
  #asking = 0;
  /** By the monotonic clock; when it was last started again because it had died. */
  #restartedAt = Number.NEGATIVE_INFINITY;

  constructor(spec: McpServerSpec, parts: ConnectionParts) {
    this.spec = spec;
    this.#parts = parts;
    this.#words = reasonWriter(spec);
    this.offers = new ServerOffers(parts.onChange);
    this.#attempt = this.#connect();
  }

  get state(): ServerState {
    return this.#state;
  }
  /** What is wrong with what it offers. */
  get problems(): readonly string[] {
    return this.offers.problems.map(this.#words);
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

  /** Tries again to reach a server over HTTP that could not be reached: networks come back. True when it does. */
  retry(): boolean {
    const isDue = performance.now() - this.#attemptedAt > RETRY_AFTER_MS;
    if (this.spec.type === "stdio" || this.#state.type !== "failed" || !isDue) return false;
    this.#restart();
    return true;
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
      await within(this.offers.read(client, signal), signal, late);
      this.#state = { type: "ready" };
      for (const problem of this.problems) this.#report(`: ${problem}.`);
    } catch (error) {
      const reason = this.#words(opened?.reason() ?? errorText(error));
      this.#state = { type: "failed", reason };
      await this.#release(false);
      if (this.#closing.signal.aborted) return;
      this.#report(` did not start: ${reason}.`);
    }
    this.#attemptedAt = performance.now();
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
      if (this.#state.type === "ready") this.offers.notice(method, client, this.#closing.signal);
    };
    client.onerror = (error) =>
      log.debug(`MCP server ${this.spec.name}:`, this.#words(errorText(error)));
    client.onclose = () => this.#lost(client);
    this.#opened = { ...open, client, sdk };
    return this.#opened;
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
      const value = await run(opened.client);
      await Promise.race([this.offers.settled(), Bun.sleep(LIST_WAIT_MS)]);
      return { ok: true, value };
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
    if (status === 404) {
      this.#renew(opened);
      return { ok: "expired" };
    }
    this.#lost(opened.client, said);
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
    const at = performance.now();
    if (at - this.#restartedAt >= CRASH_LOOP_MS) {
      this.#restartedAt = at;
      this.#restart();
      return;
    }
    this.#state = { type: "failed", reason: `it was lost twice (${reason})` };
    this.#attemptedAt = at;
    this.#report(` was lost twice and is not started again: ${reason}.`);
    this.#attempt = this.#release(false).then(this.#parts.onChange);
  }

  /** Opens a session in place of one that the server forgot; calls that are under way will hear the same by themselves. */
  #renew(opened: Opened): void {
    // Another call may have noticed it first.
    if (this.#opened !== opened) return;
    this.#opened = undefined;
    this.#restart();
    void Bun.sleep(RENEW_GRACE_MS).then(() => opened.transport.close().catch(() => undefined));
  }

  #restart(): void {
    this.#state = { type: "starting" };
    this.#attempt = this.#release(false).then(() => this.#connect());
  }

  /** The same trouble again is no news. */
  #report(text: string): void {
    if (this.#reported.has(text)) return;
    this.#reported.add(text);
    this.#parts.report(`MCP server ${this.spec.name}${text}`);
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
