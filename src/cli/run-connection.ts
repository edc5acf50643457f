// The stream that `run` speaks over: a pair in memory to an app of its own, or HTTP to a remote one.

import type { MessageStream } from "../dispatch/message-stream.ts";
import { newUuid, toConnectionId } from "../lib/ids.ts";

export type OpenedStream = AsyncDisposable & { readonly stream: MessageStream };

async function openRemote(url: string): Promise<OpenedStream> {
  const { createHttpStream } = await import("@agentclientprotocol/sdk/experimental/http-client");
  const token = process.env["IACCODE_ACP_HTTP_TOKEN"];
  const stream = createHttpStream(
    url,
    token === undefined ? {} : { headers: { Authorization: `Bearer ${token}` } },
  );
  return { stream, [Symbol.asyncDispose]: async () => undefined };
}

async function openLocal(): Promise<OpenedStream> {
  const { createApp } = await import("../app.ts");
  const app = await createApp({ env: process.env, flags: {} });
  const toAgent = new TransformStream();
  const toClient = new TransformStream();
  const connection = app.host.connect(
    { readable: toAgent.readable, writable: toClient.writable },
    { transport: "memory", connectionId: toConnectionId(newUuid()) },
  );
  return {
    stream: { readable: toClient.readable, writable: toAgent.writable },
    [Symbol.asyncDispose]: async () => {
      connection.close("the run is over");
      await connection.closed;
      await app[Symbol.asyncDispose]();
    },
  };
}

/** Rejects with a readable Error when the remote server cannot be used; a remote connection is closed by its client. */
export function openStream(url: string | undefined): Promise<OpenedStream> {
  return url === undefined ? openLocal() : openRemote(url);
}
