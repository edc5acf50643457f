// One ordered stream of events to a client: what it got and may want again, what it has not got yet, and the
// border between the two. Pure bookkeeping; who writes is pump.ts, who bounds it is outbox.ts.

export type OutEvent = {
  /** Monotonic over all lanes of a connection, from 1. */
  readonly id: number;
  /** One JSON-RPC message as JSON text. */
  readonly data: string;
  readonly bytes: number;
};

/** What an opened stream begins with: nothing special, or the news that events are lost. */
export type Opening =
  | { readonly type: "exact" }
  /** `oldest` is the oldest event still held, `at` the id from which this stream goes on. */
  | { readonly type: "resync"; readonly oldest: number | undefined; readonly at: number };

/** Dead entries in front of the list are cut off when there are this many, so eviction is cheap. */
const COMPACT_AT = 1_024;

export class Lane {
  #events: OutEvent[] = [];
  #head = 0;
  /** Index of the first event that was not sent. */
  #next = 0;
  #sentId = 0;
  #evictedId = 0;
  #bytes = 0;
  #unsentBytes = 0;
  #wake: (() => void) | undefined;

  /** The stream that empties this lane, if one is open. */
  reader: AbortController | undefined;
  /** When the last stream was lost, by the owner's clock in ms; undefined while one is open or none ever was. */
  lostAtMs: number | undefined;
  /** True from the first stream on. */
  wasOpened = false;

  get count(): number {
    return this.#events.length - this.#head;
  }
  get bytes(): number {
    return this.#bytes;
  }
  get unsentCount(): number {
    return this.#events.length - this.#next;
  }
  get unsentBytes(): number {
    return this.#unsentBytes;
  }
  get oldestId(): number | undefined {
    return this.#events[this.#head]?.id;
  }

  /** True when events were dropped that no stream ever got. */
  get hasHole(): boolean {
    return this.#evictedId > this.#sentId;
  }

  push(event: OutEvent): void {
    this.#events.push(event);
    this.#bytes += event.bytes;
    this.#unsentBytes += event.bytes;
    this.wake();
  }

  /** Drops the oldest event. One that was never sent leaves a hole, which the next opening tells. */
  evict(): void {
    const event = this.#events[this.#head];
    if (event === undefined) return;
    if (this.#next === this.#head) {
      this.#next += 1;
      this.#unsentBytes -= event.bytes;
    }
    this.#head += 1;
    this.#bytes -= event.bytes;
    this.#evictedId = event.id;
    if (this.#head < COMPACT_AT) return;
    this.#events = this.#events.slice(this.#head);
    this.#next -= this.#head;
    this.#head = 0;
  }

  /**
   * Sets where the next stream begins. `lastEventId` is the header as it came. Only an id that this lane gave
   * to a stream, with everything after it still held, can be replayed from without a hole.
   */
  open(lastEventId: string | undefined): Opening {
    this.wasOpened = true;
    if (lastEventId === undefined && !this.hasHole) return { type: "exact" };
    const index = lastEventId === undefined ? undefined : this.#indexAfter(lastEventId);
    if (index !== undefined) {
      this.#moveTo(index);
      return { type: "exact" };
    }
    this.#sentId = Math.max(this.#sentId, this.#evictedId);
    return { type: "resync", oldest: this.oldestId, at: this.#sentId };
  }

  /** The next events that were not sent, at least one and then up to `maxBytes`; empty when there are none. */
  peek(maxBytes: number): readonly OutEvent[] {
    let end = this.#next;
    let bytes = 0;
    for (; end < this.#events.length; end += 1) {
      bytes += this.#events[end]?.bytes ?? 0;
      if (bytes > maxBytes && end > this.#next) break;
    }
    return this.#events.slice(this.#next, end);
  }

  /** Notes that the events up to `id` were sent. */
  advance(id: number): void {
    for (; this.#next < this.#events.length; this.#next += 1) {
      const event = this.#events[this.#next];
      if (event === undefined || event.id > id) break;
      this.#unsentBytes -= event.bytes;
    }
    this.#sentId = Math.max(this.#sentId, id);
  }

  /** Resolves at the next `wake`. One waiter: the lane's one reader. */
  changed(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  wake(): void {
    this.#wake?.();
    this.#wake = undefined;
  }

  #indexAfter(lastEventId: string): number | undefined {
    if (!/^\d{1,15}$/.test(lastEventId)) return undefined;
    const id = Number(lastEventId);
    if (id > this.#sentId) return undefined;
    if (id === this.#evictedId) return this.#head;
    let low = this.#head;
    let high = this.#next;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#events[middle]?.id ?? 0) < id) low = middle + 1;
      else high = middle;
    }
    return this.#events[low]?.id === id ? low + 1 : undefined;
  }

  #moveTo(index: number): void {
    this.#next = index;
    this.#unsentBytes = 0;
    for (const event of this.#events.slice(index)) this.#unsentBytes += event.bytes;
  }
}
