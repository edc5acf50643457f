// How much a model shall think, in each endpoint's own parameters. Pure.

import type { ThoughtLevel } from "../conversation/messages.ts";
import type { Endpoint } from "./provider.ts";

/** Tokens of thought for endpoints that want a number; Anthropic takes none below 1,024. */
const BUDGET_TOKENS = { low: 1024, medium: 4096, high: 16_384 } as const;

/** No level, or an endpoint without a known style: nothing is sent and the model does as it is used to. */
export function thoughtFields(
  level: ThoughtLevel | undefined,
  { quirks, provider }: Endpoint,
): Readonly<Record<string, unknown>> {
  if (level === undefined || quirks.thoughtStyle === undefined) return {};
  switch (quirks.thoughtStyle) {
    case "reasoning_effort":
      return { reasoning_effort: level === "off" ? "none" : level };
    case "enable_thinking":
      return level === "off"
        ? { enable_thinking: false }
        : { enable_thinking: true, thinking_budget: BUDGET_TOKENS[level] };
    case "thinking":
      if (level === "off") return { thinking: { type: "disabled" } };
      // Only Anthropic's own gateway needs a number; others refuse what they do not know.
      return {
        thinking: {
          type: "enabled",
          ...(provider === "anthropic" && { budget_tokens: BUDGET_TOKENS[level] }),
        },
      };
    case "reasoning_object":
      return { reasoning: level === "off" ? { enabled: false } : { effort: level } };
    default:
      return quirks.thoughtStyle satisfies never;
  }
}
