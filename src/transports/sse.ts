// Server-sent events: the text of an event, and a Response that streams a lane.
// https://html.spec.whatwg.org/multipage/server-sent-events.html

import type { Opening, OutEvent } from "./lane.ts";
import type { StreamWriter, Written } from "./pump.ts";

/** What a client waits before it connects again. */
const RETRY_MS = 3_000;

/** No proxy may buffer, cache, compress or transform the stream. */
const SSE_HEADERS: Readonly<Record<string, string>> = {
  "Content-Type": "text/event-stream",
  "Cache-Control": "no-cache, no-transform",
  "X-Accel-Buffering": "no",
};

/** JSON text has no raw line break, so one `data` line holds a whole message. */
function toSseEvent({ id, data }: OutEvent): string {
  return `event: message\nid: ${id}\nretry: ${RETRY_MS}\ndata: ${data}\n\n`;
}

/** The one honest answer to an id from which nothing can be replayed: reload the sessions. */
function toSseOpening(opening: Opening): string {
  // Bun.serve holds the response's head back until the first byte of its body.
  const connected = `: connected\n\n`;
  if (opening.type === "exact") return connected;
  const data = JSON.stringify({
    oldest: opening.oldest ?? null,
    message: "Events before this one are lost. Load the session again.",
  });
  return `${connected}event: resync\nid: ${opening.at}\nretry: ${RETRY_MS}\ndata: ${data}\n\n`;
}

/** What is used of the controller of a Bun direct stream. */
type DirectController = {
  readonly write: (text: string) => number | Promise<number>;
  readonly flush: () => number | Promise<number>;
};

function toWriter(controller: DirectController): StreamWriter {
  // Awaiting both is what makes a client that does not read cost a bounded amount.
  const write = (text: string): Written => {
    const written = controller.write(text);
    const flushed = controller.flush();
    if (typeof written === "number" && typeof flushed === "number") return undefined;
    return Promise.all([written, flushed]);
  };
  return {
    open: (opening) => write(toSseOpening(opening)),
    send: (events) => write(events.map(toSseEvent).join("")),
    ping: () => write(": ping\n\n"),
  };
}

/** A response that lives as long as `run`, which is called once; `onLost` when the client has gone. */
export function sseResponse(
  headers: Readonly<Record<string, string>>,
  run: (writer: StreamWriter) => Promise<void>,
  onLost: () => void,
): Response {
  const body = new ReadableStream({
    type: "direct",
    pull: (controller) => run(toWriter(controller)),
    cancel: onLost,
  });
  return new Response(body, { headers: { ...SSE_HEADERS, ...headers } });
}

/** True for no header, and for a header with a range that covers text/event-stream and is not refused by q=0. */
export function acceptsEventStream(accept: string | null): boolean {
  if (accept === null || accept.trim() === "") return true;
  return accept.split(",").some((range) => {
    const [type = "", ...parameters] = range.split(";").map((part) => part.trim().toLowerCase());
    const isRefused = parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
    return !isRefused && ["text/event-stream", "text/*", "*/*"].includes(type);
  });
}
