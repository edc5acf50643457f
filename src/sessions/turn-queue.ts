// One turn at a time, first in first out, with a bound on how many wait.

/** Prompts that may wait behind the running one. */
export const MAX_WAITING_TURNS = 8;

type Turn = { readonly controller: AbortController; readonly start: () => void };

export class TurnQueue {
  #running: Turn | undefined;
  #waiting: Turn[] = [];
  #idleListeners: (() => void)[] = [];

  get isBusy(): boolean {
    return this.#running !== undefined;
  }

  get isFull(): boolean {
    return this.#waiting.length >= MAX_WAITING_TURNS;
  }

  /** Runs `work` when every turn before it is over; a turn that is aborted while it waits runs at once, to say so. */
  async run<T>(controller: AbortController, work: () => Promise<T>): Promise<T> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const turn: Turn = { controller, start: resolve };
    if (this.#running === undefined) {
      this.#running = turn;
      resolve();
    } else {
      this.#waiting.push(turn);
      controller.signal.addEventListener("abort", () => this.#leave(turn), { once: true });
    }
    await promise;
    try {
      return await work();
    } finally {
      if (this.#running === turn) this.#startNext();
    }
  }

  /** Aborts the running turn and every waiting one. */
  cancel(): void {
    // An aborted turn leaves the list, hence the copy.
    for (const turn of this.#waiting.slice()) turn.controller.abort();
    this.#running?.controller.abort();
  }

  /** Resolves when no turn runs or waits. */
  idle(): Promise<void> {
    if (this.#running === undefined) return Promise.resolve();
    return new Promise((resolve) => this.#idleListeners.push(resolve));
  }

  #leave(turn: Turn): void {
    if (!this.#waiting.includes(turn)) return;
    this.#waiting = this.#waiting.filter((one) => one !== turn);
    turn.start();
  }

  #startNext(): void {
    this.#running = this.#waiting.shift();
    if (this.#running !== undefined) {
      this.#running.start();
      return;
    }
    const listeners = this.#idleListeners;
    this.#idleListeners = [];
    for (const listener of listeners) listener();
  }
}
