// A session's conversation as the model is told it, kept in step with the store entry by entry.

import { COMPACTION_PREFIX, type SequencedEvent, toMessages } from "../conversation/from-events.ts";
import type { Message } from "../conversation/messages.ts";

type Item = { readonly seq: number; readonly message: Message };

export class HistoryView {
  #items: Item[] = [];
  #lastSeq = 0;

  /** The highest sequence number seen, of any entry. */
  get lastSeq(): number {
    return this.#lastSeq;
  }

  /** Entries must come in order; those of sub-agents only move `lastSeq`. */
  add(entry: SequencedEvent): void {
    this.#lastSeq = Math.max(this.#lastSeq, entry.seq);
    if (entry.parent !== undefined) return;
    const { event, seq } = entry;
    if (event.type === "compaction") {
      const kept = this.#items.filter((item) => item.seq > event.upToSeq);
      this.#items = [
        { seq: event.upToSeq, message: { role: "user", text: COMPACTION_PREFIX + event.summary } },
        ...kept,
      ];
      return;
    }
    for (const message of toMessages(event)) this.#items.push({ seq, message });
  }

  messages(): Message[] {
    return this.#items.map((item) => item.message);
  }

  /** The sequence number of the entry that message `index` came from. */
  seqAt(index: number): number | undefined {
    return this.#items[index]?.seq;
  }
}
