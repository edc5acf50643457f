// What makes a JSON value a JSON-RPC message, and the faults a peer can commit. Knows the envelope, no method
// but `initialize`. Params are not looked at except for their `sessionId`, by which HTTP picks a stream.

import type { AnyMessage, AnyRequest, JsonRpcId } from "@agentclientprotocol/sdk/unstable";
import { isRecord, parseJson } from "../lib/json.ts";

/** A peer's fault in the envelope; `id` is the request's id where that much could be read, else null. */
type Fault = {
  readonly code: -32700 | -32600;
  readonly id: JsonRpcId;
  readonly message: string;
};

export type Decoded =
  | { readonly type: "message"; readonly message: AnyMessage }
  | { readonly type: "fault"; readonly fault: Fault }
  /** A broken answer: answering it with an error could start a ping-pong of errors. */
  | { readonly type: "ignored"; readonly reason: string };

/** The JSON-RPC error message that tells a peer of its fault. */
export function toErrorMessage(fault: {
  readonly code: number;
  readonly id: JsonRpcId;
  readonly message: string;
}): AnyMessage {
  return {
    jsonrpc: "2.0",
    id: fault.id,
    error: { code: fault.code, message: fault.message },
  };
}

const invalid = (message: string, id: JsonRpcId = null): Decoded => ({
  type: "fault",
  fault: { code: -32600, id, message: `Invalid request: ${message}` },
});

/** Decodes one JSON text. Never throws. */
export function decodeMessage(text: string): Decoded {
  const value = parseJson(text);
  if (value === undefined)
    return {
      type: "fault",
      fault: { code: -32700, id: null, message: "Parse error: the message is not valid JSON" },
    };
  return toMessage(value);
}

/** Judges the envelope of a parsed value. Never throws. */
function toMessage(value: unknown): Decoded {
  if (Array.isArray(value)) return invalid("batches are not supported, send one message at a time");
  if (!isRecord(value)) return invalid("a message must be a JSON object");
  const isAnswer = !("method" in value) && ("result" in value || "error" in value);
  if (isAnswer) return toAnswer(value);
  const idFault = "id" in value ? faultOfId(value["id"]) : undefined;
  if (idFault !== undefined) return invalid(idFault);
  const id = "id" in value && isId(value["id"]) ? value["id"] : null;
  if (value["jsonrpc"] !== "2.0") return invalid('`jsonrpc` must be "2.0"', id);
  if (typeof value["method"] !== "string") return invalid("`method` must be a string", id);
  // Members that the peer did not send must not appear as undefined.
  const params = "params" in value ? { params: value["params"] } : {};
  const call = { jsonrpc: "2.0", method: value["method"], ...params } as const;
  return { type: "message", message: "id" in value ? { ...call, id } : call };
}

/** Sloppy peers send `error: null` beside a result, or the reverse; the meaningful half is kept. */
function toAnswer(value: Record<string, unknown>): Decoded {
  const id = value["id"];
  if (value["jsonrpc"] !== "2.0" || !isId(id))
    return { type: "ignored", reason: "an answer without a usable id or jsonrpc member" };
  const error = value["error"];
  if (error === undefined || error === null)
    return { type: "message", message: { jsonrpc: "2.0", id, result: value["result"] ?? null } };
  const known = isRecord(error) ? error : {};
  const code = known["code"];
  const message = known["message"];
  return {
    type: "message",
    message: {
      jsonrpc: "2.0",
      id,
      error: {
        ...known,
        code: typeof code === "number" && Number.isInteger(code) ? code : -32603,
        message: typeof message === "string" ? message : "The peer sent an error without a message",
      },
    },
  };
}

function isId(value: unknown): value is JsonRpcId {
  return faultOfId(value) === undefined;
}

/** An integer beyond 2^53 cannot be echoed unchanged, so it is refused rather than echoed wrongly. */
function faultOfId(id: unknown): string | undefined {
  if (id === null || typeof id === "string") return undefined;
  if (typeof id !== "number" || !Number.isFinite(id))
    return "`id` must be a string, a number or null";
  if (Number.isInteger(id) && !Number.isSafeInteger(id))
    return "`id` is an integer beyond 2^53, send it as a string";
  return undefined;
}

/** A key under which ids of different types never meet. */
export function idKey(id: JsonRpcId): string {
  return `${typeof id}:${id}`;
}

export function isRequest(message: AnyMessage): message is AnyRequest {
  return "method" in message && "id" in message;
}

/** The id of the request that `message` answers; undefined when it is no answer. */
export function answeredId(message: AnyMessage): JsonRpcId | undefined {
  return "method" in message ? undefined : message.id;
}

/** The session that a request or notification names in its params. */
export function sessionIdOf(message: AnyMessage): string | undefined {
  if (!("method" in message) || !isRecord(message.params)) return undefined;
  const sessionId = message.params["sessionId"];
  return typeof sessionId === "string" ? sessionId : undefined;
}

/** The session that an answer gives a name to: a new one, or a fork. */
export function openedSessionOf(message: AnyMessage): string | undefined {
  if (!("result" in message) || !isRecord(message.result)) return undefined;
  const { sessionId } = message.result;
  return typeof sessionId === "string" ? sessionId : undefined;
}
