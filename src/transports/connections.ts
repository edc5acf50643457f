// The connections of one HTTP listener: how many there may be, which id is whose, and their common ends.

import { log } from "../lib/log.ts";
import { HttpConnection } from "./http-connection.ts";
import type { HttpOptions } from "./http-options.ts";
import type { Host } from "./transport.ts";
import { aborted } from "./with-limit.ts";

/** Ends are looked for this many times within the shorter of grace and idle time. */
const SWEEPS_PER_LIMIT = 8;
const MAX_SWEEP_MS = 5_000;

export class Connections {
  readonly #host: Host;
  readonly #options: HttpOptions;
  readonly #byId = new Map<string, HttpConnection>();
  /** Everything not released yet, with those whose id is no longer valid. */
  readonly #unreleased = new Set<HttpConnection>();
  readonly #sweeper: NodeJS.Timeout;
  #isDraining = false;

  constructor(host: Host, options: HttpOptions) {
    this.#host = host;
    this.#options = options;
    const everyMs = Math.min(options.graceMs, options.idleMs) / SWEEPS_PER_LIMIT;
    this.#sweeper = setInterval(() => this.#sweep(), Math.min(Math.max(everyMs, 1), MAX_SWEEP_MS));
    this.#sweeper.unref();
  }

  get isDraining(): boolean {
    return this.#isDraining;
  }
  get isFull(): boolean {
    return this.#byId.size >= this.#options.maxConnections;
  }

  get(id: string): HttpConnection | undefined {
    return this.#byId.get(id);
  }

  /** Callers ask `isDraining` and `isFull` first. */
  create(transport: "http" | "websocket"): HttpConnection {
    const { outbox, pingMs, graceMs, idleMs } = this.#options;
    const connection = new HttpConnection({
      host: this.#host,
      transport,
      outbox,
      pingMs,
      graceMs,
      idleMs,
      mayStart: () => !this.#isDraining,
      now: () => performance.now(),
      onGone: ({ id }) => void this.#byId.delete(id),
      onReleased: (released) => void this.#unreleased.delete(released),
    });
    this.#byId.set(connection.id, connection);
    this.#unreleased.add(connection);
    return connection;
  }

  /** Takes no new work; resolves when running requests ended or `signal` aborted. */
  async drain(signal: AbortSignal): Promise<void> {
    this.#isDraining = true;
    const idle = [...this.#unreleased].map((connection) => connection.idle());
    await Promise.race([Promise.all(idle), aborted(signal)]);
  }

  /** Ends every connection; resolves when all are released. */
  async closeAll(reason: string): Promise<void> {
    this.#isDraining = true;
    clearInterval(this.#sweeper);
    await Promise.all([...this.#unreleased].map((connection) => connection.close(reason)));
  }

  /** Numbers for the metrics. */
  gauges(): Readonly<Record<string, number>> {
    const all = [...this.#unreleased];
    const sum = (of: (connection: HttpConnection) => number) =>
      all.reduce((total, connection) => total + of(connection), 0);
    return {
      connections: this.#byId.size,
      streams: sum((connection) => connection.streams),
      requests_in_flight: sum((connection) => connection.inFlight),
      queue_bytes: sum((connection) => connection.heldBytes),
    };
  }

  #sweep(): void {
    const nowMs = performance.now();
    for (const connection of this.#byId.values()) {
      try {
        connection.sweep(nowMs);
      } catch (error) {
        // One broken connection must not keep the others from ending.
        log.error("a connection could not be swept", error);
      }
    }
  }
}
