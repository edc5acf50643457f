// The short answers of the HTTP transport. Every failure is a JSON-RPC error object.

import type { JsonRpcId } from "@agentclientprotocol/sdk/unstable";
import { toErrorMessage } from "./message.ts";

/** Names of the headers that carry the connection and the session. */
export const CONNECTION_HEADER = "Acp-Connection-Id";
export const SESSION_HEADER = "Acp-Session-Id";
/** Seconds after which a refused client may come back. */
const RETRY_AFTER_SECONDS = 5;

export type Failure = {
  readonly status: number;
  /** Default -32600: the request is at fault. */
  readonly code?: number;
  readonly id?: JsonRpcId;
  readonly headers?: Readonly<Record<string, string>>;
};

/** A failure with a JSON-RPC error as its body. */
export function failure(
  message: string,
  { status, code = -32600, id = null, headers = {} }: Failure,
): Response {
  return Response.json(toErrorMessage({ code, id, message }), { status, headers });
}

/** 503 with `Retry-After`. */
export function unavailable(message: string, id: JsonRpcId = null): Response {
  const headers = { "Retry-After": String(RETRY_AFTER_SECONDS) };
  return failure(message, { status: 503, code: -32603, id, headers });
}

/** 202: the answer comes on a stream. */
export function accepted(): Response {
  return new Response(null, { status: 202 });
}
