// A raw JSON-RPC client that drives the real program as a user's editor does: over stdio, HTTP with one stream, HTTP with
// a stream a session, or WebSocket. It records every message of both directions, in the order it saw them.

import { isRecord } from "../../src/lib/json.ts";
import { checkMessage } from "./sniffer.ts";
import { type AgentProcess, spawnAgent } from "./agent-process.ts";
import { openHttp } from "./client-http.ts";
import { openStdioWire } from "./client-stdio.ts";
import { openWebSocketWire } from "./client-websocket.ts";

export const TRANSPORTS = ["stdio", "http", "http-sessions", "websocket"] as const;
export type TransportName = (typeof TRANSPORTS)[number];

export type Json = Record<string, unknown>;
export type Recorded = { readonly from: "client" | "agent"; readonly message: Json };

/** What a wire gives the client: messages out, messages in. */
export type Wire = AsyncDisposable & {
  /** Breaks what the client listens on, as a lost network does, without telling the server. */
  readonly drop?: () => void;
  readonly send: (message: unknown) => Promise<void>;
};
export type WireListener = {
  readonly onMessage: (message: Json) => void;
  readonly onEnd: () => void;
};

export class RpcFailure extends Error {
  readonly code: number;
  readonly data: unknown;
  constructor(error: Json) {
    super(String(error["message"]));
    this.code = Number(error["code"]);
    this.data = error["data"];
  }
}

export type Handler = (params: Json, method: string) => unknown;

/** A deadline for everything a test waits for; a test that hits it has failed. Long, since machines that run tests are busy. */
export const WAIT_MS = 45_000;
/** Conditions outside the connection (files, processes) are looked at again after this long. */
const POLL_MS = 50;

export class AcpClient implements AsyncDisposable {
  readonly log: Recorded[] = [];
  /** Answers the agent's requests by method; absent methods are refused with -32601. */
  readonly handlers: Record<string, Handler> = {};
  readonly process: AgentProcess;
  #wire: Wire | undefined;
  #nextId = 0;
  readonly #pending = new Map<
    unknown,
    { resolve: (value: Json) => void; reject: (error: Error) => void }
  >();
  readonly #waiters = new Set<() => void>();
  readonly #faults: string[] = [];
  #isEnded = false;

  private constructor(process: AgentProcess) {
    this.process = process;
  }

  static async open(transport: TransportName, process: AgentProcess): Promise<AcpClient> {
    const client = new AcpClient(process);
    const listener: WireListener = {
      onMessage: (message) => client.#receive(message),
      onEnd: () => client.#end(),
    };
    if (transport === "stdio") client.#wire = openStdioWire(process, listener);
    else if (transport === "websocket") client.#wire = await openWebSocketWire(process, listener);
    else client.#wire = openHttp(process, listener, transport === "http-sessions");
    return client;
  }

  /** Sends a message as it is, whatever it is. */
  async send(message: unknown): Promise<void> {
    if (isRecord(message)) this.log.push({ from: "client", message });
    if (this.#wire === undefined) throw new Error("The client is not connected");
    await this.#wire.send(message);
  }

  /** Sends a request; rejects with RpcFailure for an error answer. */
  async request(method: string, params?: unknown, id: unknown = this.#newId()): Promise<Json> {
    const answer = new Promise<Json>((resolve, reject) =>
      this.#pending.set(id, { resolve, reject }),
    );
    answer.catch(() => undefined);
    await this.send({ jsonrpc: "2.0", id, method, ...(params === undefined ? {} : { params }) });
    return answer;
  }

  notify(method: string, params?: unknown): Promise<void> {
    return this.send({ jsonrpc: "2.0", method, ...(params === undefined ? {} : { params }) });
  }

  initialize(clientCapabilities: Json = {}): Promise<Json> {
    return this.request("initialize", { protocolVersion: 1, clientCapabilities });
  }

  /** Handshake and a new session; resolves with its id. */
  async newSession(cwd: string, clientCapabilities: Json = {}): Promise<string> {
    await this.initialize(clientCapabilities);
    return String((await this.request("session/new", { cwd, mcpServers: [] }))["sessionId"]);
  }

  prompt(sessionId: string, text: string): Promise<Json> {
    return this.request("session/prompt", { sessionId, prompt: [{ type: "text", text }] });
  }

  /** Every update of a session so far. */
  updates(sessionId: string): Json[] {
    return this.log.flatMap(({ from, message }) => {
      const { method, params } = message as { method?: unknown; params?: Json };
      return from === "agent" && method === "session/update" && params?.["sessionId"] === sessionId
        ? [params["update"] as Json]
        : [];
    });
  }

  /** The agent's text of a session so far. */
  text(sessionId: string, kind = "agent_message_chunk"): string {
    return this.updates(sessionId)
      .filter((update) => update["sessionUpdate"] === kind)
      .map((update) => String((update["content"] as Json)["text"]))
      .join("");
  }

  /** The last state of each tool call of a session, merged over its updates. */
  toolCalls(sessionId: string): Json[] {
    const calls = new Map<unknown, Json>();
    for (const update of this.updates(sessionId)) {
      if (update["sessionUpdate"] !== "tool_call" && update["sessionUpdate"] !== "tool_call_update")
        continue;
      calls.set(update["toolCallId"], { ...calls.get(update["toolCallId"]), ...update });
    }
    return [...calls.values()];
  }

  /** Resolves when `condition` holds for what was seen so far; rejects after WAIT_MS or when the connection ended. */
  async until<T>(condition: () => T | undefined | false, what = String(condition)): Promise<T> {
    const deadline = Date.now() + WAIT_MS;
    for (;;) {
      const value = condition();
      if (value !== undefined && value !== false) return value;
      if (this.#isEnded) throw new Error(`The connection ended while waiting for ${what}`);
      const left = deadline - Date.now();
      if (left <= 0) throw new Error(`Waited too long for ${what}`);
      await this.#change(Math.min(left, POLL_MS));
    }
  }

  /** Waits for an update of the session that fits. */
  untilUpdate(sessionId: string, fits: (update: Json) => boolean): Promise<Json> {
    return this.until(() => this.updates(sessionId).find(fits), `an update like ${String(fits)}`);
  }

  /** Loses the network; the connection is not ended. */
  dropConnection(): void {
    this.#wire?.drop?.();
  }

  /** Throws when a message of the agent was not what the schema says. */
  assertConformant(): void {
    if (this.#faults.length > 0)
      throw new Error(`Messages that do not fit the schema:\n${this.#faults.join("\n")}`);
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#wire?.[Symbol.asyncDispose]();
    this.#end();
  }

  #newId(): number {
    this.#nextId += 1;
    return this.#nextId;
  }

  #change(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        this.#waiters.delete(done);
        resolve();
      };
      const timer = setTimeout(done, ms);
      this.#waiters.add(done);
    });
  }

  #receive(message: Json): void {
    this.log.push({ from: "agent", message });
    const request =
      "id" in message && !("method" in message) ? this.#requestOf(message["id"]) : undefined;
    this.#faults.push(...checkMessage(message, request));
    if ("method" in message) {
      if ("id" in message) void this.#answer(message);
    } else {
      const pending = this.#pending.get(message["id"]);
      this.#pending.delete(message["id"]);
      if (isRecord(message["error"])) pending?.reject(new RpcFailure(message["error"]));
      else pending?.resolve((message["result"] ?? {}) as Json);
    }
    for (const waiter of this.#waiters) waiter();
  }

  #requestOf(id: unknown): string | undefined {
    const found = this.log.findLast(
      ({ from, message }) => from === "client" && message["id"] === id && "method" in message,
    );
    return found === undefined ? undefined : String(found.message["method"]);
  }

  async #answer(message: Json): Promise<void> {
    const method = String(message["method"]);
    const handler = this.handlers[method];
    const { id } = message;
    try {
      const result = await handler?.((message["params"] ?? {}) as Json, method);
      if (handler === undefined)
        await this.send({
          jsonrpc: "2.0",
          id,
          error: { code: -32601, message: "Method not found" },
        });
      else if (result !== NO_ANSWER) await this.send({ jsonrpc: "2.0", id, result });
    } catch (error) {
      if (this.#isEnded) return;
      const { code = -32603, message: text } = error as { code?: number; message: string };
      await this.send({ jsonrpc: "2.0", id, error: { code, message: text } });
    }
  }

  #end(): void {
    this.#isEnded = true;
    for (const { reject } of this.#pending.values()) reject(new Error("The connection ended"));
    this.#pending.clear();
    for (const waiter of this.#waiters) waiter();
  }
}

/** A handler returns this to leave the agent's request unanswered. */
export const NO_ANSWER = Symbol("no answer");

/** Answers every permission question with the option of that kind. */
export function answerPermissions(client: AcpClient, kind: string): Json[] {
  const asked: Json[] = [];
  client.handlers["session/request_permission"] = (params) => {
    asked.push(params);
    return { outcome: { outcome: "selected", optionId: kind } };
  };
  return asked;
}

export type AgentOptions = {
  readonly env?: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
  /** Where its state lives; a folder of its own by default. */
  readonly home?: string;
  /** The program; default: this source tree by bun. */
  readonly command?: readonly string[];
};

/** Starts the program for a transport and connects one client; disposing ends both. */
export async function openAgent(
  transport: TransportName,
  options: AgentOptions = {},
): Promise<AcpClient & AsyncDisposable> {
  const process = await spawnAgent(transport === "stdio" ? "stdio" : "http", options);
  const client = await AcpClient.open(transport, process);
  const closeClient = client[Symbol.asyncDispose].bind(client);
  client[Symbol.asyncDispose] = async () => {
    await closeClient();
    await process[Symbol.asyncDispose]();
  };
  return client;
}
