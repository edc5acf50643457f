// One client over HTTP or WebSocket: what it says goes to the host, what the host says goes to the right lane,
// and its streams may come and go. How requests and sockets reach it is http-routes.ts and websocket.ts.

import type { AnyMessage } from "@agentclientprotocol/sdk/unstable";
import { newUuid, toConnectionId, type ConnectionId } from "../lib/ids.ts";
import { log } from "../lib/log.ts";
import { Initialization } from "./initialization.ts";
import { InFlight } from "./in-flight.ts";
import type { Lane, Opening } from "./lane.ts";
import { isRequest, openedSessionOf, sessionIdOf } from "./message.ts";
import { CONNECTION_LANE, Outbox, type OutboxLimits } from "./outbox.ts";
import { pump, type StreamWriter } from "./pump.ts";
import type { Connection, Host } from "./transport.ts";
import { withLimit } from "./with-limit.ts";

export type HttpConnectionOptions = {
  readonly host: Host;
  readonly transport: "http" | "websocket";
  readonly outbox: OutboxLimits;
  readonly pingMs: number;
  readonly graceMs: number;
  readonly idleMs: number;
  /** False while draining: answers and notifications still pass, new requests do not. */
  readonly mayStart: () => boolean;
  /** Milliseconds on a clock that never jumps. */
  readonly now: () => number;
  /** Called once when the id stops being valid. */
  readonly onGone: (connection: HttpConnection) => void;
  /** Called once when everything is released. */
  readonly onReleased: (connection: HttpConnection) => void;
};

/** An opened stream: `run` writes until it is over, `lost` is for whoever sees first that the client has gone. */
export type OpenedStream = {
  readonly run: (writer: StreamWriter) => Promise<void>;
  readonly lost: () => void;
};

/** Messages that the host has not taken yet. */
const MAX_QUEUED_MESSAGES = 1_024;
/** Requests not answered yet. */
const MAX_IN_FLIGHT = 4_096;
const RELEASE_LIMIT_MS = 9_000;
const FLUSH_LIMIT_MS = 2_000;

export class HttpConnection {
  readonly id: ConnectionId = toConnectionId(newUuid());
  readonly #options: HttpConnectionOptions;
  readonly #outbox: Outbox;
  readonly #inFlight = new InFlight();
  readonly #host: Connection;
  readonly #pumps = new Set<Promise<void>>();
  /** Over HTTP the answer is the body of the POST and goes to no stream. */
  readonly initialization = new Initialization();
  #input: ReadableStreamDefaultController<AnyMessage> | undefined;
  /** `retired`: nobody listens any more, but running turns go on. `closing`: cancelled, last words are sent. */
  #state: "open" | "retired" | "closing" | "released" = "open";
  #release: Promise<void> | undefined;
  #activeAtMs: number;
  #lostAtMs: number | undefined;

  constructor(options: HttpConnectionOptions) {
    this.#options = options;
    this.#outbox = new Outbox(options.outbox);
    this.#activeAtMs = options.now();
    const readable = new ReadableStream<AnyMessage>(
      {
        start: (controller) => void (this.#input = controller),
        // The host wants no more; closing or filling the stream would throw from here on.
        cancel: () => void (this.#input = undefined),
      },
      { highWaterMark: MAX_QUEUED_MESSAGES },
    );
    const writable = new WritableStream<AnyMessage>({ write: (message) => this.#send(message) });
    const origin = { transport: options.transport, connectionId: this.id };
    this.#host = options.host.connect({ readable, writable }, origin);
    void this.#host.closed.then(() => this.close("the agent closed the connection"));
  }

  get inFlight(): number {
    return this.#inFlight.count;
  }
  get streams(): number {
    let open = 0;
    for (const lane of this.#outbox.lanes.values()) if (lane.reader !== undefined) open += 1;
    return open;
  }
  get heldBytes(): number {
    return this.#outbox.heldBytes();
  }

  /** Resolves when no request waits for its answer. */
  idle(): Promise<void> {
    return this.#inFlight.idle();
  }

  /** Hands a message to the host; false when it cannot take it now and the client should come back later. */
  receive(message: AnyMessage): boolean {
    if (this.#state !== "open" || this.#input === undefined) return false;
    if ((this.#input.desiredSize ?? 0) <= 0) return false;
    const { mayStart, now } = this.#options;
    if (isRequest(message) && (!mayStart() || this.#inFlight.count >= MAX_IN_FLIGHT)) return false;
    this.#activeAtMs = now();
    this.initialization.received(message);
    this.#inFlight.received(message);
    this.#input.enqueue(message);
    return true;
  }

  /**
   * Opens the session's stream, or the connection's own; an older one of the same kind ends.
   * Undefined when the connection has too many session streams or is gone.
   */
  openStream(sessionId: string | undefined, lastEventId?: string): OpenedStream | undefined {
    if (this.#state !== "open") return undefined;
    const lane = this.#outbox.laneFor(sessionId ?? CONNECTION_LANE);
    if (lane === undefined) return undefined;
    const cameBack = lane.wasOpened || this.#lostAtMs !== undefined;
    lane.reader?.abort();
    const opening = lane.open(lastEventId);
    const reader = new AbortController();
    lane.reader = reader;
    lane.lostAtMs = undefined;
    this.#lostAtMs = undefined;
    reader.signal.addEventListener("abort", () => this.#streamLost(lane, reader), { once: true });
    // What was asked on a stream that broke may never have arrived.
    if (cameBack || opening.type === "resync") this.#host.resendOpenRequests();
    return {
      run: (writer) => this.#run(writer, lane, opening, reader),
      lost: () => reader.abort(),
    };
  }

  /** Cancels everything, says the last words, ends the streams. Resolves when all is released. */
  close(reason: string): Promise<void> {
    this.#release ??= this.#close(reason);
    return this.#release;
  }

  /** Nobody will listen any more: open questions are denied, running turns go on and are stored. */
  retire(reason: string): void {
    if (this.#state !== "open") return;
    log.info(`connection ${this.id} ended: ${reason}`);
    this.#state = "retired";
    this.#options.onGone(this);
    this.#abortStreams();
    this.#host.denyOpenRequests();
    void this.#inFlight.idle().then(() => this.close(reason));
  }

  /** Ends what waited too long: a lost session stream, a lost connection, one that nobody uses. */
  sweep(nowMs: number): void {
    const { graceMs, idleMs } = this.#options;
    for (const [key, lane] of this.#outbox.lanes)
      if (lane.lostAtMs !== undefined && nowMs - lane.lostAtMs >= graceMs)
        this.#outbox.dropLane(key);
    if (this.#lostAtMs !== undefined && nowMs - this.#lostAtMs >= graceMs)
      this.retire("no stream was opened again within the grace");
    else if (this.streams === 0 && this.inFlight === 0 && nowMs - this.#activeAtMs >= idleMs)
      void this.close("idle");
  }

  async #close(reason: string): Promise<void> {
    if (this.#state === "open") this.#options.onGone(this);
    this.#state = "closing";
    this.#host.close(reason);
    if (!(await withLimit(this.#host.closed, RELEASE_LIMIT_MS)))
      log.warn(`connection ${this.id} was not released in time after "${reason}"`);
    this.#state = "released";
    this.#input?.close();
    this.initialization.abandon();
    for (const lane of this.#outbox.lanes.values()) lane.wake();
    await withLimit(Promise.all(this.#pumps), FLUSH_LIMIT_MS);
    this.#abortStreams();
    this.#options.onReleased(this);
  }

  /** Where everything that the host says passes. */
  #send(message: AnyMessage): Promise<void> | undefined {
    const asked = this.#inFlight.sent(message);
    // The answer of a fork and what follows about the new session must share a stream, else they could change places.
    const sessionId = openedSessionOf(message) ?? asked ?? sessionIdOf(message);
    const isInBody = this.initialization.sent(message) && this.#options.transport === "http";
    const isUnheard = this.#state === "retired" || this.#state === "released";
    if (isInBody || isUnheard) return undefined;
    this.#activeAtMs = this.#options.now();
    if (this.#outbox.push(sessionId, JSON.stringify(message))) return this.#outbox.room();
    this.retire("the client left too many bytes unread");
    return undefined;
  }

  #run(writer: StreamWriter, lane: Lane, opening: Opening, reader: AbortController): Promise<void> {
    const isFinished = () => this.#state === "released";
    const { pingMs } = this.#options;
    const running = pump(writer, {
      outbox: this.#outbox,
      lane,
      opening,
      reader,
      pingMs,
      isFinished,
    }).finally(() => {
      reader.abort();
      this.#pumps.delete(running);
    });
    this.#pumps.add(running);
    return running;
  }

  #streamLost(lane: Lane, reader: AbortController): void {
    lane.wake();
    if (lane.reader !== reader) return;
    const nowMs = this.#options.now();
    lane.reader = undefined;
    lane.lostAtMs = nowMs;
    this.#activeAtMs = nowMs;
    if (this.streams === 0) this.#lostAtMs = nowMs;
    this.#outbox.trim();
    this.#outbox.released();
  }

  #abortStreams(): void {
    for (const lane of this.#outbox.lanes.values()) lane.reader?.abort();
    this.#outbox.released();
  }
}
