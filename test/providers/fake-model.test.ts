// The scripted model itself: what it answers, what it refuses, what it records.

import { expect, test } from "bun:test";
import { calls, fakeModel, hang, reset, status, text, toolCall } from "../support/fake-model.ts";

const ask = (content: string) => [
  { role: "system", content: "You help." },
  { role: "user", content },
];
const post = (url: string, body: object, signal?: AbortSignal) =>
  fetch(`${url}/chat/completions`, {
    method: "POST",
    body: JSON.stringify({ model: "fake-model", ...body }),
    ...(signal && { signal }),
  });

test("fakeModel streams its script in order and records every request", async () => {
  await using model = await fakeModel([text("Hello you"), toolCall("bash", { command: "ls" })]);
  const first = await (await post(model.url, { messages: ask("hi"), stream: true })).text();
  expect(first).toContain(`"content":"Hello "`);
  expect(first).toEndWith("data: [DONE]\n\n");
  const second: unknown = await (await post(model.url, { messages: ask("hi") })).json();
  const call = { type: "function", function: { name: "bash", arguments: `{"command":"ls"}` } };
  expect(second).toMatchObject({ choices: [{ message: { tool_calls: [call] } }] });
  expect(model.requests.map((request) => request.messages.length)).toEqual([2, 2]);
  model.assertValid();
});

test("fakeModel answers 400 to a history with a call that has no result, and assertValid throws", async () => {
  await using model = await fakeModel([text("unused")]);
  const tool_calls = [{ id: "a", type: "function", function: { name: "bash", arguments: "{}" } }];
  const messages = [
    ...ask("hi"),
    { role: "assistant", content: "", tool_calls },
    ...ask("x").slice(1),
  ];
  expect((await post(model.url, { messages })).status).toBe(400);
  expect(() => model.assertValid()).toThrow("tool_calls must be followed by tool messages");
});

test("fakeModel refuses a request that its script does not know", async () => {
  await using model = await fakeModel([]);
  expect((await post(model.url, { messages: ask("hi") })).status).toBe(400);
  expect(() => model.assertValid()).toThrow("no reply");
});

test("fakeModel hangs, resets and fails as it is told", async () => {
  await using model = await fakeModel([status(429, { "retry-after": "3" }), reset(), hang("mid")]);
  const limited = await post(model.url, { messages: ask("hi"), stream: true });
  expect([limited.status, limited.headers.get("retry-after")]).toEqual([429, "3"]);
  const cut = await post(model.url, { messages: ask("hi"), stream: true });
  const ending = await cut.text().then(
    () => "whole",
    () => "broken",
  );
  expect(ending).toBe("broken");
  const controller = new AbortController();
  await post(model.url, { messages: ask("hi"), stream: true }, controller.signal);
  controller.abort();
  expect(await (await model.received(3)).ended).toBe("aborted");
});

test("fakeModel speaks the Responses API", async () => {
  await using model = await fakeModel([
    calls([{ name: "bash", args: {} }], { text: "Look", thought: "Hm" }),
  ]);
  const response = await fetch(`${model.url}/responses`, {
    method: "POST",
    body: JSON.stringify({ model: "m", stream: true, input: [{ role: "user", content: "hi" }] }),
  });
  const body = await response.text();
  for (const type of [
    "reasoning_summary_text.delta",
    "output_text.delta",
    "function_call_arguments.delta",
    "completed",
  ])
    expect(body).toContain(`event: response.${type}\n`);
  model.assertValid();
});
