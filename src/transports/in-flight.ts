// Which requests of the client wait for their answer, and which session each of them named.

import type { AnyMessage } from "@agentclientprotocol/sdk/unstable";
import { answeredId, idKey, isRequest, sessionIdOf } from "./message.ts";

/** The requests of one connection that are not answered yet. */
export class InFlight {
  /** Per id the sessions of its requests, oldest first: a careless client may use one id twice. */
  readonly #sessions = new Map<string, (string | undefined)[]>();
  #count = 0;
  #waiting: (() => void)[] = [];

  get count(): number {
    return this.#count;
  }

  /** Notes what the client said. */
  received(message: AnyMessage): void {
    if (!isRequest(message)) return;
    const key = idKey(message.id);
    const same = this.#sessions.get(key) ?? [];
    same.push(sessionIdOf(message));
    this.#sessions.set(key, same);
    this.#count += 1;
  }

  /** Notes what we say; for an answer returns the session that its request named. */
  sent(message: AnyMessage): string | undefined {
    const id = answeredId(message);
    if (id === undefined) return undefined;
    const key = idKey(id);
    const same = this.#sessions.get(key);
    if (same === undefined) return undefined;
    const sessionId = same.shift();
    if (same.length === 0) this.#sessions.delete(key);
    this.#count -= 1;
    if (this.#count === 0) this.#wake();
    return sessionId;
  }

  /** Resolves when no request waits; at once when none does. */
  idle(): Promise<void> {
    if (this.#count === 0) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }
}
