// A process of our own that searches: a user's expression can only be ended with the process it runs in, and reading
// many files is done sooner by several. Speaks one JSON value a line with grep-worker.ts.

import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import type { SearchJob } from "./grep-worker.ts";

/** From the sources the worker's file is run by Bun; a compiled binary runs itself, and main.ts routes the word. */
function workerCommand(): readonly string[] {
  const isCompiled = /\$bunfs|~BUN/.test(import.meta.url);
  const worker = isCompiled
    ? "grep-worker"
    : fileURLToPath(new URL("./grep-worker.ts", import.meta.url));
  return [process.execPath, worker];
}

export class SearchProcess<Request, Reply> {
  readonly #child: Bun.Subprocess<"pipe", "pipe", number | "ignore">;
  /** Oldest first; the first is being worked on. */
  readonly #waiting: ((reply: Reply | undefined) => void)[] = [];
  #hasEnded = false;

  /** `progress`: an open file that the process may write its progress to. */
  constructor(job: SearchJob, progress: number | "ignore" = "ignore") {
    this.#child = Bun.spawn([...workerCommand()], {
      stdin: "pipe",
      stdout: "pipe",
      stderr: progress,
      // Nothing of ours is needed there, and no key may be.
      env: {},
      // Not the project's folder, whose settings Bun would read at its start.
      cwd: dirname(process.execPath),
    });
    void this.#send(job);
    void this.#read();
  }

  /** Requests that are not answered yet. */
  get load(): number {
    return this.#waiting.length;
  }

  /** Answers come in the order of the requests; `undefined`: the process has ended. Never rejects. */
  ask(request: Request): Promise<Reply | undefined> {
    if (this.#hasEnded) return Promise.resolve(undefined);
    const { promise, resolve } = Promise.withResolvers<Reply | undefined>();
    this.#waiting.push(resolve);
    void this.#send(request);
    return promise;
  }

  /** Resolves when the process has ended. */
  async close(): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.#child.exited;
  }

  async #send(value: SearchJob | Request): Promise<void> {
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
      rest += decoder.decode(chunk, { stream: true });
      const lines = rest.split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) this.#waiting.shift()?.(JSON.parse(line) as Reply);
    }
    this.#hasEnded = true;
    for (const resolve of this.#waiting.splice(0)) resolve(undefined);
  }
}

type Member = { readonly load: number; readonly close: () => Promise<void> };

/** As many processes as there is work for: another starts when each of those that run has enough waiting. */
export class SearchPool<One extends Member> {
  readonly #start: () => One;
  readonly #size: number;
  readonly #waiting: number;
  readonly #members: One[] = [];

  /**
   * `size`: processes at most, one or more. `waiting`: requests for each, so that none is idle while the program does
   * something else.
   */
  constructor(start: () => One, size: number, waiting: number) {
    this.#start = start;
    this.#size = size;
    this.#waiting = waiting;
  }

  /** Requests that keep every process busy. */
  get capacity(): number {
    return this.#size * this.#waiting;
  }

  /** The one to be asked next. */
  pick(): One {
    const idlest = this.#members.reduce<One | undefined>(
      (best, one) => (best && best.load <= one.load ? best : one),
      undefined,
    );
    const isBusy = idlest === undefined || idlest.load >= this.#waiting;
    if (idlest && (!isBusy || this.#members.length >= this.#size)) return idlest;
    const another = this.#start();
    this.#members.push(another);
    return another;
  }

  async close(): Promise<void> {
    await Promise.all(this.#members.map((one) => one.close()));
  }
}
