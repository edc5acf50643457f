// Both directions of one connection, in the shape the SDK's `agent()` app takes. Transports bring values of this shape.

import type { AnyMessage } from "@agentclientprotocol/sdk/unstable";

export type MessageStream = {
  readonly readable: ReadableStream<AnyMessage>;
  readonly writable: WritableStream<AnyMessage>;
};
