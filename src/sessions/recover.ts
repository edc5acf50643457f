// What a crash, a kill or a closed lid left behind is put in order, in the store, before the next turn.

import { INTERRUPTED_TEXT, unansweredCalls } from "../conversation/from-events.ts";
import { toMessageId, toToolCallId } from "../lib/ids.ts";
import type { Draft, NewEntry, Store, StoredEntry } from "../stores/store.ts";
import type { SessionId, ToolCallId } from "../lib/ids.ts";

export type StoredDraft = Draft & { readonly parent?: ToolCallId };

function withParent(event: NewEntry["event"], parent: string | undefined): NewEntry {
  return parent === undefined ? { event } : { event, parent: toToolCallId(parent) };
}

/** The streamed answer that never got to its end, as an entry. */
export function draftEntry(draft: StoredDraft): NewEntry {
  const { messageId, text, thought, model, parent } = draft;
  const event = {
    type: "assistant_message",
    messageId: toMessageId(messageId),
    text,
    toolCalls: [],
    model,
    outcome: "broken",
  } as const;
  return withParent(thought === "" ? event : { ...event, thought }, parent);
}

/** A failed result for each call that has none. */
export function interruptedResults(entries: readonly StoredEntry[]): NewEntry[] {
  return unansweredCalls(entries).map(({ toolCallId, parent }) =>
    withParent(
      {
        type: "tool_result",
        toolCallId: toToolCallId(toolCallId),
        status: "failed",
        text: INTERRUPTED_TEXT,
        content: [{ type: "text", text: INTERRUPTED_TEXT }],
      },
      parent,
    ),
  );
}

/** Stores the repair and returns what was added. Call it only with the session's lease in hand. */
export async function recover(
  store: Store,
  id: SessionId,
  entries: readonly StoredEntry[],
): Promise<readonly StoredEntry[]> {
  const drafts = await store.drafts(id);
  const repairs = [...drafts.map(draftEntry), ...interruptedResults(entries)];
  return repairs.length === 0 ? [] : store.append(id, repairs, { sync: "full" });
}
