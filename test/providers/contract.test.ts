// Every HTTP provider keeps the contract, over the recorded streams of every family, sent in packets of odd sizes.

import { expect, test } from "bun:test";
import { createProvider } from "../../src/providers/create-provider.ts";
import { calls, chunks, fakeModel, type Scripted } from "../support/fake-model.ts";
import { providerContract, type ProviderCase } from "./contract.ts";
import { recordings, TOOLS } from "./replay.ts";
import { collect, depsFor, endpointAt, requestOf } from "./support.ts";

async function open(api: "chat" | "responses", reply: Scripted): Promise<ProviderCase> {
  const model = await fakeModel([reply]);
  return {
    provider: createProvider(endpointAt(model.url, { api }), depsFor()),
    request: requestOf({ tools: TOOLS }),
    [Symbol.asyncDispose]: () => model[Symbol.asyncDispose](),
  };
}

/** Bytes per packet: no divisor of anything, so that borders fall everywhere. */
const PACKET_BYTES = 97;
const packetsOf = (bytes: Uint8Array) =>
  Array.from({ length: Math.ceil(bytes.length / PACKET_BYTES) }, (_, index) =>
    bytes.subarray(index * PACKET_BYTES, (index + 1) * PACKET_BYTES),
  );

for (const { family, bytes, expected } of recordings) {
  providerContract(`chat, ${family}`, () => open("chat", chunks(packetsOf(bytes))));

  test(`a stream of ${family} over HTTP gives what was recorded`, async () => {
    await using it = await open("chat", chunks(packetsOf(bytes)));
    const events = await collect(it.provider.stream(it.request, AbortSignal.timeout(20_000)));
    const text = events.map((event) => (event.type === "text_delta" ? event.text : "")).join("");
    const done = events.at(-1);
    expect(text).toBe(expected.text);
    expect(done).toMatchObject({ type: "done", finish: expected.finish });
    expect(
      done?.type === "done" && done.toolCalls.map((call) => [call.name, call.arguments]),
    ).toEqual(expected.calls.map(([name, args]) => [name, args]));
  });
}

providerContract("responses", () =>
  open(
    "responses",
    calls([{ name: "bash", args: { command: "ls" } }], { text: "Look", thought: "Hm" }),
  ),
);
