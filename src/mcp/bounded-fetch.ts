// fetch for servers over HTTP: no limit of the runtime's own on how long an answer may take, but one on how much memory
// a message may cost.

import { MAX_MESSAGE_BYTES } from "./stdio-transport.ts";

const NEWLINE = 10;

/** Errs when more than the limit comes in one piece: a line of an event stream, or the whole of anything else. */
function limitMessages(isEventStream: boolean): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0;
  return new TransformStream({
    transform: (chunk, controller) => {
      const newline = isEventStream ? chunk.lastIndexOf(NEWLINE) : -1;
      bytes = newline === -1 ? bytes + chunk.byteLength : chunk.byteLength - newline - 1;
      if (bytes > MAX_MESSAGE_BYTES || chunk.byteLength > MAX_MESSAGE_BYTES)
        controller.error(
          new Error(`it sent a message over ${MAX_MESSAGE_BYTES / 1024 / 1024} MiB`),
        );
      else controller.enqueue(chunk);
    },
  });
}

/** As the SDK's transports want it. */
export async function boundedFetch(url: string | URL, init?: RequestInit): Promise<Response> {
  // An idle stream and a slow tool are no faults; whoever waits has a limit or a signal of their own.
  const response = await fetch(url, { ...init, timeout: false } as RequestInit);
  if (response.body === null) return response;
  const isEventStream = response.headers.get("content-type")?.includes("event-stream") === true;
  const { status, statusText, headers } = response;
  return new Response(response.body.pipeThrough(limitMessages(isEventStream)), {
    status,
    statusText,
    headers,
  });
}
