// Reading the body of a POST under a limit, declared or chunked, and what its type must be.

import { decodeMessage, type Decoded } from "./message.ts";
import type { ByteReader } from "./ndjson.ts";
import { failure } from "./reply.ts";

export type ReadBody =
  | { readonly type: "message"; readonly decoded: Decoded }
  | { readonly type: "refused"; readonly response: Response };

export type BodyLimits = { readonly maxBytes: number; readonly idleMs: number };

const refused = (response: Response): ReadBody => ({ type: "refused", response });

const tooLarge = (maxBytes: number) =>
  refused(failure(`Content too large: the body is over ${maxBytes} bytes`, { status: 413 }));

/** Reads and decodes the body, or says with which answer the request is refused. */
export async function readBody(
  request: Request,
  { maxBytes, idleMs }: BodyLimits,
): Promise<ReadBody> {
  const type = request.headers.get("Content-Type")?.split(";")[0]?.trim().toLowerCase();
  if (type !== "application/json")
    return refused(
      failure("Unsupported media type: send `Content-Type: application/json`", { status: 415 }),
    );
  if ((request.headers.get("Content-Encoding") ?? "identity") !== "identity")
    return refused(
      failure("Unsupported media type: send the body without Content-Encoding", { status: 415 }),
    );
  if (Number(request.headers.get("Content-Length") ?? 0) > maxBytes) return tooLarge(maxBytes);
  const body = request.body;
  if (body === null) return { type: "message", decoded: decodeMessage("") };
  return collect(body.getReader(), { maxBytes, idleMs });
}

async function collect(reader: ByteReader, { maxBytes, idleMs }: BodyLimits): Promise<ReadBody> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  let isSlow = false;
  // A body that never ends must not hold its memory for ever; cancelling ends the pending read.
  const timer = setTimeout(() => {
    isSlow = true;
    reader.cancel().catch(() => undefined);
  }, idleMs);
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (isSlow)
        return refused(failure("Request timeout: the body did not come in time", { status: 408 }));
      if (done || value === undefined) break;
      length += value.byteLength;
      if (length > maxBytes) {
        reader.cancel().catch(() => undefined);
        return tooLarge(maxBytes);
      }
      chunks.push(value);
      timer.refresh();
    }
  } finally {
    clearTimeout(timer);
  }
  const text = Buffer.concat(chunks, length).toString("utf8");
  return { type: "message", decoded: decodeMessage(text.replace(/^\uFEFF/, "")) };
}
