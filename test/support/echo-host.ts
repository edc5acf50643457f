// A small host for transport tests: answers a handful of methods itself, records what happens to each connection,
// and, run as a program, serves it on stdin/stdout. Not the application: no session is stored, no turn is run.

import type { AnyMessage, AnyRequest, JsonRpcId } from "@agentclientprotocol/sdk/unstable";
import { isRecord } from "../../src/lib/json.ts";
import type { Connection, Host, MessageStream, Origin } from "../../src/transports/transport.ts";
import { openStdio } from "../../src/transports/stdio.ts";

export type EchoConnection = {
  readonly origin: Origin;
  readonly received: AnyMessage[];
  /** Says something to the client; resolves when the transport took it. */
  readonly send: (message: AnyMessage) => Promise<void>;
  /** What the transport told the host, in order. */
  readonly events: string[];
};

export type EchoHost = Host & { readonly connections: EchoConnection[] };

type Send = (message: AnyMessage) => Promise<void>;
type Asked = { readonly question: AnyRequest; readonly settle: (outcome: unknown) => void };

/** An update of a session as the client sees it. */
export function toChunk(sessionId: string, text: string): AnyMessage {
  const update = { sessionUpdate: "agent_message_chunk", content: { type: "text", text } };
  return { jsonrpc: "2.0", method: "session/update", params: { sessionId, update } };
}

/** A host that keeps every connection it was ever given in `connections`. */
export function createEchoHost(): EchoHost {
  const connections: EchoConnection[] = [];
  return {
    connections,
    gauges: () => ({ sessions: 2, turns: 1 }),
    connect: (stream, origin) => connect(stream, origin, connections),
  };
}

function connect(stream: MessageStream, origin: Origin, all: EchoConnection[]): Connection {
  const writer = stream.writable.getWriter();
  const send: Send = (message) => writer.write(message);
  const received: AnyMessage[] = [];
  const events: string[] = [];
  all.push({ origin, received, send, events });
  const waiting = new Map<JsonRpcId, () => void>();
  const asked = new Map<JsonRpcId, Asked>();
  const closed = Promise.withResolvers<void>();
  const answer = (id: JsonRpcId, result: unknown) => send({ jsonrpc: "2.0", id, result });
  const fail = (id: JsonRpcId, code: number, message: string) =>
    send({ jsonrpc: "2.0", id, error: { code, message } });
  const context: Context = { send, answer, fail, waiting, asked };
  const settleAll = () => {
    for (const { settle } of asked.values()) settle({ outcome: "cancelled" });
  };
  void readAll(stream.readable, (message) => {
    received.push(message);
    if ("method" in message) {
      if ("id" in message) void handle(message, context);
      else if (message.method === "session/cancel")
        for (const release of waiting.values()) release();
    } else {
      asked.get(message.id)?.settle("result" in message ? message.result : message.error);
    }
  });
  return {
    closed: closed.promise,
    close: (reason) => {
      events.push(`close: ${reason}`);
      settleAll();
      for (const release of waiting.values()) release();
      // What was released answers first, as a host that cancels would.
      setTimeout(() => closed.resolve(), 5);
    },
    resendOpenRequests: () => {
      events.push("resend");
      for (const { question } of asked.values()) void send(question);
    },
    denyOpenRequests: () => {
      events.push("deny");
      settleAll();
    },
  };
}

type Context = {
  readonly send: Send;
  readonly answer: (id: JsonRpcId, result: unknown) => Promise<void>;
  readonly fail: (id: JsonRpcId, code: number, message: string) => Promise<void>;
  readonly waiting: Map<JsonRpcId, () => void>;
  readonly asked: Map<JsonRpcId, Asked>;
};

let nextSession = 0;
let nextQuestion = 0;

async function handle(request: AnyRequest, context: Context): Promise<void> {
  const { id, method } = request;
  const params: Record<string, unknown> = isRecord(request.params) ? request.params : {};
  const sessionId = typeof params["sessionId"] === "string" ? params["sessionId"] : "none";
  const { send, answer, fail } = context;
  switch (method) {
    case "initialize":
      if (params["hang"] === true) return;
      if (params["protocolVersion"] === undefined)
        return fail(id, -32602, "protocolVersion is missing");
      return answer(id, { protocolVersion: 1, agentCapabilities: {}, authMethods: [] });
    case "session/new":
      nextSession += 1;
      return answer(id, { sessionId: `sess_${nextSession}` });
    case "session/prompt":
      await send(toChunk(sessionId, textOf(params)));
      return answer(id, { stopReason: "end_turn" });
    case "flood":
      for (let n = 0; n < Number(params["count"]); n += 1)
        await send(toChunk(sessionId, `${n} ${"x".repeat(Number(params["bytes"]))}`));
      return answer(id, { flooded: params["count"] });
    case "ask":
      return ask(sessionId, request, context);
    case "wait":
      await new Promise<void>((resolve) => context.waiting.set(id, resolve));
      context.waiting.delete(id);
      return fail(id, -32800, "cancelled");
    case "echo":
      return answer(id, params);
    default:
      return fail(id, -32601, `No method ${method}`);
  }
}

async function ask(sessionId: string, request: AnyRequest, context: Context): Promise<void> {
  nextQuestion += 1;
  const question: AnyRequest = {
    jsonrpc: "2.0",
    id: `q${nextQuestion}`,
    method: "session/request_permission",
    params: {
      sessionId,
      toolCall: { toolCallId: "call_1" },
      options: [{ optionId: "yes", name: "Allow", kind: "allow_once" }],
    },
  };
  const outcome = await new Promise((settle) => {
    context.asked.set(question.id, { question, settle });
    void context.send(question);
  });
  context.asked.delete(question.id);
  await context.answer(request.id, { outcome });
}

function textOf(params: Record<string, unknown>): string {
  const [block] = Array.isArray(params["prompt"]) ? params["prompt"] : [];
  return isRecord(block) && typeof block["text"] === "string" ? block["text"] : "";
}

async function readAll(
  readable: ReadableStream<AnyMessage>,
  onMessage: (message: AnyMessage) => void,
): Promise<void> {
  const reader = readable.getReader();
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    onMessage(value);
  }
}

if (import.meta.main) {
  const parentPollMs = Number(process.argv[2] ?? 2_000);
  const endGraceMs = Number(process.argv[3] ?? 500);
  await openStdio({ parentPollMs, endGraceMs, flushStallMs: 3_000 }, createEchoHost()).done;
}
