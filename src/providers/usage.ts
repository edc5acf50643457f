// Token counts from the many shapes endpoints report them in. Pure.

import type { Usage } from "../conversation/messages.ts";
import { isRecord } from "../lib/json.ts";

/** Usage of one chunk or body, wherever it stands in it; `undefined` when there is none or its counts are null. */
export function usageOf(value: Readonly<Record<string, unknown>>): Usage | undefined {
  const choices = value["choices"];
  const choice: unknown = Array.isArray(choices) ? choices[0] : undefined;
  const groq = value["x_groq"];
  // Kimi reports it inside the choice, Groq inside a member of its own.
  const places = [
    value["usage"],
    isRecord(choice) ? choice["usage"] : undefined,
    isRecord(groq) ? groq["usage"] : undefined,
  ];
  for (const place of places) {
    const usage = isRecord(place) ? toUsage(place) : undefined;
    if (usage !== undefined) return usage;
  }
  return undefined;
}

function toUsage(raw: Record<string, unknown>): Usage | undefined {
  const inputTokens = count(raw["prompt_tokens"]) ?? count(raw["input_tokens"]);
  const outputTokens = count(raw["completion_tokens"]) ?? count(raw["output_tokens"]);
  if (inputTokens === undefined && outputTokens === undefined) return undefined;
  const input = inputTokens ?? 0;
  const output = outputTokens ?? 0;
  const cached =
    count(detail(raw, "prompt_tokens_details", "cached_tokens")) ??
    count(detail(raw, "input_tokens_details", "cached_tokens")) ??
    count(raw["prompt_cache_hit_tokens"]) ??
    count(raw["cached_tokens"]);
  const reasoning =
    count(detail(raw, "completion_tokens_details", "reasoning_tokens")) ??
    count(detail(raw, "output_tokens_details", "reasoning_tokens"));
  return {
    inputTokens: input,
    outputTokens: output,
    totalTokens: count(raw["total_tokens"]) ?? input + output,
    ...(cached !== undefined && { cachedInputTokens: cached }),
    ...(reasoning !== undefined && { reasoningTokens: reasoning }),
  };
}

function detail(raw: Record<string, unknown>, group: string, name: string): unknown {
  const value = raw[group];
  return isRecord(value) ? value[name] : undefined;
}

const count = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : undefined;
