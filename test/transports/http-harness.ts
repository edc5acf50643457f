// What the HTTP tests share: a listener on a free port, raw requests, and a reader of event streams.

import { must } from "../../src/lib/assert.ts";
import type { HttpOptions } from "../../src/transports/http-options.ts";
import { openHttp } from "../../src/transports/http.ts";
import { createEchoHost, type EchoConnection, type EchoHost } from "../support/echo-host.ts";

export const INITIALIZE = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: 1 },
};

export type SseEvent = { readonly event: string; readonly id: string; readonly data: unknown };

export type EventReader = {
  readonly headers: Headers;
  /** The next event; comments are passed over. Undefined at the end of the stream. */
  readonly next: () => Promise<SseEvent | undefined>;
  /** Events until one satisfies `isLast`, that one included. */
  readonly until: (isLast: (event: SseEvent) => boolean) => Promise<SseEvent[]>;
  /** All text received so far, comments too. */
  readonly text: () => string;
  /** Reads until `text()` holds `part`. */
  readonly untilText: (part: string) => Promise<void>;
  readonly drop: () => void;
};

/** A client of an HTTP listener, whoever serves it. */
export type HttpClient = {
  readonly url: string;
  readonly origin: string;
  readonly request: (
    method: string,
    headers?: Record<string, string>,
    body?: unknown,
  ) => Promise<Response>;
  /** Initializes and returns the connection's id. */
  readonly connect: () => Promise<string>;
  readonly post: (
    id: string,
    message: object,
    headers?: Record<string, string>,
  ) => Promise<Response>;
  readonly stream: (id: string, headers?: Record<string, string>) => Promise<EventReader>;
};

export type Served = AsyncDisposable &
  HttpClient & {
    readonly host: EchoHost;
    readonly listener: Awaited<ReturnType<typeof openHttp>>;
    /** The host's side of a connection. */
    readonly side: (id: string) => EchoConnection;
  };

/** Serves an echo host on a free port of 127.0.0.1. */
export async function serve(options: Partial<HttpOptions> = {}): Promise<Served> {
  const host = createEchoHost();
  const listener = await openHttp({ port: 0, ...options }, host);
  return {
    ...httpClient(must(listener.address), options.token),
    host,
    listener,
    side: (id) => must(host.connections.find(({ origin }) => origin.connectionId === id)),
    [Symbol.asyncDispose]: () => listener[Symbol.asyncDispose](),
  };
}

export function httpClient(url: string, token?: string): HttpClient {
  const authorization: Record<string, string> =
    token === undefined ? {} : { Authorization: `Bearer ${token}` };
  const request: HttpClient["request"] = (method, headers = {}, body) =>
    fetch(url, {
      method,
      headers: {
        ...(body === undefined ? {} : { "Content-Type": "application/json" }),
        ...authorization,
        ...headers,
      },
      ...(body === undefined
        ? {}
        : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
  return {
    url,
    origin: new URL(url).origin,
    request,
    connect: async () => {
      const response = await request("POST", {}, INITIALIZE);
      await response.json();
      return must(response.headers.get("Acp-Connection-Id"), `No connection: ${response.status}`);
    },
    post: (id, message, headers = {}) =>
      request("POST", { "Acp-Connection-Id": id, ...headers }, { jsonrpc: "2.0", ...message }),
    stream: async (id, headers = {}) => {
      const abort = new AbortController();
      const response = await fetch(url, {
        headers: {
          Accept: "text/event-stream",
          "Acp-Connection-Id": id,
          ...authorization,
          ...headers,
        },
        signal: abort.signal,
      });
      if (response.status !== 200) throw new Error(`GET was answered with ${response.status}`);
      return readEvents(response, () => abort.abort());
    },
  };
}

/** Reads a response as server-sent events. */
export function readEvents(response: Response, drop: () => void): EventReader {
  const reader = must(response.body).pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  let position = 0;
  let searched = 0;
  const more = async (): Promise<boolean> => {
    const { value, done } = await reader.read();
    text += value ?? "";
    return !done;
  };
  const next: EventReader["next"] = async () => {
    for (;;) {
      const end = text.indexOf("\n\n", Math.max(position, searched));
      if (end === -1) {
        // An event of many megabytes must not be searched again for each of its pieces.
        searched = text.length - 1;
        if (await more()) continue;
        return undefined;
      }
      const block = text.slice(position, end);
      position = end + 2;
      const event = toEvent(block);
      if (event !== undefined) return event;
    }
  };
  return {
    headers: response.headers,
    next,
    until: async (isLast) => {
      const events: SseEvent[] = [];
      for (;;) {
        const event = await next();
        if (event === undefined) return events;
        events.push(event);
        if (isLast(event)) return events;
      }
    },
    text: () => text,
    untilText: async (part) => {
      while (!text.includes(part))
        if (!(await more())) throw new Error(`The stream ended without ${part}`);
    },
    drop,
  };
}

function toEvent(block: string): SseEvent | undefined {
  const fields = new Map<string, string>();
  for (const line of block.split("\n")) {
    const colon = line.indexOf(": ");
    if (colon > 0) fields.set(line.slice(0, colon), line.slice(colon + 2));
  }
  const data = fields.get("data");
  if (data === undefined) return undefined;
  return { event: fields.get("event") ?? "", id: fields.get("id") ?? "", data: JSON.parse(data) };
}

/** True for the answer to the request with that id. */
export const isAnswer =
  (id: number | string) =>
  ({ data }: SseEvent): boolean =>
    typeof data === "object" &&
    data !== null &&
    "id" in data &&
    data.id === id &&
    !("method" in data);

/** Polls until `holds` or, by default, ten seconds have passed. */
export async function until(
  holds: () => boolean | Promise<boolean>,
  limitMs = 10_000,
): Promise<void> {
  const deadline = performance.now() + limitMs;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error("The condition did not come true in time");
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}
