// The one writer of a byte sink: joins the lines of a tick, waits for the pipe, cuts nothing at the end.

import { withLimit } from "./with-limit.ts";

/** What is used of `Bun.stdout.writer()`. Both may return a promise that rejects when the reader is gone. */
export type ByteSink = {
  readonly write: (text: string) => number | Promise<number>;
  readonly flush: () => number | Promise<number>;
  /** Lets the process end though a write has not. */
  readonly unref?: () => void;
};

/** Below this many unsent bytes a write is taken at once; above it the caller waits, so memory is bounded. */
export const MAX_UNSENT_BYTES = 1024 * 1024;

/**
 * Writes lines in order. A broken sink is found once: `broken` resolves, everything unsent is forgotten, and
 * later writes do nothing, so that no loop of errors about errors can start.
 */
export class LineWriter {
  readonly #sink: ByteSink;
  readonly #maxUnsentBytes: number;
  readonly #broken = Promise.withResolvers<void>();
  #lines: string[] = [];
  #unsentBytes = 0;
  #sentBatches = 0;
  #isBroken = false;
  #pump: Promise<void> | undefined;
  #room: PromiseWithResolvers<void> | undefined;

  constructor(sink: ByteSink, maxUnsentBytes: number = MAX_UNSENT_BYTES) {
    this.#sink = sink;
    this.#maxUnsentBytes = maxUnsentBytes;
  }

  /** Resolves when the sink turned out to be broken; never rejects. */
  get broken(): Promise<void> {
    return this.#broken.promise;
  }

  /** Resolves when the line is taken: at once, or when the unsent bytes are under the limit again. */
  write(line: string): Promise<void> | undefined {
    if (this.#isBroken) return undefined;
    this.#lines.push(line);
    // A UTF-16 length is close enough for a bound and free to ask for.
    this.#unsentBytes += line.length;
    this.#pump ??= this.#run();
    if (this.#unsentBytes <= this.#maxUnsentBytes) return undefined;
    this.#room ??= Promise.withResolvers();
    return this.#room.promise;
  }

  /**
   * Resolves when everything written so far has left, or the sink is broken, or the reader took nothing for
   * `stallMs`: a client that reads slowly gets everything, one that reads no more cannot hold the process.
   */
  async flushed(stallMs: number): Promise<void> {
    while (this.#pump !== undefined) {
      const before = this.#sentBatches;
      const isDone = await withLimit(this.#pump, stallMs);
      if (isDone || this.#sentBatches !== before) continue;
      this.#sink.unref?.();
      return;
    }
  }

  async #run(): Promise<void> {
    try {
      // What one stretch of code says goes out together.
      await Promise.resolve();
      while (this.#lines.length > 0) {
        const text = this.#lines.join("");
        this.#lines = [];
        await this.#sink.write(text);
        await this.#sink.flush();
        this.#unsentBytes -= text.length;
        this.#sentBatches += 1;
        this.#releaseRoom();
        // A lone message leaves at once; in a flood one turn of the event loop gathers the next write.
        await new Promise((resolve) => setImmediate(resolve));
      }
    } catch {
      // EPIPE and its kin: the reader is gone and nobody is left to tell. The owner ends through `broken`.
      this.#isBroken = true;
      this.#lines = [];
      this.#unsentBytes = 0;
      this.#releaseRoom();
      this.#broken.resolve();
    } finally {
      this.#pump = undefined;
    }
  }

  #releaseRoom(): void {
    if (this.#unsentBytes > this.#maxUnsentBytes) return;
    this.#room?.resolve();
    this.#room = undefined;
  }
}
