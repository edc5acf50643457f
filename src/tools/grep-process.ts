// One process that runs a user's expression, with a watch on the clock: an expression that does not come to an end takes
// that process with it, not the program.

import type { GrepQuery } from "./grep-match.ts";
import { openPosition } from "./grep-position.ts";
import type { GrepBatch, GrepReply } from "./grep-worker.ts";
import { SearchProcess } from "./search-process.ts";

/** Without a sign of progress for this long, the expression counts as runaway. */
const STALL_MS = 5_000;
const WATCH_MS = 100;

export type GrepOutcome =
  | { readonly type: "found"; readonly reply: GrepReply }
  /** The expression did not come to an end on this file; absent where nothing tells which. */
  | { readonly type: "stalled"; readonly path: string | undefined }
  | { readonly type: "failed"; readonly reason: string };

export class GrepProcess {
  readonly #stallMs: number;
  readonly #watch: ReturnType<typeof setInterval>;
  readonly #position = openPosition();
  readonly #process: SearchProcess<GrepBatch, GrepReply>;
  readonly #stalled = Promise.withResolvers<GrepOutcome>();
  /** Not answered yet, oldest first. */
  readonly #batches: GrepBatch[] = [];
  /** Files of the batches that were answered. */
  #answered = 0;
  #begun = 0;
  #lastSign = performance.now();

  /** `stallMs`: default 5 s. */
  constructor(query: GrepQuery, stallMs = STALL_MS) {
    this.#stallMs = stallMs;
    this.#process = new SearchProcess({ type: "grep", query }, this.#position.file);
    this.#watch = setInterval(() => this.#checkProgress(), WATCH_MS);
  }

  /** Batches that are not answered yet. */
  get load(): number {
    return this.#batches.length;
  }

  /** Never rejects. Batches are answered in the order they came; after a stall every answer is that stall. */
  async search(batch: GrepBatch): Promise<GrepOutcome> {
    if (this.#batches.length === 0) this.#lastSign = performance.now();
    this.#batches.push(batch);
    return Promise.race([this.#stalled.promise, this.#answerTo(batch)]);
  }

  /** Resolves when the process has ended. */
  async close(): Promise<void> {
    clearInterval(this.#watch);
    await this.#process.close();
    this.#position[Symbol.dispose]();
  }

  async #answerTo(batch: GrepBatch): Promise<GrepOutcome> {
    const reply = await this.#process.ask(batch);
    if (!reply) return { type: "failed", reason: "the search process ended" };
    this.#lastSign = performance.now();
    this.#batches.shift();
    this.#answered += batch.paths.length;
    return { type: "found", reply };
  }

  #checkProgress(): void {
    const first = this.#batches[0];
    if (!first) return;
    const begun = this.#position.read();
    if (begun !== this.#begun) this.#lastSign = performance.now();
    this.#begun = begun;
    if (performance.now() - this.#lastSign < this.#stallMs) return;
    this.#stalled.resolve({ type: "stalled", path: first.paths[begun - this.#answered - 1] });
  }
}
