// The one place where messages leave the dispatcher, and so the one place where their order is enforced:
// nothing of a session before the response that names it, and after-response work only once the response is taken.
// It also remembers the questions we asked the client, so that they can be asked again or answered for it.

import type { AnyMessage } from "@agentclientprotocol/sdk/unstable";
import { isRecord } from "../lib/json.ts";
import { log } from "../lib/log.ts";
import type { MessageStream } from "./message-stream.ts";

export type OrderedStream = {
  /** What the SDK's app is connected to. */
  readonly stream: MessageStream;
  /** Keeps messages of a session back until `release`. */
  readonly hold: (sessionId: string) => void;
  readonly release: (sessionId: string) => void;
  /** Forgets what was held: the session was not named after all. */
  readonly drop: (sessionId: string) => void;
  /** Sends what a load replays: past what is held, and so before the response that ends the load. */
  readonly replay: (message: AnyMessage) => Promise<void>;
  /** Runs `work` when the response carrying this very `result` object was taken by the transport. */
  readonly afterResponse: (result: object, work: () => void) => void;
  /** Resolves when every request of the client has its answer, taken by the transport. */
  readonly allAnswered: () => Promise<void>;
  readonly resendOpenRequests: () => void;
  readonly denyOpenRequests: () => void;
  /** Ends the incoming side, as if the client had gone. */
  readonly end: () => void;
};

function sessionOf(message: AnyMessage): string | undefined {
  if (!("method" in message) || !isRecord(message.params)) return undefined;
  const { sessionId } = message.params;
  return typeof sessionId === "string" ? sessionId : undefined;
}

/** Wraps a transport's stream; the returned stream has the same messages in an order that keeps the rules above. */
export function orderStream(transport: MessageStream): OrderedStream {
  const writer = transport.writable.getWriter();
  const held = new Map<string, AnyMessage[]>();
  const afterResponse = new WeakMap<object, (() => void)[]>();
  const openRequests = new Map<unknown, AnyMessage>();
  let unanswered = 0;
  let answeredListeners: (() => void)[] = [];
  let incoming: ReadableStreamDefaultController<AnyMessage> | undefined;

  const send = (message: AnyMessage): Promise<void> => writer.write(message);
  // A write that fails because the client is gone is seen by the SDK's own writes; here it needs no second report.
  const sendQuietly = (message: AnyMessage): void => void send(message).catch(() => undefined);

  const release = (sessionId: string): void => {
    const messages = held.get(sessionId);
    held.delete(sessionId);
    for (const message of messages ?? []) sendQuietly(message);
  };

  const write = async (message: AnyMessage): Promise<void> => {
    const sessionId = sessionOf(message);
    const queue = sessionId === undefined ? undefined : held.get(sessionId);
    if ("method" in message) {
      if ("id" in message) openRequests.set(message.id, message);
      if (queue !== undefined) {
        queue.push(message);
        return;
      }
    }
    await send(message);
    if (!("method" in message)) countAnswer();
    if ("result" in message && isRecord(message.result)) {
      for (const work of afterResponse.get(message.result) ?? []) {
        try {
          work();
        } catch (error) {
          log.error("Work after a response failed", error);
        }
      }
    }
  };

  const countAnswer = (): void => {
    unanswered = Math.max(0, unanswered - 1);
    if (unanswered > 0) return;
    const listeners = answeredListeners;
    answeredListeners = [];
    for (const listener of listeners) listener();
  };

  /** Answers of the client end its open question; answers nobody waits for go no further. */
  const accept = (message: AnyMessage): boolean => {
    if ("method" in message) {
      if ("id" in message) unanswered += 1;
      return true;
    }
    return openRequests.delete(message.id);
  };

  const readable = new ReadableStream<AnyMessage>({
    start: async (controller) => {
      incoming = controller;
      const reader = transport.readable.getReader();
      try {
        for (;;) {
          const { value, done } = await reader.read();
          if (done) break;
          if (accept(value)) controller.enqueue(value);
        }
        controller.close();
      } catch (error) {
        controller.error(error);
      }
    },
  });

  return {
    stream: {
      readable,
      writable: new WritableStream({
        write,
        close: () => writer.close(),
        abort: (reason) => writer.abort(reason),
      }),
    },
    hold: (sessionId) => {
      if (!held.has(sessionId)) held.set(sessionId, []);
    },
    release,
    drop: (sessionId) => void held.delete(sessionId),
    replay: send,
    afterResponse: (result, work) => {
      const works = afterResponse.get(result) ?? [];
      works.push(work);
      afterResponse.set(result, works);
    },
    allAnswered: () =>
      unanswered <= 0
        ? Promise.resolve()
        : new Promise((resolve) => answeredListeners.push(resolve)),
    resendOpenRequests: () => {
      for (const message of openRequests.values()) sendQuietly(message);
    },
    denyOpenRequests: () => {
      const ids = Array.from(openRequests.keys());
      openRequests.clear();
      for (const id of ids) {
        const error = { code: -32800, message: "The client did not come back to answer" };
        incoming?.enqueue({ jsonrpc: "2.0", id: id as string | number | null, error });
      }
    },
    end: () => {
      try {
        incoming?.close();
      } catch {
        // Already closed by the transport: that is the state we want.
      }
    },
  };
}
