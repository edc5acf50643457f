// The one method a transport knows: which request opened the connection, and what its answer was.

import type { AnyMessage, JsonRpcId } from "@agentclientprotocol/sdk/unstable";
import { answeredId, isRequest, toErrorMessage } from "./message.ts";

export class Initialization {
  readonly #answer = Promise.withResolvers<AnyMessage>();
  /** The id of the first `initialize` while it is not answered. */
  #id: JsonRpcId | undefined;
  #isDone = false;

  /** True once an `initialize` was answered with a result. */
  get isDone(): boolean {
    return this.#isDone;
  }

  /** The answer to the first `initialize`; never rejects. */
  get answer(): Promise<AnyMessage> {
    return this.#answer.promise;
  }

  /** Notes what the client said. */
  received(message: AnyMessage): void {
    if (this.#isDone || this.#id !== undefined) return;
    if (isRequest(message) && message.method === "initialize") this.#id = message.id;
  }

  /** Notes what we say; true when it is the answer to that `initialize`. */
  sent(message: AnyMessage): boolean {
    const id = answeredId(message);
    if (id === undefined || id !== this.#id) return false;
    this.#isDone = "result" in message;
    this.#id = undefined;
    this.#answer.resolve(message);
    return true;
  }

  /** Tells whoever still waits that no answer will come; after an answer it changes nothing. */
  abandon(): void {
    const message = "The agent closed the connection before it was initialized";
    this.#answer.resolve(toErrorMessage({ code: -32603, id: this.#id ?? null, message }));
  }
}
