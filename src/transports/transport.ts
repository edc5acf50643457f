// The contract between bytes and messages. A transport knows no method but `initialize`; everything else is a message.

import type { AnyMessage } from "@agentclientprotocol/sdk/unstable";
import type { ConnectionId } from "../lib/ids.ts";

/** Both directions of one connection, as the SDK's `agent()` app takes it. */
export type MessageStream = {
  /** What the client said. */
  readonly readable: ReadableStream<AnyMessage>;
  /** What we say. A write resolves when the transport has taken the message; a slow client makes it wait. */
  readonly writable: WritableStream<AnyMessage>;
};

export type Origin = { readonly transport: string; readonly connectionId: ConnectionId };

export type Connection = {
  /** Resolves when everything of the connection is released. */
  readonly closed: Promise<void>;
  /** Cancels its requests and releases it; safe to call twice. */
  readonly close: (reason: string) => void;
  /** Sends the open questions of the client again, with their ids, after a lost stream came back. */
  readonly resendOpenRequests: () => void;
  /** Denies the open questions: the client did not come back in time. */
  readonly denyOpenRequests: () => void;
};

/** What every transport is given: the way to the one dispatcher. */
export type Host = {
  readonly connect: (stream: MessageStream, origin: Origin) => Connection;
  /** Numbers for `/metrics` that only the application knows. */
  readonly gauges: () => Readonly<Record<string, number>>;
};

/** A transport that is serving. */
export type Listener = AsyncDisposable & {
  /** Resolves when it has nothing more to serve: stdin ended, stdout broke, or it was disposed. */
  readonly done: Promise<void>;
  /** Where it listens, for a person: `http://127.0.0.1:8765/acp`. Absent on stdio. */
  readonly address?: string;
  /** Takes no new work; resolves when running requests ended or `signal` aborted. */
  readonly drain: (signal: AbortSignal) => Promise<void>;
};
