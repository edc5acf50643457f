// The Responses provider against a real server.

import { expect, test } from "bun:test";
import type { Message } from "../../src/conversation/messages.ts";
import { createProvider } from "../../src/providers/create-provider.ts";
import { calls, chunks, fakeModel, text, type Scripted } from "../support/fake-model.ts";
import { collect, depsFor, endpointAt, requestOf, USER } from "./support.ts";

async function run(script: readonly Scripted[], request = {}) {
  await using model = await fakeModel(script);
  const provider = createProvider(endpointAt(model.url, { api: "responses" }), depsFor());
  const events = await collect(provider.stream(requestOf(request), AbortSignal.timeout(20_000)));
  model.assertValid();
  return { events, requests: model.requests };
}
const sse = (...events: readonly { readonly type: string; readonly [key: string]: unknown }[]) =>
  chunks(events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`));

test("stream yields thoughts, text, calls and usage", async () => {
  const usage = { input: 10, output: 5, reasoning: 2 };
  const { events } = await run([
    calls([{ name: "bash", args: { command: "ls" }, id: "a" }], {
      text: "Look here",
      thought: "Hm",
      usage,
    }),
  ]);
  expect(events).toEqual([
    { type: "thought_delta", text: "Hm" },
    { type: "text_delta", text: "Look " },
    { type: "text_delta", text: "here" },
    { type: "tool_call_started", index: 0, name: "bash" },
    {
      type: "done",
      finish: "tool_calls",
      toolCalls: [{ id: "a", name: "bash", arguments: `{"command":"ls"}` }],
      reasoning: "Hm",
      usage: {
        inputTokens: 10,
        outputTokens: 5,
        totalTokens: 15,
        cachedInputTokens: 0,
        reasoningTokens: 2,
      },
    },
  ]);
});

test("a response cut by its limit is length", async () => {
  const { events } = await run([text("Half", { finish: "length" })]);
  expect(events.at(-1)).toMatchObject({ type: "done", finish: "length" });
});

test("a failed response is retried before text, and its error is the failure at last", async () => {
  const bad = sse(
    { type: "response.created", response: { status: "in_progress" } },
    {
      type: "response.failed",
      response: { status: "failed", error: { code: "server_error", message: "boom" } },
    },
  );
  const { events, requests } = await run([bad, bad, bad, bad, bad]);
  expect(requests.length).toBe(5);
  expect(events).toMatchObject([{ type: "failed", failure: { kind: "server" }, partial: false }]);
});

test("a stream without its end is broken", async () => {
  const { events } = await run([
    sse({ type: "response.output_text.delta", output_index: 0, delta: "Begun" }),
  ]);
  expect(events).toMatchObject([
    { type: "text_delta", text: "Begun" },
    { type: "failed", partial: true },
  ]);
});

test("encrypted reasoning comes back verbatim in the next request, and requests share their prefix", async () => {
  const item = { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "c2VjcmV0" };
  const call = { type: "function_call", id: "fc_1", call_id: "a", name: "bash", arguments: "{}" };
  const reply = sse(
    { type: "response.output_item.done", output_index: 0, item },
    { type: "response.output_item.done", output_index: 1, item: call },
    { type: "response.completed", response: { status: "completed", output: [item, call] } },
  );
  await using model = await fakeModel([reply, text("ok")]);
  const provider = createProvider(endpointAt(model.url, { api: "responses" }), depsFor());
  const signal = AbortSignal.timeout(20_000);
  const done = (await collect(provider.stream(requestOf(), signal))).at(-1);
  if (done?.type !== "done" || done.reasoning === undefined)
    throw new Error("No reasoning came back");
  const grown: Message[] = [
    ...USER,
    { role: "assistant", text: "", reasoning: done.reasoning, toolCalls: done.toolCalls },
    { role: "tool", toolCallId: "a", text: "ok" },
  ];
  await collect(provider.stream(requestOf({ messages: grown }), signal));
  expect(model.requests[1]?.messages[1]).toEqual(item);
  expect(
    model.requests[1]?.raw.startsWith(model.requests[0]?.raw.replace(/\]\}$/, "") ?? "missing"),
  ).toBe(true);
  model.assertValid();
});

test("a refusal is text and ends as a refusal", async () => {
  const { events } = await run([
    sse(
      { type: "response.refusal.delta", output_index: 0, delta: "No." },
      { type: "response.completed", response: { status: "completed", output: [] } },
    ),
  ]);
  expect(events).toMatchObject([
    { type: "text_delta", text: "No." },
    { type: "done", finish: "refusal" },
  ]);
});
