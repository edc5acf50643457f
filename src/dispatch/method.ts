// The contract of an ACP method. `Services` is whatever the methods of the application work on; dispatch never looks at it.

import type { CapabilityShare } from "../protocol/capabilities.ts";
import type { ClientAbilities } from "../protocol/capabilities.ts";
import type { ClientPort } from "./client-port.ts";

export type MethodContext = {
  readonly client: ClientPort;
  /** Aborts when the client takes the request back or the connection closes. */
  readonly signal: AbortSignal;
  /** Runs once the response of this request was taken by the transport; not at all if it is an error. */
  readonly afterResponse: (work: () => void) => void;
  /** Keeps messages of a session back until this request is answered, whatever the answer. */
  readonly holdSession: (sessionId: string) => void;
  /** Marks the connection as initialized. */
  readonly initialized: (abilities: ClientAbilities) => void;
  /** The capability object's parts of every method that works. */
  readonly shares: readonly CapabilityShare[];
};

export type Method<Services> = {
  /** As the specification spells it: `session/new`. */
  readonly name: string;
  /** Other spellings that clients use. */
  readonly aliases: readonly string[];
  readonly kind: "request" | "notification";
  readonly share?: CapabilityShare;
  /** Parses and handles; throws an RpcError for the caller's fault. A request's result is an object. */
  readonly call: (
    params: unknown,
    context: MethodContext,
    services: Services,
  ) => Promise<object | undefined>;
};
