// One-time adaptations to an endpoint that says 400 to a part of the request: reasoning sent back or not, the name of
// the output limit, thinking parameters, stream options. Pure; what was learnt is remembered by the engine, per model.

import type { Quirks } from "./provider.ts";

/** How requests to one model are written right now. */
export type Adaptation = {
  readonly sendReasoning: "reasoning_content" | "reasoning" | undefined;
  readonly maxTokensField: "max_tokens" | "max_completion_tokens";
  readonly withStreamOptions: boolean;
  readonly withThoughtLevel: boolean;
  /** What has been changed once already, and is never changed back. */
  readonly changed: readonly ("reasoning" | "max_tokens" | "stream_options" | "thought")[];
};

export function initialAdaptation(quirks: Quirks): Adaptation {
  return {
    sendReasoning: quirks.sendReasoning,
    maxTokensField: quirks.maxTokensField ?? "max_tokens",
    withStreamOptions: quirks.noStreamOptions !== true,
    withThoughtLevel: true,
    changed: [],
  };
}

/** The next way to write the request after a 400 with these words; `undefined` when they name nothing we can change. */
export function adaptTo(words: string, current: Adaptation): Adaptation | undefined {
  const change = (
    what: Adaptation["changed"][number],
    next: Partial<Adaptation>,
  ): Adaptation | undefined =>
    current.changed.includes(what)
      ? undefined
      : { ...current, ...next, changed: [...current.changed, what] };
  if (/stream_options|include_usage/i.test(words) && current.withStreamOptions)
    return change("stream_options", { withStreamOptions: false });
  if (
    /max_completion_tokens|max_tokens/i.test(words) &&
    /unsupported|not supported|unknown|unrecognized|extra|not permitted|instead/i.test(words)
  )
    return change("max_tokens", { maxTokensField: otherField(words, current.maxTokensField) });
  if (
    /reasoning_effort|enable_thinking|thinking_budget|budget_tokens|reasoning\.effort|thinking\.type|['"`]thinking['"`]/i.test(
      words,
    ) &&
    current.withThoughtLevel
  )
    return change("thought", { withThoughtLevel: false });
  if (/reasoning_content|\breasoning\b|thinking/i.test(words))
    return change("reasoning", { sendReasoning: flipped(words, current.sendReasoning) });
  return undefined;
}

function otherField(
  words: string,
  field: Adaptation["maxTokensField"],
): Adaptation["maxTokensField"] {
  if (/(use|instead)\W+'?max_completion_tokens/i.test(words)) return "max_completion_tokens";
  return field === "max_tokens" ? "max_completion_tokens" : "max_tokens";
}

function flipped(words: string, field: Adaptation["sendReasoning"]): Adaptation["sendReasoning"] {
  if (field !== undefined) return undefined;
  return /\breasoning\b/.test(words) && !/reasoning_content/.test(words)
    ? "reasoning"
    : "reasoning_content";
}
