// What every provider promises (src/providers/provider.ts), as one suite to run over each of them.

import { describe, expect, test } from "bun:test";
import type { ModelEvent, ModelRequest, Provider } from "../../src/providers/provider.ts";
import { collect } from "./support.ts";

export type ProviderCase = AsyncDisposable & {
  readonly provider: Provider;
  readonly request: ModelRequest;
};

/** Runs the suite; `open` makes a fresh provider and a request that it answers with at least one event. */
export function providerContract(name: string, open: () => Promise<ProviderCase>): void {
  const signal = () => AbortSignal.timeout(20_000);
  const isLast = ({ type }: ModelEvent) => type === "done" || type === "failed";

  describe(`the provider contract: ${name}`, () => {
    test("stream ends with exactly one done or failed", async () => {
      await using it = await open();
      const events = await collect(it.provider.stream(it.request, signal()));
      expect(events.filter(isLast)).toHaveLength(1);
      expect(events.findIndex(isLast)).toBe(events.length - 1);
    });

    test("calls are whole, with ids that no endpoint refuses, and decide the finish", async () => {
      await using it = await open();
      const done = (await collect(it.provider.stream(it.request, signal()))).at(-1);
      if (done?.type !== "done") throw new Error(`Not done: ${JSON.stringify(done)}`);
      const ids = done.toolCalls.map(({ id }) => id);
      expect(ids.every((id) => /^[a-zA-Z0-9_-]{1,40}$/.test(id))).toBe(true);
      expect(new Set(ids).size).toBe(ids.length);
      if (done.finish === "tool_calls") expect(ids.length).toBeGreaterThan(0);
      if (done.finish === "stop") expect(ids).toEqual([]);
    });

    test("an abort before it starts yields nothing", async () => {
      await using it = await open();
      expect(await collect(it.provider.stream(it.request, AbortSignal.abort()))).toEqual([]);
    });

    test("an abort at the first event ends it within a second, without done or failed", async () => {
      await using it = await open();
      const controller = new AbortController();
      let abortedAt = 0;
      const events = await collect(it.provider.stream(it.request, controller.signal), () => {
        if (abortedAt === 0) abortedAt = performance.now();
        controller.abort();
      });
      expect(performance.now() - abortedAt).toBeLessThan(1000);
      // The event that the abort came with may have been the last one already.
      expect(events.slice(1).filter(isLast)).toEqual([]);
    });

    test("a consumer may stop at any event", async () => {
      await using it = await open();
      for await (const _event of it.provider.stream(it.request, signal())) break;
    });

    test("the same request again gives the same answer", async () => {
      await using first = await open();
      await using second = await open();
      const texts = async ({ provider, request }: ProviderCase) =>
        (await collect(provider.stream(request, signal())))
          .map((event) => (event.type === "text_delta" ? event.text : ""))
          .join("");
      expect(await texts(first)).toBe(await texts(second));
    });
  });
}
