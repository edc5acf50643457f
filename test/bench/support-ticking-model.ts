// A model server that thinks for a while, then says the time of its own clock in every delta: whoever reads the delta on
// the same clock knows how old it is.

import { DONE, chatEvent } from "../support/fake-model.ts";

export type TickingModel = Disposable & { readonly url: string; readonly apiKey: string };

export type Ticking = {
  readonly thinkingMs: number;
  readonly deltas: number;
  readonly everyMs: number;
};

/** Each delta is ` t` and the milliseconds of `performance.now()` when it was written. */
export function tickingModel({ thinkingMs, deltas, everyMs }: Ticking): TickingModel {
  const encoder = new TextEncoder();
  const answer = () =>
    new ReadableStream<Uint8Array>({
      start: async (controller) => {
        await Bun.sleep(thinkingMs);
        for (let n = 0; n < deltas; n += 1) {
          const content = ` t${Math.round(performance.now())}`;
          controller.enqueue(encoder.encode(chatEvent({ content })));
          if (everyMs > 0) await Bun.sleep(everyMs);
        }
        controller.enqueue(encoder.encode(chatEvent({}, "stop") + DONE));
        controller.close();
      },
    });
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    development: false,
    fetch: async (request) => {
      await request.arrayBuffer();
      return new Response(answer(), { headers: { "content-type": "text/event-stream" } });
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}/v1`,
    apiKey: "fake-key-0123456789abcdef",
    [Symbol.dispose]: () => void server.stop(true),
  };
}

/** Milliseconds since the deltas in `line` were written. */
export function agesOf(line: string, nowMs: number): number[] {
  return Array.from(line.matchAll(/ t(\d+)/g), ([, written]) => nowMs - Number(written));
}
