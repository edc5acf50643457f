// Feeds the walk's files to the search process and collects what it finds, with a watch on the clock: an expression
// that does not come to an end takes that process with it, not the program.

import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import type { GrepQuery } from "./grep-match.ts";
import type { GrepBatch, GrepMessage, GrepReply } from "./grep-worker.ts";

/** Without a sign of progress for this long, the expression counts as runaway. */
const STALL_MS = 5_000;
const WATCH_MS = 100;

export type GrepEnd =
  | { readonly type: "done" }
  /** The expression did not come to an end on this file. */
  | { readonly type: "stalled"; readonly path: string }
  | { readonly type: "cancelled" }
  | { readonly type: "failed"; readonly reason: string };

export type GrepRun = {
  readonly batches: AsyncIterable<readonly string[]>;
  readonly query: GrepQuery;
  /** Matches that are still wanted; 0 ends the search. */
  readonly wanted: () => number;
  readonly onReply: (reply: GrepReply) => void;
  readonly signal: AbortSignal;
  /** Default 5 s. */
  readonly stallMs?: number;
};

/** From the sources the worker's file is run by Bun; a compiled binary runs itself, and main.ts routes the word. */
function workerCommand(): readonly string[] {
  const isCompiled = /\$bunfs|~BUN/.test(import.meta.url);
  const worker = isCompiled
    ? "grep-worker"
    : fileURLToPath(new URL("./grep-worker.ts", import.meta.url));
  return [process.execPath, worker];
}

/** Never rejects for what files or expressions do. The search process has ended when it resolves. */
export async function runGrep(run: GrepRun): Promise<GrepEnd> {
  if (run.signal.aborted) return { type: "cancelled" };
  const client = new WorkerClient(run);
  try {
    for await (const paths of run.batches) {
      if (run.wanted() <= 0) break;
      const end = await client.search(paths);
      if (end) return end;
    }
    return (await client.drain()) ?? { type: "done" };
  } finally {
    await client.close();
  }
}

/** One batch is searched while the next is walked. */
class WorkerClient {
  readonly #run: GrepRun;
  readonly #ended = Promise.withResolvers<GrepEnd>();
  readonly #onAbort = () => this.#ended.resolve({ type: "cancelled" });
  readonly #watch: ReturnType<typeof setInterval>;
  readonly #child: Bun.Subprocess<"pipe", "pipe", "ignore">;
  #pending: { readonly paths: readonly string[]; readonly done: Promise<void> } | undefined;
  #onDone: (() => void) | undefined;
  #lastIndex = 0;
  #lastSign = performance.now();

  constructor(run: GrepRun) {
    this.#run = run;
    this.#child = Bun.spawn([...workerCommand()], {
      stdin: "pipe",
      stdout: "pipe",
      stderr: "ignore",
      // Nothing of ours is needed there, and no key may be.
      env: {},
      // Not the project's folder, whose settings Bun would read at its start.
      cwd: dirname(process.execPath),
    });
    void this.#read();
    run.signal.addEventListener("abort", this.#onAbort, { once: true });
    this.#watch = setInterval(() => this.#checkProgress(), WATCH_MS);
  }

  async search(paths: readonly string[]): Promise<GrepEnd | undefined> {
    const end = await this.drain();
    if (end || this.#run.wanted() <= 0 || paths.length === 0) return end;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#pending = { paths, done: promise };
    this.#onDone = resolve;
    this.#lastIndex = 0;
    this.#lastSign = performance.now();
    void this.#send({ query: this.#run.query, paths, maxMatches: this.#run.wanted() });
    return undefined;
  }

  /** Waits for the batch under way. */
  async drain(): Promise<GrepEnd | undefined> {
    if (!this.#pending) return undefined;
    const done = this.#pending.done.then(() => undefined);
    const end = await Promise.race([this.#ended.promise, done]);
    if (!end) this.#pending = undefined;
    return end;
  }

  async close(): Promise<void> {
    clearInterval(this.#watch);
    this.#run.signal.removeEventListener("abort", this.#onAbort);
    this.#child.kill("SIGKILL");
    await this.#child.exited;
  }

  async #send(batch: GrepBatch): Promise<void> {
    try {
      await this.#child.stdin.write(`${JSON.stringify(batch)}\n`);
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
      for (const line of lines) this.#receive(JSON.parse(line) as GrepMessage);
    }
    this.#ended.resolve({ type: "failed", reason: "the search process ended" });
  }

  #receive(message: GrepMessage): void {
    if (typeof message === "number") {
      this.#lastIndex = message;
      return;
    }
    this.#run.onReply(message);
    this.#onDone?.();
  }

  #checkProgress(): void {
    if (!this.#pending) return;
    if (performance.now() - this.#lastSign < (this.#run.stallMs ?? STALL_MS)) return;
    this.#ended.resolve({ type: "stalled", path: this.#pending.paths[this.#lastIndex] ?? "" });
  }
}
