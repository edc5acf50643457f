// Compaction: when it happens, what it keeps, that it ends. The real loop against the real fake server.

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { estimateRequest } from "../../src/agent/estimate.ts";
import { findCut } from "../../src/agent/find-cut.ts";
import { localDigest } from "../../src/agent/summary.ts";
import { COMPACTION_PREFIX } from "../../src/conversation/from-events.ts";
import type { Message } from "../../src/conversation/messages.ts";
import { newMessageId } from "../../src/lib/ids.ts";
import { createProvider } from "../../src/providers/create-provider.ts";
import {
  type FakeModel,
  type FakeReply,
  type FakeRequest,
  fakeModel,
  status,
  text,
  toolCall,
} from "../support/fake-model.ts";
import { depsFor, endpointAt } from "../providers/support.ts";
import { type Rig, type RigOptions, openRig } from "./rig.ts";

const isSummary = (request: FakeRequest): boolean => request.toolNames.length === 0;
const WORDS = "The network module was changed and validated again. ";

async function rigOn(
  model: FakeModel,
  options: Omit<RigOptions, "provider"> = {},
): Promise<Rig & AsyncDisposable> {
  return openRig({ provider: createProvider(endpointAt(model.url), depsFor()), ...options });
}

/** Answers summaries with one thing and everything else with another. */
const answering =
  (summary: FakeReply, other: (request: FakeRequest) => FakeReply) =>
  (request: FakeRequest): FakeReply =>
    isSummary(request) ? summary : other(request);

const contents = (request: FakeRequest | undefined): unknown[] =>
  (request?.messages ?? []).map(({ content }) => content);

describe("before a request", () => {
  test("a conversation over the threshold is summarised, and the request stays under it", async () => {
    await using model = await fakeModel([], {
      fallback: answering(text("They changed the network."), () => text(WORDS.repeat(60))),
    });
    await using rig = await rigOn(model, { contextWindow: 4_000 });
    for (let turn = 0; turn < 8; turn += 1)
      expect(await rig.turn(`Go on ${turn}. ${WORDS.repeat(20)}`)).toMatchObject({
        stopReason: "end_turn",
      });
    expect(rig.ofType("compaction").length).toBeGreaterThan(0);
    for (const request of model.requests.filter((one) => !isSummary(one))) {
      const texts = request.messages.map(({ content }): Message => ({
        role: "user",
        text: String(content),
      }));
      expect(estimateRequest({ messages: texts, tools: [] })).toBeLessThan(4_000);
    }
    const last = model.requests.findLast((one) => !isSummary(one));
    expect(contents(last)[1]).toStartWith(`${COMPACTION_PREFIX}They changed the network.`);
    model.assertValid();
  });

  test("tool schemas count: with large ones the same conversation is summarised earlier", async () => {
    const compactions: number[] = [];
    for (const words of [0, 400]) {
      await using model = await fakeModel([], {
        fallback: answering(text("Short."), () => text(WORDS.repeat(20))),
      });
      await using rig = await rigOn(model, { contextWindow: 6_000 });
      const [agent, ...others] = rig.ports.tools.all;
      if (agent !== undefined)
        Reflect.set(rig.ports, "tools", {
          ...rig.ports.tools,
          all: [{ ...agent, description: WORDS.repeat(words) }, ...others],
        });
      for (let turn = 0; turn < 3; turn += 1) await rig.turn(`${turn} ${WORDS.repeat(20)}`);
      compactions.push(rig.ofType("compaction").length);
    }
    expect(compactions[0]).toBe(0);
    expect(compactions[1]).toBeGreaterThan(0);
  });

  test("what the endpoint reports corrects the estimate", async () => {
    const compactions: number[] = [];
    for (const factor of [1, 2.5]) {
      const reported = (request: FakeRequest) => ({
        input: Math.round((request.raw.length / 5) * factor),
        output: 10,
      });
      await using model = await fakeModel([], {
        fallback: answering(text("Short."), (request) =>
          text(WORDS.repeat(20), { usage: reported(request) }),
        ),
      });
      await using rig = await rigOn(model, { contextWindow: 5_500 });
      for (let turn = 0; turn < 4; turn += 1) await rig.turn(`${turn} ${WORDS.repeat(20)}`);
      compactions.push(rig.ofType("compaction").length);
    }
    expect(compactions[0]).toBe(0);
    expect(compactions[1]).toBeGreaterThan(0);
  });

  test("a result larger than the window is summarised away, and the user's request stays word for word", async () => {
    await using model = await fakeModel([], {
      fallback: answering(text("A large text was read."), (request) =>
        request.index === 0
          ? toolCall("echo", { text: WORDS, times: 2_000 })
          : text("Done with the rest."),
      ),
    });
    await using rig = await rigOn(model, { contextWindow: 8_000 });
    expect(await rig.turn("Read it and tell me its end.")).toMatchObject({
      stopReason: "end_turn",
    });
    const last = model.requests.at(-1);
    expect(contents(last)).toEqual([
      "You help.",
      `${COMPACTION_PREFIX}A large text was read.\n\nThe user's last request, word for word:\nRead it and tell me its end.`,
    ]);
    model.assertValid();
  });

  test("the request is carried through a second compaction of the same turn", async () => {
    await using model = await fakeModel([], {
      fallback: answering(text("Read."), (request) =>
        request.index < 6 ? toolCall("echo", { text: WORDS, times: 2_000 }) : text("End."),
      ),
    });
    await using rig = await rigOn(model, { contextWindow: 8_000 });
    await rig.turn("Read them all.");
    expect(rig.ofType("compaction").length).toBeGreaterThan(1);
    const last = String(contents(model.requests.at(-1))[1]);
    expect(last).toEndWith("word for word:\nRead them all.");
    expect(last.split("word for word").length).toBe(2);
  });
});

const error = (message: string, code?: string) => ({
  error: { message, type: "invalid_request_error", ...(code === undefined ? {} : { code }) },
});
const WORDINGS: readonly (readonly [string, FakeReply])[] = [
  [
    "OpenAI",
    status(
      400,
      {},
      error("This model's maximum context length is 8192 tokens.", "context_length_exceeded"),
    ),
  ],
  [
    "DashScope",
    status(400, {}, error("Range of input length should be [1, 30720]", "invalid_parameter_error")),
  ],
  [
    "llama.cpp",
    status(
      400,
      {},
      error(
        "the request exceeds the available context size, try increasing it",
        "exceed_context_size_error",
      ),
    ),
  ],
  [
    "vLLM",
    status(
      400,
      {},
      {
        object: "error",
        message:
          "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens",
        type: "BadRequestError",
        code: 400,
      },
    ),
  ],
  ["Ollama", status(500, {}, error("input length exceeds the context length"))],
  [
    "DeepSeek",
    status(
      400,
      {},
      error(
        "This model's maximum context length is 65536 tokens. However, you requested 70000 tokens",
        "invalid_request_error",
      ),
    ),
  ],
  ["Anthropic", status(400, {}, error("prompt is too long: 210000 tokens > 200000 maximum"))],
  ["a proxy", status(413, {}, "<html>Request Entity Too Large</html>")],
];

describe("after an overflow", () => {
  test.each(WORDINGS)("%s: once, then harder, then a clear end", async (_name, overflow) => {
    await using model = await fakeModel([], {
      fallback: answering(text("Short."), () => overflow),
    });
    await using rig = await rigOn(model);
    for (let n = 0; n < 12; n += 1)
      await rig.ports.emit({
        type: "user_message",
        messageId: newMessageId(),
        blocks: [],
        text: `${n} ${WORDS.repeat(40)}`,
      });
    const outcome = await rig.turn("Now?");
    expect(outcome).toMatchObject({ type: "failed", failure: { kind: "overflow" } });
    const main = model.requests.filter((one) => !isSummary(one));
    expect(main).toHaveLength(3);
    expect(rig.ofType("compaction")).toHaveLength(2);
    const lengths = main.map(({ raw }) => raw.length);
    expect(lengths.toSorted((a, b) => b - a)).toEqual(lengths);
    expect(new Set(lengths).size).toBe(3);
    const said = rig.ofType("assistant_message").at(-1);
    expect(said).toMatchObject({ local: true });
    expect(said?.text).toContain("too long");
    // What failed is never told to the model.
    expect(rig.ports.messages().some(({ text: told }) => told.includes("too long"))).toBe(false);
    model.assertValid();
  });

  test("the next turn has its own two attempts, and still ends", async () => {
    const [, overflow] = WORDINGS[0] ?? [];
    if (overflow === undefined) throw new Error("no wording");
    await using model = await fakeModel([], {
      fallback: answering(text("Short."), () => overflow),
    });
    await using rig = await rigOn(model);
    for (const prompt of ["One", "Two", "Three"])
      expect(await rig.turn(prompt)).toMatchObject({ type: "failed" });
    expect(model.requests.length).toBeLessThanOrEqual(15);
  });

  test("a window that is smaller than believed is learnt, so that later turns do not run into it again", async () => {
    const limit = 12_000;
    await using model = await fakeModel([], {
      fallback: answering(text("Short."), (request) =>
        request.raw.length > limit
          ? status(400, {}, error("exceeds the available context size"))
          : text(WORDS.repeat(10)),
      ),
    });
    await using rig = await rigOn(model);
    for (let turn = 0; turn < 20; turn += 1)
      expect(await rig.turn(`${turn} ${WORDS.repeat(20)}`)).toMatchObject({
        stopReason: "end_turn",
      });
    const refused = model.requests.filter((one) => !isSummary(one) && one.raw.length > limit);
    expect(refused).toHaveLength(1);
  });
});

describe("a summary", () => {
  test.each([
    ["is empty", text("")],
    ["fails", status(400, {}, error("no"))],
    ["is refused", text("I cannot help with that.", { finish: "content_filter" })],
  ])("that %s gives way to a digest of what was said and called", async (_name, summary) => {
    await using model = await fakeModel([], {
      fallback: answering(summary, (request) =>
        request.index === 0 ? toolCall("echo", { text: WORDS, times: 2_000 }) : text("Fine."),
      ),
    });
    await using rig = await rigOn(model, { contextWindow: 8_000 });
    await rig.turn("Read the long one.");
    const [compaction] = rig.ofType("compaction");
    expect(compaction?.summary).toContain("The user said: Read the long one.");
    expect(compaction?.summary).toContain("Called echo");
  });

  test("a digest of any conversation is bounded", () => {
    const messages: Message[] = Array.from({ length: 5_000 }, (_, n) => ({
      role: "user",
      text: `${n} ${WORDS.repeat(50)}`,
    }));
    expect(localDigest(messages).length).toBeLessThan(7_000);
  });
});

test("a prompt that the server cuts silently is announced once per session and model", async () => {
  await using model = await fakeModel([], {
    fallback: () => text("Yes.", { usage: { input: 4_096, output: 5 } }),
  });
  await using rig = await rigOn(model);
  for (let turn = 0; turn < 3; turn += 1) await rig.turn(WORDS.repeat(1_500));
  const warnings = rig.ofType("warning");
  expect(warnings).toHaveLength(1);
  expect(warnings[0]?.text).toContain("4096 input tokens");
});

const messageOf = (n: number): fc.Arbitrary<readonly Message[]> =>
  fc
    .record({ size: fc.nat(400), results: fc.nat(4), kind: fc.nat(2) })
    .map(({ size, results, kind }) => {
      const words = "word ".repeat(size);
      if (kind === 0) return [{ role: "user", text: words }];
      const calls = Array.from({ length: kind === 1 ? 0 : results + 1 }, (_, index) => ({
        id: `c${n}_${index}`,
        name: "echo",
        arguments: "{}",
      }));
      return [
        { role: "assistant", text: words, toolCalls: calls },
        ...calls.map(({ id }) => ({ role: "tool", toolCallId: id, text: words }) as const),
      ];
    });

test("findCut never parts a call from its results and keeps no more than it may", () => {
  const histories = fc
    .array(fc.nat(1_000), { maxLength: 12 })
    .chain((ids) => fc.tuple(...ids.map((_, index) => messageOf(index))))
    .map((parts) => parts.flat());
  fc.assert(
    fc.property(histories, fc.nat(3_000), fc.nat(3_000), (messages, kept, more) => {
      const cut = findCut(messages, { kept, most: kept + more });
      if (cut === undefined) return;
      expect(cut).toBeGreaterThan(0);
      expect(cut).toBeLessThanOrEqual(messages.length);
      expect(messages[cut]?.role).not.toBe("tool");
      const tail = messages.slice(cut);
      const size = estimateRequest({ messages: tail, tools: [] });
      // A longer tail only where every legal one is.
      const isShortest = !tail.slice(1).some(({ role }) => role !== "tool");
      expect(size <= kept || (isShortest && size <= kept + more)).toBe(true);
    }),
    { numRuns: 500 },
  );
});
