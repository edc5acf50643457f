// The runtime ends a request after five minutes unless it is told not to: proved off with answers that take 310 s, before
// the headers and between headers and first chunk, side by side. Takes over five minutes, so nothing runs it by itself:
// `bun test/bench/support-first-byte.ts`.

import { createProvider } from "../../src/providers/create-provider.ts";
import { chatEvent, DONE } from "../support/fake-model.ts";
import { collect, endpointAt, requestOf } from "../providers/support.ts";

const WAIT_MS = 310_000;
const BODY = chatEvent({ content: "At last." }) + chatEvent({}, "stop") + DONE;

async function answer(request: Request): Promise<Response> {
  const headers = { "content-type": "text/event-stream" };
  if (request.url.includes("/late-headers/")) {
    await Bun.sleep(WAIT_MS);
    return new Response(BODY, { headers });
  }
  const body = new ReadableStream({
    async start(controller) {
      controller.enqueue(": here\n\n");
      await Bun.sleep(WAIT_MS);
      controller.enqueue(BODY);
      controller.close();
    },
  });
  return new Response(body, { headers });
}

const server = Bun.serve({ port: 0, hostname: "127.0.0.1", idleTimeout: 0, fetch: answer });
const results = await Promise.all(
  ["late-headers", "late-body"].map(async (path) => {
    const started = performance.now();
    const deps = { now: Date.now, random: Math.random, limits: { idleMs: 2 * WAIT_MS } };
    const endpoint = endpointAt(`http://127.0.0.1:${server.port}/${path}/v1`);
    const events = await collect(
      createProvider(endpoint, deps).stream(requestOf(), new AbortController().signal),
    );
    const seconds = Math.round((performance.now() - started) / 1_000);
    return { path, seconds, end: JSON.stringify(events.at(-1)) };
  }),
);
await server.stop(true);
console.table(results);
process.exitCode = results.every(({ end }) => end.includes('"done"')) ? 0 : 1;
