// The client's side of HTTP+SSE: POST out, one event stream in, or one more a session.

import { isRecord } from "../../src/lib/json.ts";
import type { Json, Wire, WireListener } from "./acp-client.ts";
import type { AgentProcess } from "./agent-process.ts";

async function readEvents(response: Response, onMessage: (message: Json) => void): Promise<void> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of response.body ?? []) {
    const events = (rest + decoder.decode(chunk, { stream: true })).split("\n\n");
    rest = events.pop() ?? "";
    for (const event of events) {
      const data = event.split("\n").find((line) => line.startsWith("data: "));
      if (data !== undefined && event.includes("event: message"))
        onMessage(JSON.parse(data.slice(6)) as Json);
    }
  }
}

export function openHttp(
  { url, token }: AgentProcess,
  { onMessage, onEnd }: WireListener,
  hasSessionStreams: boolean,
): Wire {
  const closing = new AbortController();
  const authorization: Record<string, string> =
    token === undefined ? {} : { Authorization: `Bearer ${token}` };
  const streams: Promise<void>[] = [];
  const streamed = new Set<string>();
  let connectionId: string | undefined;
  const headers = () => ({
    ...authorization,
    ...(connectionId === undefined ? {} : { "Acp-Connection-Id": connectionId }),
  });

  const openStream = async (sessionId?: string): Promise<void> => {
    const opened = await fetch(url, {
      headers: {
        ...headers(),
        Accept: "text/event-stream",
        ...(sessionId === undefined ? {} : { "Acp-Session-Id": sessionId }),
      },
      signal: closing.signal,
    });
    const reading = readEvents(opened, receive).catch((error: unknown) => {
      if (!closing.signal.aborted) throw error;
    });
    streams.push(sessionId === undefined ? reading.then(onEnd) : reading);
  };
  const openSessionStream = async (message: unknown): Promise<void> => {
    const params = isRecord(message) && isRecord(message["params"]) ? message["params"] : {};
    const { sessionId } = params;
    // What cannot be a header value cannot be a session's name either.
    if (!hasSessionStreams || typeof sessionId !== "string" || !/^[\w-]{1,200}$/.test(sessionId))
      return;
    if (streamed.has(sessionId)) return;
    streamed.add(sessionId);
    await openStream(sessionId);
  };
  const receive = (message: Json): void => onMessage(message);

  const post = async (message: unknown): Promise<void> => {
    if (connectionId !== undefined) await openSessionStream(message);
    const response = await fetch(url, {
      method: "POST",
      headers: { ...headers(), "Content-Type": "application/json" },
      body: typeof message === "string" ? message : JSON.stringify(message),
    });
    if (connectionId === undefined) {
      connectionId = response.headers.get("Acp-Connection-Id") ?? undefined;
      if (connectionId !== undefined) await openStream();
    }
    const body = await response.text();
    if (body !== "") onMessage(JSON.parse(body) as Json);
  };
  let sending: Promise<unknown> = Promise.resolve();

  return {
    // One after the other, as the official client does: a cancel must not overtake the prompt it is for.
    send: (message) => {
      const sent = sending.then(() => post(message));
      sending = sent.catch(() => undefined);
      return sent;
    },
    drop: () => {
      closing.abort();
      connectionId = undefined;
    },
    [Symbol.asyncDispose]: async () => {
      if (connectionId !== undefined)
        await fetch(url, { method: "DELETE", headers: headers() }).catch(() => undefined);
      closing.abort();
      await Promise.all(streams);
    },
  };
}
