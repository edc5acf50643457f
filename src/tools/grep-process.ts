// One search process, with a watch on the clock: an expression that does not come to an end takes that process with it,
// not the program.

import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import type { GrepQuery } from "./grep-match.ts";
import { openPosition } from "./grep-position.ts";
import type { GrepBatch, GrepReply } from "./grep-worker.ts";

/** Without a sign of progress for this long, the expression counts as runaway. */
const STALL_MS = 5_000;
const WATCH_MS = 100;

export type GrepOutcome =
  | { readonly type: "found"; readonly reply: GrepReply }
  /** The expression did not come to an end on this file; absent where nothing tells which. */
  | { readonly type: "stalled"; readonly path: string | undefined }
  | { readonly type: "failed"; readonly reason: string };

type Waiting = {
  readonly paths: readonly string[];
  readonly resolve: (outcome: GrepOutcome) => void;
};

/** From the sources the worker's file is run by Bun; a compiled binary runs itself, and main.ts routes the word. */
function workerCommand(): readonly string[] {
  const isCompiled = /\$bunfs|~BUN/.test(import.meta.url);
  const worker = isCompiled
    ? "grep-worker"
    : fileURLToPath(new URL("./grep-worker.ts", import.meta.url));
  return [process.execPath, worker];
}

export class GrepProcess {
  readonly #stallMs: number;
  readonly #watch: ReturnType<typeof setInterval>;
  readonly #position = openPosition();
  readonly #child: Bun.Subprocess<"pipe", "pipe", number | "ignore">;
  /** Oldest first; the first is being searched. */
  readonly #waiting: Waiting[] = [];
  /** Files of the batches that were answered. */
  #answered = 0;
  #begun = 0;
  #lastSign = 0;
  #fault: GrepOutcome | undefined;

  /** `stallMs`: default 5 s. */
  constructor(query: GrepQuery, stallMs = STALL_MS) {
    this.#stallMs = stallMs;
    this.#child = Bun.spawn([...workerCommand()], {
      stdin: "pipe",
      stdout: "pipe",
      stderr: this.#position.file,
      // Nothing of ours is needed there, and no key may be.
      env: {},
      // Not the project's folder, whose settings Bun would read at its start.
      cwd: dirname(process.execPath),
    });
    void this.#send(query);
    void this.#read();
    this.#watch = setInterval(() => this.#checkProgress(), WATCH_MS);
  }

  /** Batches that are not answered yet. */
  get load(): number {
    return this.#waiting.length;
  }

  /** Never rejects. Batches are answered in the order they came; after a fault every answer is that fault. */
  search(batch: GrepBatch): Promise<GrepOutcome> {
    if (this.#fault) return Promise.resolve(this.#fault);
    if (this.#waiting.length === 0) this.#lastSign = performance.now();
    const { promise, resolve } = Promise.withResolvers<GrepOutcome>();
    this.#waiting.push({ paths: batch.paths, resolve });
    void this.#send(batch);
    return promise;
  }

  /** Resolves when the process has ended. */
  async close(): Promise<void> {
    clearInterval(this.#watch);
    this.#child.kill("SIGKILL");
    await this.#child.exited;
    this.#position[Symbol.dispose]();
  }

  async #send(value: GrepQuery | GrepBatch): Promise<void> {
    try {
      await this.#child.stdin.write(`${JSON.stringify(value)}\n`);
      await this.#child.stdin.flush();
    } catch {
      // The process is gone; the end of its output tells.
    }
  }

  async #read(): Promise<void> {
    const decoder = new TextDecoder();
    let rest = "";
    for await (const chunk of this.#child.stdout) {
      this.#lastSign = performance.now();
      rest += decoder.decode(chunk, { stream: true });
      const lines = rest.split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) this.#answer(JSON.parse(line) as GrepReply);
    }
    this.#fail({ type: "failed", reason: "the search process ended" });
  }

  #answer(reply: GrepReply): void {
    const first = this.#waiting.shift();
    this.#answered += first?.paths.length ?? 0;
    first?.resolve({ type: "found", reply });
  }

  #fail(fault: GrepOutcome): void {
    this.#fault ??= fault;
    for (const { resolve } of this.#waiting.splice(0)) resolve(this.#fault);
  }

  #checkProgress(): void {
    const first = this.#waiting[0];
    if (!first) return;
    const begun = this.#position.read();
    if (begun !== this.#begun) this.#lastSign = performance.now();
    this.#begun = begun;
    if (performance.now() - this.#lastSign < this.#stallMs) return;
    this.#fail({ type: "stalled", path: first.paths[begun - this.#answered - 1] });
  }
}
