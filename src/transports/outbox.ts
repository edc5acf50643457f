// Everything a connection has to say and lately said, bounded: a ring of what a client may ask for again, and a
// limit for what a client with an open stream leaves unread. One lane a stream; ids run through all of them.

import { Lane, type OutEvent } from "./lane.ts";

export type OutboxLimits = {
  /** Events that can be replayed, and kept for a client without a stream. Default 4,096. */
  readonly ringEvents: number;
  /** Bytes of those. Default 8 MiB. */
  readonly ringBytes: number;
  /** Bytes not yet read by a client with an open stream, over which it is given up. Default 16 MiB. */
  readonly maxUnsentBytes: number;
  /** How long a full outbox waits for a client that reads nothing at all. Default 1,000 ms. */
  readonly stallMs: number;
};

export const OUTBOX_LIMITS: OutboxLimits = {
  ringEvents: 4_096,
  ringBytes: 8 * 1024 * 1024,
  maxUnsentBytes: 16 * 1024 * 1024,
  stallMs: 1_000,
};

/** The connection's own lane; a session's lane has the session's id as its key. */
export const CONNECTION_LANE = "";
/** Session lanes of one connection. */
const MAX_LANES = 256;
/** A writer waits when more than this part of the unsent limit is used and the client still reads. */
const WAIT_ABOVE = 0.25;

export class Outbox {
  readonly #limits: OutboxLimits;
  readonly #lanes = new Map<string, Lane>([[CONNECTION_LANE, new Lane()]]);
  #lastId = 0;
  #room: PromiseWithResolvers<void> | undefined;
  #hasStalled = false;
  #progress = 0;

  constructor(limits: OutboxLimits) {
    this.#limits = limits;
  }

  get lanes(): ReadonlyMap<string, Lane> {
    return this.#lanes;
  }

  /** The lane of a session, made on demand: from its first stream on, a session's messages go there. */
  laneFor(key: string): Lane | undefined {
    const known = this.#lanes.get(key);
    if (known !== undefined || this.#lanes.size >= MAX_LANES) return known;
    const lane = new Lane();
    this.#lanes.set(key, lane);
    return lane;
  }

  /**
   * Forgets a session's lane: its later messages, and those that still wait, go to the connection's lane. A lane
   * that lost messages stays, so that its next stream says so.
   */
  dropLane(key: string): void {
    const lane = this.#lanes.get(key);
    if (key === CONNECTION_LANE || lane === undefined || lane.hasHole) return;
    this.#lanes.delete(key);
    for (const { data } of lane.peek(Number.POSITIVE_INFINITY)) this.push(undefined, data);
  }

  /**
   * Adds one message to the session's lane, or to the connection's when the session has none.
   * False when a client with an open stream left too much unread: the owner must give the connection up.
   * One message over the limit passes when nothing else is unread, since it can be sent.
   */
  push(sessionId: string | undefined, data: string): boolean {
    const lane = this.#laneOf(sessionId);
    const wasEmpty = this.unsentBytes() === 0;
    this.#lastId += 1;
    lane.push({ id: this.#lastId, data, bytes: Buffer.byteLength(data) });
    // What an open stream has yet to send does not count for the ring; sending it does.
    if (lane.reader === undefined) this.trim();
    return wasEmpty || this.unsentBytes() <= this.#limits.maxUnsentBytes;
  }

  /** Bytes that clients with an open stream have not read. */
  unsentBytes(): number {
    let bytes = 0;
    for (const lane of this.#lanes.values())
      if (lane.reader !== undefined) bytes += lane.unsentBytes;
    return bytes;
  }

  /** Bytes held in all, for the metrics. */
  heldBytes(): number {
    let bytes = 0;
    for (const lane of this.#lanes.values()) bytes += lane.bytes;
    return bytes;
  }

  /** Keeps the ring within its limits. What an open stream has yet to send is not the ring's and stays. */
  trim(): void {
    for (;;) {
      let count = 0;
      let bytes = 0;
      let oldest: Lane | undefined;
      for (const lane of this.#lanes.values()) {
        const isOpen = lane.reader !== undefined;
        const own = isOpen ? lane.count - lane.unsentCount : lane.count;
        if (own === 0) continue;
        count += own;
        bytes += isOpen ? lane.bytes - lane.unsentBytes : lane.bytes;
        if (oldest === undefined || (lane.oldestId ?? 0) < (oldest.oldestId ?? 0)) oldest = lane;
      }
      if (count <= this.#limits.ringEvents && bytes <= this.#limits.ringBytes) return;
      oldest?.evict();
    }
  }

  /** Notes events that went out, which makes room. Only the lane's present reader counts. */
  sent(lane: Lane, reader: AbortController, events: readonly OutEvent[]): void {
    const last = events.at(-1);
    if (lane.reader !== reader || last === undefined) return;
    lane.advance(last.id);
    this.#hasStalled = false;
    this.#progress += 1;
    this.trim();
    this.released();
  }

  /**
   * Undefined when there is room for more, else resolves when there is: a client that reads slows its own replay down instead of being
   * dropped, but one that reads nothing holds the turn up for `stallMs` once, not for every message.
   */
  room(): Promise<void> | undefined {
    return this.#hasStalled || this.#isRoomy() ? undefined : this.#waitForRoom();
  }

  async #waitForRoom(): Promise<void> {
    this.#room ??= Promise.withResolvers();
    const { promise } = this.#room;
    let seen = this.#progress;
    const timer = setInterval(() => {
      if (seen === this.#progress) {
        this.#hasStalled = true;
        this.#openRoom();
      }
      seen = this.#progress;
    }, this.#limits.stallMs);
    await promise;
    clearInterval(timer);
  }

  /** Tells waiting writers that a lane was emptied, lost or replaced. */
  released(): void {
    if (this.#isRoomy()) this.#openRoom();
  }

  #isRoomy(): boolean {
    return this.unsentBytes() <= this.#limits.maxUnsentBytes * WAIT_ABOVE;
  }

  #openRoom(): void {
    this.#room?.resolve();
    this.#room = undefined;
  }

  #laneOf(sessionId: string | undefined): Lane {
    const own = sessionId === undefined ? undefined : this.#lanes.get(sessionId);
    const lane = own ?? this.#lanes.get(CONNECTION_LANE);
    if (lane === undefined) throw new Error("A connection has lost its own lane");
    return lane;
  }
}
