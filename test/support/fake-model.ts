// A scripted model endpoint: a real HTTP server on loopback that speaks chat completions, the Responses API and
// /models, answers from a script, and checks every request as the strictest endpoint would.
// `await using model = await fakeModel([text("Hello")])`; other processes reach it by `model.env()`.

import type { Server } from "bun";
import { isRecord, parseJson } from "../../src/lib/json.ts";
import type { FakeMessage, FakeReply } from "./fake-replies.ts";
import {
  chatStream,
  chatWhole,
  responsesStream,
  responsesWhole,
  type WireContext,
} from "./fake-wire.ts";
import { chatRequestFaults, responsesRequestFaults } from "./strict-history.ts";

export * from "./fake-replies.ts";

export type FakeRequest = {
  /** Counts the model requests of this server from 0. */
  readonly index: number;
  readonly api: "chat" | "responses";
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly raw: string;
  readonly body: Readonly<Record<string, unknown>>;
  /** `messages`, or the Responses API's `input`. */
  readonly messages: readonly Readonly<Record<string, unknown>>[];
  readonly toolNames: readonly string[];
  /** Resolves when the client hangs up or the answer has been sent. */
  readonly ended: Promise<"aborted" | "answered">;
};

export type Scripted = FakeReply | ((request: FakeRequest) => FakeReply | Promise<FakeReply>);

export type FakeModelOptions = {
  /** Answers when the script is used up. Without it such a request is a violation. */
  readonly fallback?: Scripted;
  /** Ids that /models lists. Default `fake-model`. */
  readonly models?: readonly string[];
  /** Refuse requests without the key of `env()`. Default: any key passes. */
  readonly requireKey?: boolean;
  /** Checks requests. Default true; off only for tests of broken requests themselves. */
  readonly strict?: boolean;
};

export type FakeModel = AsyncDisposable & {
  /** Base URL with `/v1`. */
  readonly url: string;
  /** The same without `/v1`; model requests to it answer 404, as vLLM and LM Studio do. */
  readonly origin: string;
  readonly apiKey: string;
  readonly requests: readonly FakeRequest[];
  /** Adds replies to the end of the script. */
  readonly push: (...replies: readonly Scripted[]) => void;
  /** Resolves when at least `n` model requests have arrived; with the last of them. */
  readonly received: (n: number) => Promise<FakeRequest>;
  /** Throws when any request was not whole, or came when the script was used up. */
  readonly assertValid: () => void;
  readonly violations: readonly string[];
  /** Environment of a child process that shall use this model. */
  readonly env: () => Record<string, string>;
};

const API_KEY = "fake-key-0123456789abcdef";

/** Starts the server on a free port of 127.0.0.1. */
export async function fakeModel(
  replies: readonly Scripted[] = [],
  options: FakeModelOptions = {},
): Promise<FakeModel> {
  const script = [...replies];
  const requests: FakeRequest[] = [];
  const violations: string[] = [];
  const waiters: { readonly n: number; readonly resolve: (request: FakeRequest) => void }[] = [];
  const models = options.models ?? ["fake-model"];
  let callCount = 0;
  const newCallId = () => `call_${(callCount += 1).toString().padStart(6, "0")}`;

  async function answer(request: Request): Promise<Response> {
    const path = new URL(request.url).pathname;
    const isKeyed = request.headers.get("authorization") === `Bearer ${API_KEY}`;
    if (options.requireKey === true && !isKeyed)
      return errorResponse(401, "Incorrect API key provided", "invalid_api_key");
    if (path === "/v1/models")
      return Response.json({ object: "list", data: models.map((id) => ({ id, object: "model" })) });
    if (path !== "/v1/chat/completions" && path !== "/v1/responses")
      return errorResponse(404, `No route ${path}`, "not_found");
    const { record, end } = await recordOf(request, requests.length);
    requests.push(record);
    for (const waiter of waiters.filter(({ n }) => n <= requests.length)) waiter.resolve(record);
    const faults = options.strict === false ? [] : faultsOf(record);
    const scripted = script.shift() ?? options.fallback;
    if (scripted === undefined) faults.push("the script has no reply for it");
    if (faults.length > 0 || scripted === undefined) {
      violations.push(...faults.map((fault) => `request ${record.index}: ${fault}`));
      return errorResponse(400, `Invalid request: ${faults.join("; ")}`, "invalid_request_error");
    }
    const reply = typeof scripted === "function" ? await scripted(record) : scripted;
    return toResponse(reply, { request: record, newCallId, end, signal: request.signal });
  }

  const server: Server<undefined> = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    development: false,
    maxRequestBodySize: 256 * 1024 * 1024,
    error: (error) => new Response(`fake model failed: ${error.message}`, { status: 500 }),
    fetch: answer,
  });
  const origin = `http://127.0.0.1:${server.port}`;
  return {
    url: `${origin}/v1`,
    origin,
    apiKey: API_KEY,
    requests,
    violations,
    push: (...more) => void script.push(...more),
    received: (n) => {
      const last = requests[n - 1];
      if (last !== undefined) return Promise.resolve(last);
      return new Promise((resolve) => waiters.push({ n, resolve }));
    },
    assertValid: () => {
      if (violations.length > 0)
        throw new Error(`Requests were not whole:\n${violations.join("\n")}`);
    },
    env: () => ({
      IACCODE_BASE_URL: `${origin}/v1`,
      IACCODE_API_KEY: API_KEY,
      IACCODE_MODEL: models[0] ?? "fake-model",
    }),
    [Symbol.asyncDispose]: () => server.stop(true),
  };
}

function faultsOf(request: FakeRequest): string[] {
  return request.api === "chat"
    ? chatRequestFaults(request.body)
    : responsesRequestFaults(request.body);
}

async function recordOf(
  request: Request,
  index: number,
): Promise<{ readonly record: FakeRequest; readonly end: (how: "aborted" | "answered") => void }> {
  const { promise: ended, resolve: end } = Promise.withResolvers<"aborted" | "answered">();
  request.signal.addEventListener("abort", () => end("aborted"), { once: true });
  const path = new URL(request.url).pathname;
  const headers = Object.fromEntries(request.headers);
  const raw = await request.text();
  const parsed = parseJson(raw);
  const body = isRecord(parsed) ? parsed : {};
  const api = path.endsWith("/responses") ? "responses" : "chat";
  const list: unknown = api === "responses" ? body["input"] : body["messages"];
  const messages = Array.isArray(list) ? list.filter(isRecord) : [];
  const tools = Array.isArray(body["tools"]) ? body["tools"].filter(isRecord) : [];
  const toolNames = tools.map((tool) => {
    const spec = isRecord(tool["function"]) ? tool["function"] : tool;
    return String(spec["name"]);
  });
  return { record: { index, api, path, headers, raw, body, messages, toolNames, ended }, end };
}

type ReplyContext = {
  readonly request: FakeRequest;
  readonly newCallId: () => string;
  readonly end: (how: "aborted" | "answered") => void;
  readonly signal: AbortSignal;
};

function toResponse(reply: FakeReply, context: ReplyContext): Response | Promise<Response> {
  switch (reply.type) {
    case "silence":
      return new Promise(() => {});
    case "status":
      context.end("answered");
      return new Response(reply.body, { status: reply.status, headers: reply.headers });
    case "chunks":
      return streamed(reply.chunks, reply, context);
    case "message":
      return messageResponse(reply, context);
    default:
      return reply satisfies never;
  }
}

function messageResponse(message: FakeMessage, context: ReplyContext): Response {
  const { request } = context;
  const answerLength = (message.text ?? "").length + JSON.stringify(message.calls ?? []).length;
  const options = request.body["stream_options"];
  const wire: WireContext = {
    model: String(request.body["model"]),
    usage: message.usage ?? {
      input: Math.ceil(request.raw.length / 4),
      output: Math.ceil(answerLength / 4),
    },
    includeUsage: isRecord(options) && options["include_usage"] === true,
    newCallId: context.newCallId,
  };
  const isChat = request.api === "chat";
  if (request.body["stream"] !== true) {
    context.end("answered");
    return Response.json(isChat ? chatWhole(message, wire) : responsesWhole(message, wire));
  }
  const events = isChat ? chatStream(message, wire) : responsesStream(message, wire);
  const ending = { contentType: "text/event-stream", end: "close" } as const;
  return streamed(events, { ...ending, ...(message.hold && { hold: message.hold }) }, context);
}

type StreamEnding = {
  readonly contentType: string;
  readonly end: "close" | "hang" | "reset";
  readonly hold?: Promise<unknown>;
  readonly when?: Promise<unknown>;
};

const RESET_DELAY_MS = 50;

/** The first two chunks go out before a hold: the opening event and the first piece. */
const CHUNKS_BEFORE_HOLD = 2;

function streamed(
  list: readonly (string | Uint8Array)[],
  { contentType, end, hold, when }: StreamEnding,
  context: ReplyContext,
): Response {
  const encoder = new TextEncoder();
  let index = 0;
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      if (index === CHUNKS_BEFORE_HOLD && hold !== undefined) await hold;
      const chunk = list[index];
      index += 1;
      if (chunk !== undefined) {
        controller.enqueue(typeof chunk === "string" ? encoder.encode(chunk) : chunk);
        // A turn of the event loop, so that chunks leave as packets of their own.
        return new Promise((resolve) => setImmediate(resolve));
      }
      if (end === "hang") return new Promise(() => {});
      if (end === "reset") await (when ?? Bun.sleep(RESET_DELAY_MS));
      context.end("answered");
      if (end === "reset") controller.error(new Error("scripted reset"));
      else controller.close();
    },
    cancel: () => context.end("aborted"),
  });
  return new Response(body, { headers: { "content-type": contentType } });
}

function errorResponse(status: number, message: string, code: string): Response {
  return Response.json({ error: { message, type: code, code } }, { status });
}
