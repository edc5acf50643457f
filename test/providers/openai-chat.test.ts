// The chat provider against a real server: what it sends, what it makes of answers, failures and silence.

import { expect, test } from "bun:test";
import type { Message } from "../../src/conversation/messages.ts";
import { createChatProvider } from "../../src/providers/openai-chat.ts";
import type { ModelEvent, ModelRequest } from "../../src/providers/provider.ts";
import {
  calls,
  chatEvent,
  chunks,
  DONE,
  fakeModel,
  hang,
  reset,
  status,
  text,
  thought,
  toolCall,
  type Scripted,
} from "../support/fake-model.ts";
import { BASH, collect, depsFor, endpointAt, requestOf, USER } from "./support.ts";

/** Runs one request against a script and gives back everything that came of it. */
async function run(
  script: readonly Scripted[],
  options: { readonly request?: Partial<ModelRequest>; readonly onEvent?: () => void } = {},
) {
  await using model = await fakeModel(script);
  const deps = depsFor();
  const provider = createChatProvider(endpointAt(model.url), deps);
  const signal = AbortSignal.timeout(20_000);
  const events = await collect(
    provider.stream(requestOf(options.request), signal),
    options.onEvent,
  );
  return { events, requests: model.requests, waits: deps.waits };
}
const last = (events: readonly ModelEvent[]) => events.at(-1);

test("stream yields text as it comes and one done with usage", async () => {
  const { events } = await run([text("Hello you", { usage: { input: 10, output: 3, cached: 4 } })]);
  expect(events).toEqual([
    { type: "text_delta", text: "Hello " },
    { type: "text_delta", text: "you" },
    {
      type: "done",
      finish: "stop",
      toolCalls: [],
      usage: {
        inputTokens: 10,
        outputTokens: 3,
        totalTokens: 13,
        cachedInputTokens: 4,
        reasoningTokens: 0,
      },
    },
  ]);
});

test("stream yields thoughts, announces calls and gives them whole", async () => {
  const reply = calls([{ name: "bash", args: { command: "ls" }, id: "a" }], {
    thought: "Hm",
    text: "Look",
  });
  const { events } = await run([reply]);
  expect(events.slice(0, 3)).toEqual([
    { type: "thought_delta", text: "Hm" },
    { type: "text_delta", text: "Look" },
    { type: "tool_call_started", index: 0, name: "bash" },
  ]);
  expect(last(events)).toMatchObject({
    finish: "tool_calls",
    reasoning: "Hm",
    toolCalls: [{ id: "a", name: "bash", arguments: `{"command":"ls"}` }],
  });
});

test("stream retries 429, 408, 409, 500, 503 and 529, waiting as Retry-After says", async () => {
  const { events, waits } = await run([
    status(429, { "retry-after": "3" }),
    status(503, { "retry-after": "Thu, 01 Jan 2026 00:00:10 GMT" }),
    status(529, { "retry-after": "rubbish" }),
    status(408, { "retry-after": "-5" }),
    text("ok"),
  ]);
  expect(waits).toEqual([3000, 10_000, 4, 8]);
  expect(events.filter(({ type }) => type === "notice")).toEqual([
    { type: "notice", text: "Waiting 3 s: fake is rate limited (429)." },
    { type: "notice", text: "Waiting 10 s: fake failed (503)." },
  ]);
  expect(last(events)).toMatchObject({ type: "done" });
});

test("stream gives up after five attempts with the last failure", async () => {
  const { events, requests } = await run(Array.from({ length: 9 }, () => status(500)));
  expect(requests.length).toBe(5);
  expect(events).toEqual([
    {
      type: "failed",
      partial: false,
      failure: {
        kind: "server",
        status: 500,
        provider: "fake",
        message:
          "fake failed (500): scripted status 500. Try again later, or choose another model.",
      },
    },
  ]);
});

test.each([
  [302, "not_found"],
  [400, "bad_request"],
  [401, "auth"],
  [402, "quota"],
  [403, "auth"],
  [413, "overflow"],
] as const)("stream does not retry %d", async (code, kind) => {
  const { events, requests } = await run([status(code)]);
  expect(requests.length).toBe(1);
  expect(last(events)).toMatchObject({
    type: "failed",
    partial: false,
    failure: { kind, status: code },
  });
});

test("stream ends at once when Retry-After is over 120 s or the quota is used up", async () => {
  const long = await run([status(429, { "retry-after": "86400" })]);
  expect(last(long.events)).toMatchObject({
    failure: {
      kind: "rate_limit",
      message:
        "fake is rate limited (429) and asks to wait 24 h. Try again then, or choose another model.",
    },
  });
  const quota = await run([
    status(
      429,
      {},
      { error: { message: "You exceeded your current quota", code: "insufficient_quota" } },
    ),
  ]);
  expect(last(quota.events)).toMatchObject({ failure: { kind: "quota", status: 429 } });
  expect([long.requests.length, quota.requests.length]).toEqual([1, 1]);
});

test("stream recognises an overflow before the retry rules, whatever the status", async () => {
  const ollama = status(
    500,
    {},
    { error: { message: "the input length exceeds the context length", type: "api_error" } },
  );
  const { events, requests } = await run([ollama]);
  expect(requests.length).toBe(1);
  expect(last(events)).toMatchObject({ failure: { kind: "overflow", status: 500 } });
});

test("stream tries a connection that died before any text again, and voids its thoughts", async () => {
  const seen = Promise.withResolvers<void>();
  const dead = reset([chatEvent({ reasoning_content: "Let me" })], seen.promise);
  const script = [dead, thought("Again", { text: "Done" })];
  const { events } = await run(script, { onEvent: seen.resolve });
  expect(events.map(({ type }) => type)).toEqual([
    "thought_delta",
    "restart",
    "thought_delta",
    "text_delta",
    "done",
  ]);
});

test.each([
  ["a reset", reset([chatEvent({ content: "Begun" })])],
  ["a clean end without a finish", chunks([chatEvent({ content: "Begun" })])],
  [
    "an error object",
    chunks([chatEvent({ content: "Begun" }), `data: {"error":{"message":"boom","code":500}}\n\n`]),
  ],
  [
    "a call that is not whole",
    chunks([
      chatEvent({ content: "Begun" }),
      chatEvent({
        tool_calls: [{ index: 0, id: "a", function: { name: "bash", arguments: `{"comm` } }],
      }),
    ]),
  ],
])("stream marks the break and sends nothing twice after text and %s", async (_name, reply) => {
  const { events, requests } = await run([reply]);
  expect(requests.length).toBe(1);
  expect(events[0]).toEqual({ type: "text_delta", text: "Begun" });
  expect(last(events)).toMatchObject({ type: "failed", partial: true });
});

test.each([
  ["nested", `data: {"error":{"message":"overloaded","type":"overloaded_error"}}\n\n`, "server"],
  ["flat", `data: {"object":"error","message":"boom","code":503}\n\n`, "server"],
  [
    "code and message",
    `data: {"code":"Throttling.RateQuota","message":"slow down"}\n\n`,
    "rate_limit",
  ],
  [
    "in a choice",
    `data: {"choices":[{"index":0,"delta":{},"finish_reason":"error","error":{"code":502,"message":"bad"}}]}\n\n`,
    "server",
  ],
])("stream retries an error inside a 200 stream: %s", async (_name, event, kind) => {
  const ok = await run([chunks([event]), text("ok")]);
  expect(last(ok.events)).toMatchObject({ type: "done" });
  const bad = await run(Array.from({ length: 5 }, () => chunks([event])));
  expect(last(bad.events)).toMatchObject({ type: "failed", failure: { kind }, partial: false });
});

test("stream takes a web page for a wrong address and does not ask again", async () => {
  const { events, requests } = await run([
    chunks(["<!doctype html><html>hi</html>"], { contentType: "text/html" }),
  ]);
  expect(requests.length).toBe(1);
  expect(last(events)).toMatchObject({ failure: { kind: "protocol" }, partial: false });
});

test("stream reads one JSON document where a stream was asked", async () => {
  const body = {
    choices: [{ message: { role: "assistant", content: "Whole" }, finish_reason: "stop" }],
  };
  const { events } = await run([
    chunks([JSON.stringify(body)], { contentType: "application/json" }),
  ]);
  expect(events.map((event) => ("text" in event ? event.text : event.type))).toEqual([
    "Whole",
    "done",
  ]);
});

test("stream ends at [DONE] though the connection stays open", async () => {
  const { events } = await run([hang("mid", [chatEvent({ content: "Hi" }), DONE])]);
  expect(last(events)).toMatchObject({ type: "done", finish: "stop" });
});

test("stream ends soon after a finish_reason though neither [DONE] nor the end comes", async () => {
  const { events } = await run([hang("mid", [chatEvent({ content: "Hi" }, "stop")])]);
  expect(last(events)).toMatchObject({ type: "done", finish: "stop" });
});

test.each([
  ["no headers", hang("headers")],
  ["nothing after the headers", hang("mid", [": open\n\n"])],
])("stream ends a silent endpoint by its own limits: %s", async (_name, reply) => {
  const { events, requests } = await run([reply, reply]);
  expect(requests.length).toBe(2);
  expect(last(events)).toMatchObject({
    type: "failed",
    failure: { kind: "timeout" },
    partial: false,
  });
});

test("stream ends without an event within a second of an abort, in every phase", async () => {
  await using model = await fakeModel([hang("headers"), hang("mid")]);
  const provider = createChatProvider(endpointAt(model.url), {
    now: Date.now,
    random: Math.random,
  });
  for (const phase of [1, 2]) {
    const controller = new AbortController();
    const events = collect(provider.stream(requestOf(), controller.signal));
    const request = await model.received(phase);
    const before = performance.now();
    controller.abort();
    expect((await events).filter(({ type }) => type !== "text_delta")).toEqual([]);
    expect(performance.now() - before).toBeLessThan(1000);
    expect(await request.ended).toBe("aborted");
  }
});

test("an abort ends a wait between attempts", async () => {
  await using model = await fakeModel([status(429, { "retry-after": "100" })]);
  const provider = createChatProvider(endpointAt(model.url), {
    now: Date.now,
    random: Math.random,
  });
  const controller = new AbortController();
  const seen: ModelEvent[] = [];
  for await (const event of provider.stream(requestOf(), controller.signal)) {
    seen.push(event);
    controller.abort();
  }
  expect(seen).toEqual([{ type: "notice", text: "Waiting 100 s: fake is rate limited (429)." }]);
});

test("a consumer that stops reading ends the request", async () => {
  await using model = await fakeModel([hang("mid")]);
  const provider = createChatProvider(endpointAt(model.url), depsFor());
  for await (const _event of provider.stream(requestOf(), AbortSignal.timeout(20_000))) break;
  expect(await (await model.received(1)).ended).toBe("aborted");
});

test("two requests of a session are the same bytes up to the new messages, whatever the order of the tools", async () => {
  await using model = await fakeModel([
    toolCall("bash", { command: "ls" }, { id: "a" }),
    text("done"),
  ]);
  const provider = createChatProvider(endpointAt(model.url), depsFor());
  const signal = AbortSignal.timeout(20_000);
  const other = { ...BASH, name: "read_file" };
  await collect(provider.stream(requestOf({ tools: [other, BASH] }), signal));
  const grown: Message[] = [
    ...USER,
    {
      role: "assistant",
      text: "",
      toolCalls: [{ id: "a", name: "bash", arguments: `{"command":"ls"}` }],
    },
    { role: "tool", toolCallId: "a", text: "main.tf" },
  ];
  await collect(provider.stream(requestOf({ messages: grown, tools: [BASH, other] }), signal));
  const [first, second] = model.requests;
  expect(second?.raw.startsWith(first?.raw.replace(/\]\}$/, "") ?? "missing")).toBe(true);
  model.assertValid();
});

test("the bare address is left for /v1 after a 404, and that is remembered", async () => {
  await using model = await fakeModel([text("a"), text("b")], { models: ["m1"] });
  const provider = createChatProvider(endpointAt(`${model.origin}/`), depsFor());
  const signal = AbortSignal.timeout(20_000);
  for (const _ of [1, 2])
    expect(last(await collect(provider.stream(requestOf(), signal)))).toMatchObject({
      type: "done",
    });
  expect(await provider.listModels(signal)).toEqual([{ id: "m1" }]);
});

test("the bare address is left for /v1 where a missing path is told with status 200", async () => {
  await using model = await fakeModel([text("a")]);
  const unknown = { error: "Unexpected endpoint or method. (POST /chat/completions)" };
  using server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: (request) =>
      new URL(request.url).pathname.startsWith("/v1/")
        ? fetch(`${model.origin}${new URL(request.url).pathname}`, request)
        : Response.json(unknown),
  });
  const provider = createChatProvider(endpointAt(`http://127.0.0.1:${server.port}`), depsFor());
  const events = await collect(provider.stream(requestOf(), AbortSignal.timeout(20_000)));
  expect(last(events)).toMatchObject({ type: "done" });
});

test("an address where neither form is known is told as it was given", async () => {
  using server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: () => new Response("404 page not found", { status: 404 }),
  });
  const provider = createChatProvider(endpointAt(`http://127.0.0.1:${server.port}`), depsFor());
  const signal = AbortSignal.timeout(20_000);
  for (const _ of [1, 2])
    expect(await collect(provider.stream(requestOf(), signal))).toMatchObject([
      { type: "failed", failure: { kind: "not_found", status: 404 } },
    ]);
});

test("a 404 about the model is no reason to try another address", async () => {
  const { events, requests } = await run([
    status(
      404,
      {},
      { error: { message: "The model `x` does not exist", code: "model_not_found" } },
    ),
  ]);
  expect(requests.length).toBe(1);
  expect(last(events)).toMatchObject({ failure: { kind: "not_found", status: 404 } });
});

test("createChatProvider refuses a base URL without a scheme and says what is right", () => {
  expect(() => createChatProvider(endpointAt("api.example.com/v1"), depsFor())).toThrow(
    "write it with its scheme",
  );
});

test("no key is sent where there is none, and nothing of the environment ever", async () => {
  await using model = await fakeModel([text("a")]);
  const { apiKey: _key, ...keyless } = endpointAt(model.url);
  const provider = createChatProvider({ ...keyless, headers: { "x-team": "infra" } }, depsFor());
  await collect(provider.stream(requestOf(), AbortSignal.timeout(20_000)));
  const headers = model.requests[0]?.headers ?? {};
  expect(headers["authorization"]).toBeUndefined();
  expect(headers["x-team"]).toBe("infra");
  expect(Object.keys(headers).filter((name) => name.startsWith("x-stainless"))).toEqual([]);
});

test("a refused connection is named, with what to do", async () => {
  const closed = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response() });
  const url = `http://127.0.0.1:${closed.port}/v1`;
  await closed.stop(true);
  const provider = createChatProvider(endpointAt(url), depsFor());
  const events = await collect(provider.stream(requestOf(), AbortSignal.timeout(20_000)));
  expect(events).toEqual([
    {
      type: "failed",
      partial: false,
      failure: {
        kind: "network",
        provider: "fake",
        message: `fake: nothing answers at ${new URL(url).host} (ECONNREFUSED). Check that the server runs and the base URL is right.`,
      },
    },
  ]);
});
