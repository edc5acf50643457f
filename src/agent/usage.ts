// Sums of what requests cost. Pure.

import type { Usage } from "../conversation/messages.ts";

export const NO_USAGE: Usage = { inputTokens: 0, outputTokens: 0, totalTokens: 0 };

export function addUsage(sum: Usage, more: Usage | undefined): Usage {
  if (more === undefined) return sum;
  return {
    inputTokens: sum.inputTokens + more.inputTokens,
    outputTokens: sum.outputTokens + more.outputTokens,
    totalTokens: sum.totalTokens + more.totalTokens,
  };
}
