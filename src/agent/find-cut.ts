// Where a conversation may be cut for compaction. Pure.

import type { Message } from "../conversation/messages.ts";
import { estimateRequest } from "./estimate.ts";

export type CutLimits = {
  /** Tokens that may stay verbatim. */
  readonly kept: number;
  /** Where even the shortest tail is longer than this, nothing stays verbatim. Tokens. */
  readonly most: number;
};

/**
 * How many messages from the first on to cut: what stays is the longest tail of at most `kept` tokens, else the shortest
 * one there is; a call is never parted from its results. `undefined` when there is nothing to cut.
 */
export function findCut(
  messages: readonly Message[],
  { kept, most }: CutLimits,
): number | undefined {
  if (messages.length < 2) return undefined;
  let tail = 0;
  let cut: number | undefined;
  for (let index = messages.length - 1; index > 0; index -= 1) {
    const message = messages[index];
    if (message === undefined) break;
    tail += estimateRequest({ messages: [message], tools: [] });
    if (tail > kept && cut !== undefined) break;
    if (message.role === "tool") continue;
    if (cut === undefined && tail > most) return messages.length;
    cut = index;
  }
  return cut ?? (tail > kept ? messages.length : undefined);
}
