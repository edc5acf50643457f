// How requests are written for each endpoint, and how one learns from its 400.

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { Message } from "../../src/conversation/messages.ts";
import { adaptTo, initialAdaptation } from "../../src/providers/adapt.ts";
import { normalizeBaseUrl, withVersion } from "../../src/providers/base-url.ts";
import { pathFor } from "../../src/providers/http-client.ts";
import { createChatProvider } from "../../src/providers/openai-chat.ts";
import type { Quirks } from "../../src/providers/provider.ts";
import { shortIds } from "../../src/providers/short-ids.ts";
import { thoughtFields } from "../../src/providers/thought-level.ts";
import { toChatBody } from "../../src/providers/to-chat.ts";
import { fakeModel, status, text } from "../support/fake-model.ts";
import { collect, depsFor, endpointAt, requestOf, USER } from "./support.ts";

const TURN: readonly Message[] = [
  ...USER,
  {
    role: "assistant",
    text: "",
    reasoning: "Hm",
    toolCalls: [{ id: "call_1", name: "bash", arguments: "{}", providerData: { s: 1 } }],
  },
  { role: "tool", toolCallId: "call_1", text: "ok" },
];
const bodyOf = (quirks: Quirks, changes = {}) =>
  JSON.parse(
    JSON.stringify(
      toChatBody(
        requestOf({ messages: TURN, ...changes }),
        endpointAt("http://x/v1", { quirks }),
        initialAdaptation(quirks),
      ),
    ),
  );

describe("reasoning", () => {
  test.each([
    [
      "wanted back",
      {},
      "The `reasoning_content` in the thinking mode must be passed back to the API",
      [undefined, "Hm"],
    ],
    [
      "not wanted",
      { sendReasoning: "reasoning_content" },
      "reasoning_content is not allowed in messages",
      ["Hm", undefined],
    ],
  ] as const)(
    "is %s: one flip on the 400, then remembered",
    async (_name, quirks, message, sent) => {
      await using model = await fakeModel([
        status(400, {}, { error: { message } }),
        text("a"),
        text("b"),
      ]);
      const provider = createChatProvider(endpointAt(model.url, { quirks }), depsFor());
      const signal = AbortSignal.timeout(20_000);
      for (const _ of [1, 2]) {
        const events = await collect(provider.stream(requestOf({ messages: TURN }), signal));
        expect(events.at(-1)).toMatchObject({ type: "done" });
      }
      const fields = model.requests.map((request) => request.messages[2]?.["reasoning_content"]);
      expect(fields).toEqual([sent[0], sent[1], sent[1]]);
    },
  );

  test("a second 400 of the kind ends the turn", async () => {
    const bad = status(400, {}, { error: { message: "reasoning_content must be passed back" } });
    await using model = await fakeModel([bad, bad]);
    const provider = createChatProvider(endpointAt(model.url), depsFor());
    const events = await collect(
      provider.stream(requestOf({ messages: TURN }), AbortSignal.timeout(20_000)),
    );
    expect(events).toMatchObject([
      { type: "failed", failure: { kind: "bad_request", status: 400 } },
    ]);
  });
});

test.each([
  [
    "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
    { maxTokensField: "max_completion_tokens" },
  ],
  ["Unknown parameter: stream_options", { withStreamOptions: false }],
  ["Unrecognized request argument supplied: reasoning_effort", { withThoughtLevel: false }],
  ["Missing reasoning in assistant message", { sendReasoning: "reasoning" }],
] as const)("adaptTo learns once from: %s", (words, change) => {
  const adapted = adaptTo(words, initialAdaptation({}));
  expect(adapted).toMatchObject(change);
  expect(adapted && adaptTo(words, adapted)?.changed.length).not.toBe(1);
});

test("adaptTo leaves other words alone", () => {
  expect(adaptTo("Invalid value: temperature", initialAdaptation({}))).toBeUndefined();
});

test.each([
  [{ thoughtStyle: "reasoning_effort" }, "high", { reasoning_effort: "high" }],
  [{ thoughtStyle: "reasoning_effort" }, "off", { reasoning_effort: "none" }],
  [{ thoughtStyle: "enable_thinking" }, "off", { enable_thinking: false }],
  [{ thoughtStyle: "enable_thinking" }, "low", { enable_thinking: true, thinking_budget: 1024 }],
  [{ thoughtStyle: "thinking" }, "medium", { thinking: { type: "enabled" } }],
  [{ thoughtStyle: "thinking" }, "off", { thinking: { type: "disabled" } }],
  [{ thoughtStyle: "reasoning_object" }, "low", { reasoning: { effort: "low" } }],
  [{}, "high", {}],
] as const)("thoughtFields writes %p at level %s", (quirks, level, expected) => {
  expect(thoughtFields(level, endpointAt("http://x", { quirks }))).toEqual(expected);
});

describe("toChatBody", () => {
  test("sends reasoning, limits and provider data only where they are wanted", () => {
    const plain = bodyOf({}, { maxOutputTokens: 100 });
    expect([
      plain.max_tokens,
      plain.messages[2].reasoning_content,
      plain.messages[2].tool_calls[0].extra_content,
    ]).toEqual([100, undefined, undefined]);
    const bent = bodyOf(
      {
        maxTokensField: "max_completion_tokens",
        sendReasoning: "reasoning",
        noStreamOptions: true,
      },
      { maxOutputTokens: 100 },
    );
    expect([bent.max_completion_tokens, bent.messages[2].reasoning, bent.stream_options]).toEqual([
      100,
      "Hm",
      undefined,
    ]);
    const gemini = toChatBody(
      requestOf({ messages: TURN }),
      endpointAt("http://x", { provider: "gemini" }),
      initialAdaptation({}),
    );
    expect(JSON.stringify(gemini)).toContain(`"extra_content":{"s":1}`);
  });

  test("gives Mistral ids of nine letters and digits, and no user message right after a result", () => {
    const { messages } = bodyOf(
      { shortCallIds: true },
      { messages: [...TURN, { role: "user", text: "go on" }] },
    );
    const { id } = messages[2].tool_calls[0];
    expect(id).toMatch(/^[a-zA-Z0-9]{9}$/);
    expect(messages[3].tool_call_id).toBe(id);
    expect(messages.map(({ role }: { role: string }) => role)).toEqual([
      "system",
      "user",
      "assistant",
      "tool",
      "assistant",
      "user",
    ]);
  });
});

test("shortIds are unique and never change when the history grows", () => {
  const calls = (ids: readonly string[]): Message[] =>
    ids.map((id) => ({
      role: "assistant",
      text: "",
      toolCalls: [{ id, name: "bash", arguments: "{}" }],
    }));
  fc.assert(
    fc.property(fc.uniqueArray(fc.string(), { maxLength: 30 }), fc.nat(), (ids, at) => {
      const all = ids.map(shortIds(calls(ids)));
      expect(new Set(all).size).toBe(ids.length);
      const earlier = ids.slice(0, at % (ids.length + 1));
      expect(earlier.map(shortIds(calls(earlier)))).toEqual(all.slice(0, earlier.length));
    }),
  );
});

test.each([
  [" https://api.example.com/v1/ ", "https://api.example.com/v1"],
  ["http://localhost:11434/v1/chat/completions", "http://localhost:11434/v1"],
  ["https://x/v1/responses/", "https://x/v1"],
  ["https://x//", "https://x"],
  ["https://x/openai/chat/completions?api-version=1", "https://x/openai?api-version=1"],
])("normalizeBaseUrl makes %p %s", (input, url) => {
  expect(normalizeBaseUrl(input)).toEqual({ ok: true, url });
});

test.each(["api.example.com/v1", "", "ftp://x", "http://"])(
  "normalizeBaseUrl refuses %p",
  (input) => {
    expect(normalizeBaseUrl(input).ok).toBe(false);
  },
);

test.each([
  ["http://x", "http://x/v1"],
  ["http://x/api?key=1", "http://x/api/v1?key=1"],
  ["http://x/v1", undefined],
  ["http://x/v1beta/openai", undefined],
])("withVersion makes %s %p", (url, versioned) => {
  expect(withVersion(url)).toBe(versioned);
});

test("Azure gets its version as a query, its key as a header and the deployment in the path", async () => {
  const seen: { url: string; key: string | null; bearer: string | null }[] = [];
  using server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch(request) {
      const { pathname, search } = new URL(request.url);
      seen.push({
        url: pathname + search,
        key: request.headers.get("api-key"),
        bearer: request.headers.get("authorization"),
      });
      return Response.json({ choices: [{ message: { content: "ok" }, finish_reason: "stop" }] });
    },
  });
  const endpoint = endpointAt(`http://127.0.0.1:${server.port}/openai?team=a`, {
    quirks: { azureApiVersion: "2024-10-21" },
  });
  const provider = createChatProvider(endpoint, depsFor());
  await collect(provider.stream(requestOf({ model: "gpt 4o" }), AbortSignal.timeout(20_000)));
  expect(seen).toEqual([
    {
      url: "/openai/deployments/gpt%204o/chat/completions?team=a&api-version=2024-10-21",
      key: endpoint.apiKey ?? "",
      bearer: null,
    },
  ]);
  expect(pathFor(endpoint, "https://x/openai/v1", "/chat/completions", { model: "m" })).toBe(
    "/chat/completions",
  );
});
