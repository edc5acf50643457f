// Finds message, code and status in the error bodies of real endpoints, nested or flat. Pure.

import { isRecord, parseJson } from "../lib/json.ts";

export type ErrorInfo = {
  readonly message: string;
  /** Codes and types, lower case, joined by blanks. */
  readonly code: string;
  /** A status that the body itself names, 400–599. */
  readonly status?: number;
};

/** Reads the body of an answer with an error status. Text that is no JSON has no message of its own. */
export function errorInfoOfBody(body: string): ErrorInfo {
  const value = parseJson(body);
  return errorInfo(value) ?? flatInfo(value) ?? { message: "", code: "" };
}

/** The error that an object of a 200 stream is, or `undefined` when it is a chunk. */
export function errorInfo(value: unknown): ErrorInfo | undefined {
  // Gemini wraps its errors in an array.
  if (Array.isArray(value)) return errorInfo(value[0]);
  if (!isRecord(value)) return undefined;
  const inner = value["error"];
  if (typeof inner === "string" && inner !== "") return infoFrom({ ...value, message: inner });
  if (isRecord(inner) && Object.keys(inner).length > 0) return infoFrom(inner);
  // The Responses API ends a failed answer with an event that carries it.
  const response = value["response"];
  if (isRecord(response) && isRecord(response["error"])) return infoFrom(response["error"]);
  const choice: unknown = Array.isArray(value["choices"]) ? value["choices"][0] : undefined;
  if (isRecord(choice) && isRecord(choice["error"])) return infoFrom(choice["error"]);
  const isMarked = value["object"] === "error" || value["type"] === "error";
  const isFlat = typeof value["message"] === "string" && ("code" in value || "status" in value);
  const isChunk = Array.isArray(value["choices"]) || "output" in value || "response" in value;
  return !isChunk && (isMarked || isFlat) ? infoFrom(value) : undefined;
}

/** Bodies of error statuses need no mark: `{detail}` (FastAPI), `{message}`, `{errors: […]}`. */
function flatInfo(value: unknown): ErrorInfo | undefined {
  if (!isRecord(value)) return undefined;
  const list: unknown = value["errors"] ?? value["detail"] ?? value["msg"];
  const first: unknown = Array.isArray(list) ? list[0] : list;
  if (typeof first === "string") return infoFrom({ ...value, message: first });
  if (isRecord(first)) return infoFrom({ ...first, message: first["message"] ?? first["msg"] });
  return infoFrom(value);
}

function infoFrom(raw: Record<string, unknown>): ErrorInfo {
  const message = raw["message"];
  const codes = [raw["code"], raw["type"], raw["status"]].filter(
    (code) => typeof code === "string",
  );
  const status = [raw["code"], raw["status"], raw["status_code"]]
    .map(Number)
    .find((n) => n >= 400 && n < 600);
  return {
    message: typeof message === "string" ? message : "",
    code: codes.join(" ").toLowerCase(),
    ...(status !== undefined && { status }),
  };
}
