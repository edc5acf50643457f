// Errors that cross the wire. Anything else that is thrown becomes -32603 in the dispatcher, once.
// https://agentclientprotocol.com/protocol/overview#error-handling

export const ERROR_CODES = {
  parse: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internal: -32603,
  authRequired: -32000,
  cancelled: -32800,
} as const;

/** A JSON-RPC error answer; `data` never holds a stack, a path of ours or a key. */
export class RpcError extends Error {
  readonly code: number;
  readonly data: Readonly<Record<string, unknown>> | undefined;

  constructor(code: number, message: string, data?: Readonly<Record<string, unknown>>) {
    super(message);
    this.name = "RpcError";
    this.code = code;
    this.data = data;
  }
}

/** -32602; `data` names each field at fault and says why. */
export function invalidParams(data: Readonly<Record<string, unknown>>): RpcError {
  return new RpcError(ERROR_CODES.invalidParams, "Invalid params", data);
}

/** -32602 in the shape of the protocol document the user gave, with the id beside it. */
export function sessionNotFound(sessionId: string): RpcError {
  const shown = sessionId.length > 200 ? `${sessionId.slice(0, 200)}…` : sessionId;
  return invalidParams({ session_id: "Session not found", sessionId: shown });
}

/** -32600: the message came at the wrong time or is not JSON-RPC. */
export function invalidRequest(why: string): RpcError {
  return new RpcError(ERROR_CODES.invalidRequest, `Invalid request: ${why}`);
}

/** -32603; `kind` is for programs, `message` for people. */
export function internalError(
  kind: string,
  message: string,
  more: Readonly<Record<string, unknown>> = {},
): RpcError {
  return new RpcError(ERROR_CODES.internal, message, { kind, message, ...more });
}

/** -32000: no model endpoint is configured; `reason` says what to do. */
export function authRequired(reason: string): RpcError {
  return new RpcError(ERROR_CODES.authRequired, "Authentication required", { reason });
}

/** -32800: the client took the request back. */
export function requestCancelled(): RpcError {
  return new RpcError(ERROR_CODES.cancelled, "Request cancelled");
}
