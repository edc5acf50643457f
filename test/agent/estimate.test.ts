// The token estimate against counts taken once with the o200k and cl100k tokenizers of OpenAI.

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { createCalibration, estimateRequest, estimateTokens } from "../../src/agent/estimate.ts";
import { COUNTS } from "../bench/estimate.ts";
import { PROSE } from "./token-samples.ts";

const off = (estimated: number, real: number) => Math.abs(estimated / real - 1);

describe("estimateTokens", () => {
  test.each(COUNTS)("is within 15 %% for %s", (_name, text, { o200k }) => {
    expect(off(estimateTokens(text), o200k[0])).toBeLessThan(0.15);
  });

  test("grows with the text and never by more than its length", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        const tokens = estimateTokens(text);
        expect(tokens).toBeGreaterThanOrEqual(text === "" || text === " " ? 0 : 1);
        expect(tokens).toBeLessThanOrEqual(text.length + 1);
      }),
    );
  });
});

describe("createCalibration", () => {
  test.each(COUNTS)(
    "brings another tokenizer within 15 %% for %s after one report",
    (_name, text, counts) => {
      for (const [whole, half] of [counts.o200k, counts.cl100k]) {
        const calibration = createCalibration();
        calibration.learn({
          estimated: estimateTokens(text.slice(0, text.length / 2)),
          reported: half,
        });
        expect(off(calibration.apply(estimateTokens(text)), whole)).toBeLessThan(0.15);
      }
    },
  );

  test("does not learn from a server that cut the prompt, nor from tiny requests", () => {
    const calibration = createCalibration();
    calibration.learn({ estimated: 30_000, reported: 4096 });
    calibration.learn({ estimated: 10, reported: 20 });
    calibration.learn({ estimated: 0, reported: 20 });
    expect(calibration.apply(1000)).toBe(1000);
  });
});

test("estimateRequest counts messages, calls, reasoning and tools", () => {
  const tools = [{ name: "bash", description: PROSE, parameters: { type: "object" } }];
  const messages = [
    { role: "user", text: PROSE } as const,
    {
      role: "assistant",
      text: PROSE,
      reasoning: PROSE,
      toolCalls: [{ id: "a", name: "bash", arguments: JSON.stringify({ text: PROSE }) }],
    } as const,
    { role: "tool", toolCallId: "a", text: PROSE } as const,
  ];
  const once = estimateTokens(PROSE);
  const tokens = estimateRequest({ messages, tools });
  expect(tokens).toBeGreaterThan(6 * once);
  expect(tokens).toBeLessThan(6 * once + 60);
});
