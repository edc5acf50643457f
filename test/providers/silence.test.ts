// Sockets that never say anything again, and keys that must not be said.

import { expect, test } from "bun:test";
import { createChatProvider } from "../../src/providers/openai-chat.ts";
import type { ModelEvent } from "../../src/providers/provider.ts";
import { chatEvent, chunks, fakeModel, status } from "../support/fake-model.ts";
import { collect, depsFor, endpointAt, requestOf } from "./support.ts";

/** Takes connections and bytes and never answers, like a host behind a firewall that drops packets. */
function blackHole(reply?: string) {
  const { promise: connected, resolve } = Promise.withResolvers<void>();
  const listener = Bun.listen({
    hostname: "127.0.0.1",
    port: 0,
    socket: {
      data(socket) {
        if (reply !== undefined) socket.write(reply);
        resolve();
      },
    },
  });
  return {
    url: `http://127.0.0.1:${listener.port}/v1`,
    connected,
    [Symbol.dispose]: () => listener.stop(true),
  };
}

const HEADERS =
  "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";

test.each([
  ["before the headers", undefined],
  ["after the headers", HEADERS],
  ["inside an error's body", "HTTP/1.1 500 Oops\r\ncontent-length: 1000\r\n\r\n{"],
])("an abort ends a request to a dead socket within a second: %s", async (_name, reply) => {
  using hole = blackHole(reply);
  const provider = createChatProvider(endpointAt(hole.url), { now: Date.now, random: Math.random });
  const controller = new AbortController();
  const events = collect(provider.stream(requestOf(), controller.signal));
  await hole.connected;
  const before = performance.now();
  controller.abort();
  expect(await events).toEqual([]);
  expect(performance.now() - before).toBeLessThan(1000);
});

test("pings keep a stream alive past the idle limit, but not for ever", async () => {
  using server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: () =>
      new Response(
        new ReadableStream({
          async pull(controller) {
            await Bun.sleep(20);
            controller.enqueue(": ping\n\n");
          },
        }),
        { headers: { "content-type": "text/event-stream" } },
      ),
  });
  const deps = {
    now: Date.now,
    random: Math.random,
    limits: { firstByteMs: 400, idleMs: 150, retryBaseMs: 1 },
  };
  const provider = createChatProvider(endpointAt(`http://127.0.0.1:${server.port}/v1`), deps);
  const before = performance.now();
  const events = await collect(provider.stream(requestOf(), AbortSignal.timeout(20_000)));
  expect(events).toMatchObject([{ type: "failed", failure: { kind: "timeout" } }]);
  // Two attempts, each as long as the longer limit.
  expect(performance.now() - before).toBeGreaterThan(2 * 400 - 50);
});

test("a finish_reason with every chunk cuts nothing off", async () => {
  const words = ["One ", "two ", "three ", "four ", "five"];
  const list = [...words];
  using server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: () =>
      new Response(
        new ReadableStream({
          async pull(controller) {
            const word = list.shift();
            if (word === undefined) return controller.close();
            controller.enqueue(chatEvent({ content: word }, "stop"));
            await Bun.sleep(60);
          },
        }),
        { headers: { "content-type": "text/event-stream" } },
      ),
  });
  const deps = { now: Date.now, random: Math.random, limits: { finishGraceMs: 200 } };
  const provider = createChatProvider(endpointAt(`http://127.0.0.1:${server.port}/v1`), deps);
  const events = await collect(provider.stream(requestOf(), AbortSignal.timeout(20_000)));
  const text = events.map((event) => (event.type === "text_delta" ? event.text : "")).join("");
  expect(text).toBe(words.join(""));
});

test("no event ever holds the key or the endpoint's own body, whatever the endpoint repeats", async () => {
  const { apiKey = "" } = endpointAt("http://x");
  const echo = {
    error: {
      message: `Authorization: Bearer ${apiKey} was refused; key=${apiKey}`,
      debug: "INTERNAL",
    },
  };
  const events: ModelEvent[] = [];
  for (const reply of [
    ...[400, 401, 403, 404, 429, 500].map((code) => status(code, { "retry-after": "999" }, echo)),
    status(400, {}, `plain ${apiKey} INTERNAL`),
    chunks([`data: ${JSON.stringify(echo)}\n\n`]),
    chunks([`<html>${apiKey} INTERNAL</html>`]),
    chunks([`data: {"x": ${apiKey} INTERNAL\n\n`]),
  ]) {
    await using model = await fakeModel([], { fallback: reply });
    const provider = createChatProvider(endpointAt(model.url), depsFor());
    events.push(...(await collect(provider.stream(requestOf(), AbortSignal.timeout(20_000)))));
    await provider.listModels(AbortSignal.timeout(5000));
  }
  expect(events.filter(({ type }) => type === "failed")).toHaveLength(10);
  expect(JSON.stringify(events)).not.toContain(apiKey);
  expect(JSON.stringify(events)).not.toContain("INTERNAL");
});

test("listModels rejects with a readable text and reads what lists say about windows", async () => {
  const list = {
    data: [
      { id: "models/b", context_length: 8192, top_provider: { max_completion_tokens: 100 } },
      { id: "a", max_model_len: 4096, display_name: "A" },
    ],
  };
  using server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: (request) =>
      new URL(request.url).pathname === "/v1/models"
        ? Response.json(list)
        : Response.json({ error: { message: "nope" } }, { status: 401 }),
  });
  const signal = AbortSignal.timeout(5000);
  const at = (path: string) =>
    createChatProvider(endpointAt(`http://127.0.0.1:${server.port}${path}`), depsFor()).listModels(
      signal,
    );
  expect(await at("/v1")).toEqual([
    { id: "a", name: "A", contextWindow: 4096 },
    { id: "b", contextWindow: 8192, maxOutputTokens: 100 },
  ]);
  const said = await at("/v2").then(String, (error: unknown) => String(error));
  expect(said).toBe(
    "Error: fake refused the API key (401). Check FAKE_API_KEY, or run `iac-code login`.",
  );
});
