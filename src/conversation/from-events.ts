// Stored events → what the model is told. Pure; history.ts then makes it whole.

import type { DurableEvent } from "./events.ts";
import type { Message } from "./messages.ts";

export const COMPACTION_PREFIX =
  "Summary of the conversation so far, in place of its earlier part:\n\n";

/** What the model is told when a call never got to its end because the program or the turn ended. */
export const INTERRUPTED_TEXT =
  "Interrupted: the call did not finish and its effect is unknown. Check before repeating it.";

/** The messages one event adds; most events add none. */
export function toMessages(event: DurableEvent): readonly Message[] {
  switch (event.type) {
    case "user_message":
      return event.local === true ? [] : [{ role: "user", text: event.text }];
    case "assistant_message": {
      if (event.local === true) return [];
      // No call of a broken or cancelled answer ran, so none of them is told.
      const toolCalls = event.outcome === "complete" ? event.toolCalls : [];
      const reasoning = event.reasoning ?? event.thought;
      const kept = event.outcome === "complete" && reasoning !== undefined ? { reasoning } : {};
      return event.text === "" && toolCalls.length === 0
        ? []
        : [{ role: "assistant", text: event.text, toolCalls, ...kept }];
    }
    case "tool_result":
      return [{ role: "tool", toolCallId: event.toolCallId, text: event.text }];
    case "tool_call":
    case "permission":
    case "mode":
    case "model":
    case "thought_level":
    case "plan":
    case "compaction":
    case "turn_end":
      return [];
  }
}

export type SequencedEvent = {
  readonly seq: number;
  readonly event: DurableEvent;
  readonly parent?: string;
};

/** Calls that were started or announced by a complete answer and have no result: what a crash or kill left behind. */
export function unansweredCalls(
  entries: readonly SequencedEvent[],
): { readonly toolCallId: string; readonly parent?: string }[] {
  const open = new Map<string, { toolCallId: string; parent?: string }>();
  for (const { event, parent } of entries) {
    const owner = parent === undefined ? {} : { parent };
    if (event.type === "assistant_message" && event.outcome === "complete") {
      for (const call of event.toolCalls) open.set(call.id, { toolCallId: call.id, ...owner });
    }
    if (event.type === "tool_call")
      open.set(event.toolCallId, { toolCallId: event.toolCallId, ...owner });
    if (event.type === "tool_result") open.delete(event.toolCallId);
  }
  return [...open.values()];
}
