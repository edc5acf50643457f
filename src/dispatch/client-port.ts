// What the agent may ask of, or tell, the client of one connection. Capabilities are checked by the callers that know
// what to do without them; this file only sends.

import type { AgentContext, SessionUpdate } from "@agentclientprotocol/sdk/unstable";
import type { ConnectionId } from "../lib/ids.ts";
import type { ClientAbilities } from "../protocol/capabilities.ts";
import type { OrderedStream } from "./ordering.ts";

export type ClientPort = {
  readonly connectionId: ConnectionId;
  readonly abilities: () => ClientAbilities;
  /** Aborts when the connection is gone. */
  readonly closed: AbortSignal;
  /** Resolves when the transport took it; for a client that is gone, at once. Never rejects. */
  readonly update: (sessionId: string, update: SessionUpdate) => Promise<void>;
  /** Like `update`, for the replay of a load: goes out before the response that live updates wait for. */
  readonly replay: (sessionId: string, update: SessionUpdate) => Promise<void>;
  /** Asks the client. Rejects when it answers with an error, when `signal` aborts, and when the connection closes. */
  readonly request: (method: string, params: object, signal: AbortSignal) => Promise<unknown>;
};

const UPDATE = "session/update";

type PortParts = {
  readonly connectionId: ConnectionId;
  readonly client: AgentContext;
  readonly ordered: OrderedStream;
  readonly abilities: () => ClientAbilities;
  readonly closed: AbortSignal;
};

export function createClientPort({
  connectionId,
  client,
  ordered,
  abilities,
  closed,
}: PortParts): ClientPort {
  /** Runs `send` unless the client has gone, and minds no client that goes under it: a later load shows what was missed. */
  const deliver = async (send: () => Promise<void>): Promise<void> => {
    if (closed.aborted) return;
    try {
      await send();
    } catch {
      // The connection closed under the write.
    }
  };
  return {
    connectionId,
    abilities,
    closed,
    update: (sessionId, update) => deliver(() => client.notify(UPDATE, { sessionId, update })),
    replay: (sessionId, update) =>
      deliver(() =>
        ordered.replay({ jsonrpc: "2.0", method: UPDATE, params: { sessionId, update } }),
      ),
    request: (method, params, signal) =>
      client.request(method, params, { cancellationSignal: signal, stopWaitingOnCancel: true }),
  };
}
