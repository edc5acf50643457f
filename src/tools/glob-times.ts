// The newest of many files. To ask the system when a file was changed costs more than to find it, so that where there are
// many, other processes ask along.

import { sep } from "node:path";
import { modifiedTimes } from "./modified-times.ts";
import { SearchPool, SearchProcess } from "./search-process.ts";

const MAX_HELPERS = 3;
/** Batches for each helper: some 12 ms of work, a little more than the walk goes on for before it looks up. */
const ASKED_BATCHES = 8;
/** Files from which on a helper is worth its start. */
const MIN_HELPED_FILES = 4_096;
/** Batches that wait for their times: past that, whoever adds looks at them, so that a walk's own limit of time holds. */
const MAX_WAITING_BATCHES = 32;
/** So many times what is wanted are kept before they are sorted and cut. */
const MAX_KEPT_RATIO = 4;

type TimedFile = { readonly path: string; readonly mtimeMs: number };
type Helper = SearchProcess<readonly string[], number[]>;

export type NewestOptions = {
  /** A folder; paths are relative to it. */
  readonly root: string;
  /** How many are kept. */
  readonly wanted: number;
  /** Default: one for each further core, up to 3. */
  readonly maxHelpers?: number;
  /** Default 4,096 files. */
  readonly minHelpedFiles?: number;
};

/** Takes files in batches while they are found; tells the newest of them at the end. */
export class NewestFiles implements AsyncDisposable {
  readonly #options: NewestOptions;
  readonly #prefix: string;
  readonly #pool: SearchPool<Helper>;
  readonly #todo: (readonly string[])[] = [];
  readonly #asked = new Set<Promise<void>>();
  #kept: TimedFile[] = [];
  /** Older files are not wanted any more. */
  #oldestMs = -Infinity;
  #count = 0;
  #mayAsk: boolean;

  constructor(options: NewestOptions) {
    this.#options = options;
    const { root, maxHelpers = Math.min(MAX_HELPERS, navigator.hardwareConcurrency - 1) } = options;
    this.#prefix = root.endsWith(sep) ? root : root + sep;
    this.#mayAsk = maxHelpers > 0;
    this.#pool = new SearchPool(
      () => new SearchProcess({ type: "times", root }),
      maxHelpers,
      ASKED_BATCHES,
    );
  }

  /** Files taken so far. */
  get count(): number {
    return this.#count;
  }

  add(paths: readonly string[]): void {
    if (paths.length === 0) return;
    this.#todo.push(paths);
    this.#count += paths.length;
    if (this.#count >= (this.#options.minHelpedFiles ?? MIN_HELPED_FILES)) this.#askHelpers();
    if (this.#todo.length > MAX_WAITING_BATCHES) this.#lookAtLast();
  }

  /** The newest first, of one time by path. Early and partial at an abort. */
  async finish(signal: AbortSignal): Promise<readonly string[]> {
    const { promise: aborted, resolve } = Promise.withResolvers<void>();
    const onAbort = () => resolve();
    signal.addEventListener("abort", onAbort, { once: true });
    try {
      while (!signal.aborted && this.#todo.length + this.#asked.size > 0) {
        // Answers and an abort have their turn after each batch.
        if (this.#lookAtLast()) await new Promise<void>((next) => setImmediate(next));
        else await Promise.race([aborted, ...this.#asked]);
      }
    } finally {
      signal.removeEventListener("abort", onAbort);
      this.#mayAsk = false;
    }
    this.#cut();
    return this.#kept.map(({ path }) => path);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#pool.close();
  }

  #askHelpers(): void {
    while (this.#mayAsk && this.#asked.size < this.#pool.capacity) {
      const paths = this.#todo.shift();
      if (!paths) return;
      const asked = this.#ask(this.#pool.pick(), paths).finally(() => {
        this.#asked.delete(asked);
        this.#askHelpers();
      });
      this.#asked.add(asked);
    }
  }

  async #ask(helper: Helper, paths: readonly string[]): Promise<void> {
    const times = await helper.ask(paths);
    if (times) {
      this.#keep(paths, times);
      return;
    }
    // A helper that ended is no reason to find less.
    this.#mayAsk = false;
    this.#todo.push(paths);
  }

  /** Without a helper; false when nothing waits. */
  #lookAtLast(): boolean {
    const paths = this.#todo.pop();
    if (!paths) return false;
    this.#keep(paths, modifiedTimes(paths.map((path) => this.#prefix + path)));
    return true;
  }

  #keep(paths: readonly string[], times: readonly number[]): void {
    for (let i = 0; i < paths.length; i++) {
      const path = paths[i] ?? "";
      const mtimeMs = times[i] ?? 0;
      if (mtimeMs >= this.#oldestMs) this.#kept.push({ path, mtimeMs });
    }
    if (this.#kept.length > this.#options.wanted * MAX_KEPT_RATIO) this.#cut();
  }

  #cut(): void {
    const newest = (a: TimedFile, b: TimedFile) =>
      b.mtimeMs - a.mtimeMs || (a.path < b.path ? -1 : 1);
    this.#kept = this.#kept.toSorted(newest).slice(0, this.#options.wanted);
    if (this.#kept.length === this.#options.wanted)
      this.#oldestMs = this.#kept.at(-1)?.mtimeMs ?? -Infinity;
  }
}
