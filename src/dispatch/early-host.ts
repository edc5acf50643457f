// Answers `initialize` while everything else is still being loaded, then hands the connection over to the dispatcher.
// A client that only shakes hands never pays for the rest.

import type { AnyMessage } from "@agentclientprotocol/sdk/unstable";
import { isRecord } from "../lib/json.ts";
import { log } from "../lib/log.ts";
import type { ClientAbilities } from "../protocol/capabilities.ts";
import { RpcError } from "../protocol/errors.ts";
import type { Connection, Dispatcher, Origin } from "./dispatcher.ts";
import type { MessageStream } from "./message-stream.ts";

export type InitializeAnswer = { readonly result: object; readonly abilities: ClientAbilities };

export type EarlyParts = {
  /** Throws an RpcError for the caller's fault. */
  readonly answerInitialize: (params: unknown) => InitializeAnswer;
  readonly load: () => Promise<Dispatcher>;
  readonly onConnected: (closed: Promise<void>) => void;
};

type First =
  /** It was `initialize`, and is answered; no abilities: with an error. */
  | { readonly type: "answered"; readonly abilities: ClientAbilities | undefined }
  | { readonly type: "other"; readonly message: AnyMessage }
  | { readonly type: "end" };

export function createEarlyHost(parts: EarlyParts): Pick<Dispatcher, "connect"> {
  return {
    connect: (stream, origin) => {
      const connection = connect(stream, origin, parts);
      parts.onConnected(connection.closed);
      return connection;
    },
  };
}

function connect(stream: MessageStream, origin: Origin, parts: EarlyParts): Connection {
  const closed = Promise.withResolvers<void>();
  let real: Connection | undefined;
  let closeReason: string | undefined;

  const handOver = async (): Promise<void> => {
    const first = await answerFirst(stream, parts);
    if (first.type === "end" || closeReason !== undefined) return;
    // Loading keeps the thread busy for a while; the answer's bytes leave first. Only speed depends on this.
    await new Promise((resolve) => setImmediate(resolve));
    const dispatcher = await parts.load();
    // The client may have left while the rest was loading.
    if (closeReason !== undefined) return;
    const readable =
      first.type === "other" ? startingWith(first.message, stream.readable) : stream.readable;
    const abilities = first.type === "answered" ? first.abilities : undefined;
    real = dispatcher.connect({ readable, writable: stream.writable }, origin, abilities);
    await real.closed;
  };
  handOver()
    .catch((error: unknown) => log.error("A connection could not be served", error))
    .finally(closed.resolve);

  return {
    closed: closed.promise,
    close: (reason) => {
      closeReason ??= reason;
      if (real === undefined) closed.resolve();
      else real.close(reason);
    },
    resendOpenRequests: () => real?.resendOpenRequests(),
    denyOpenRequests: () => real?.denyOpenRequests(),
  };
}

/** Takes the first message off the stream and answers it if it is `initialize`. */
async function answerFirst(
  stream: MessageStream,
  { answerInitialize }: EarlyParts,
): Promise<First> {
  const reader = stream.readable.getReader();
  const { value: message, done } = await reader.read();
  reader.releaseLock();
  if (done) return { type: "end" };
  if (
    !isRecord(message) ||
    !("id" in message) ||
    !("method" in message) ||
    message.method !== "initialize"
  ) {
    return { type: "other", message };
  }
  const { id } = message;
  const writer = stream.writable.getWriter();
  try {
    const { result, abilities } = answerInitialize(message.params);
    await writer.write({ jsonrpc: "2.0", id, result });
    return { type: "answered", abilities };
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    const { code, message: text, data } = error;
    await writer.write({ jsonrpc: "2.0", id, error: { code, message: text, data } });
    return { type: "answered", abilities: undefined };
  } finally {
    writer.releaseLock();
  }
}

function startingWith(
  first: AnyMessage,
  rest: ReadableStream<AnyMessage>,
): ReadableStream<AnyMessage> {
  const reader = rest.getReader();
  return new ReadableStream<AnyMessage>({
    start: (controller) => controller.enqueue(first),
    pull: async (controller) => {
      const { value, done } = await reader.read();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: (reason) => reader.cancel(reason),
  });
}
