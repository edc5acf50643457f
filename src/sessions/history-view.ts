// A session's conversation as the model is told it, kept in step with the store entry by entry.

import { COMPACTION_PREFIX, type SequencedEvent, toMessages } from "../conversation/from-events.ts";
import type { Message } from "../conversation/messages.ts";

export class HistoryView {
  #messages: Message[] = [];
  /** For each message, the entry that it came from. */
  #seqs: number[] = [];
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
      const kept = this.#seqs.findIndex((one) => one > event.upToSeq);
      const replaced = kept === -1 ? this.#seqs.length : kept;
      const summary: Message = { role: "user", text: COMPACTION_PREFIX + event.summary };
      this.#messages.splice(0, replaced, summary);
      this.#seqs.splice(0, replaced, event.upToSeq);
      return;
    }
    for (const message of toMessages(event)) {
      this.#messages.push(message);
      this.#seqs.push(seq);
    }
  }

  messages(): Message[] {
    return this.#messages.slice();
  }

  /** The sequence number of the entry that message `index` came from. */
  seqAt(index: number): number | undefined {
    return this.#seqs[index];
  }
}
