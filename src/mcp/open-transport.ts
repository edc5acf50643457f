// A server's settings → the transport that reaches it. The SDK is loaded here and nowhere else, and only when a session
// has a server at all.

import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { McpServerSpec } from "../protocol/params.ts";
import { boundedFetch } from "./bounded-fetch.ts";
import { StdioTransport } from "./stdio-transport.ts";

/** The parts of the SDK that clients are made of. */
export async function loadSdk() {
  const [{ Client }, { McpError, ErrorCode, ListRootsRequestSchema, ElicitRequestSchema }] =
    await Promise.all([
      import("@modelcontextprotocol/sdk/client/index.js"),
      import("@modelcontextprotocol/sdk/types.js"),
    ]);
  return { Client, McpError, ErrorCode, ListRootsRequestSchema, ElicitRequestSchema };
}
export type Sdk = Awaited<ReturnType<typeof loadSdk>>;

export type OpenTransport = {
  readonly transport: Transport;
  /** Tells a server over HTTP that its session is over; rejects when it does not answer. */
  readonly leave: () => Promise<void>;
  /** Why a child ended, when it did. */
  readonly reason: () => string | undefined;
};

type Place = {
  readonly cwd: string;
  readonly inherited: Readonly<Record<string, string | undefined>>;
};

/** Throws, in words for a person, when the address is none. */
export async function openTransport(spec: McpServerSpec, place: Place): Promise<OpenTransport> {
  if (spec.type === "stdio") {
    const transport = new StdioTransport({ ...spec, ...place });
    return { transport, leave: async () => undefined, reason: () => transport.reason };
  }
  if (!URL.canParse(spec.url) || !/^https?:$/.test(new URL(spec.url).protocol))
    throw new Error("its url is no http or https address");
  const url = new URL(spec.url);
  const options = { requestInit: { headers: { ...spec.headers } }, fetch: boundedFetch };
  if (spec.type === "sse") {
    const { SSEClientTransport } = await import("@modelcontextprotocol/sdk/client/sse.js");
    const transport: Transport = new SSEClientTransport(url, options);
    return { transport, leave: async () => undefined, reason: () => undefined };
  }
  const { StreamableHTTPClientTransport } =
    await import("@modelcontextprotocol/sdk/client/streamableHttp.js");
  const transport = new StreamableHTTPClientTransport(url, options);
  return { transport, leave: () => transport.terminateSession(), reason: () => undefined };
}
