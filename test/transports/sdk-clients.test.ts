// The SDK's own HTTP and WebSocket clients against our listener: what editors will really use.

import { expect, test } from "bun:test";
import { createHttpStream } from "@agentclientprotocol/sdk/experimental/http-client";
import { createWebSocketStream } from "@agentclientprotocol/sdk/experimental/ws-client";
import {
  agent,
  client,
  type SessionNotification,
  type Stream,
} from "@agentclientprotocol/sdk/unstable";
import { openHttp } from "../../src/transports/http.ts";
import type { Host } from "../../src/transports/transport.ts";
import { INITIALIZE, readEvents, serve, until } from "./http-harness.ts";

/** Runs one conversation as an editor would, and returns what it saw. */
async function converse(stream: Stream): Promise<{ texts: unknown[]; stops: string[] }> {
  const texts: unknown[] = [];
  const stops: string[] = [];
  const app = client({ name: "test" })
    .onRequest("session/request_permission", () => ({
      outcome: { outcome: "selected", optionId: "yes" },
    }))
    .onNotification("session/update", ({ params }: { params: SessionNotification }) => {
      if (params.update.sessionUpdate === "agent_message_chunk") texts.push(params.update.content);
    });
  const connection = app.connect(stream);
  await connection.agent.request("initialize", { protocolVersion: 1, clientCapabilities: {} });
  for (const text of ["one", "two"]) {
    const { sessionId } = await connection.agent.request("session/new", {
      cwd: "/workspace",
      mcpServers: [],
    });
    const answer = await connection.agent.request("session/prompt", {
      sessionId,
      prompt: [{ type: "text", text }],
    });
    stops.push(answer.stopReason);
    const asked = await connection.agent.request("ask", { sessionId });
    stops.push(JSON.stringify(asked));
  }
  connection.close();
  return { texts, stops };
}

const expected = {
  texts: [
    { type: "text", text: "one" },
    { type: "text", text: "two" },
  ],
  stops: [
    "end_turn",
    '{"outcome":{"outcome":{"outcome":"selected","optionId":"yes"}}}',
    "end_turn",
    '{"outcome":{"outcome":{"outcome":"selected","optionId":"yes"}}}',
  ],
};

test("the SDK's HTTP client initializes, opens sessions, prompts, and answers questions", async () => {
  await using served = await serve({ token: "t" });
  const stream = createHttpStream(served.url, { headers: { Authorization: "Bearer t" } });
  expect(await converse(stream)).toEqual(expected);
  await until(
    () => served.host.connections[0]?.events.some((event) => event.startsWith("close")) ?? false,
  );
});

test("the SDK's WebSocket client does the same", async () => {
  await using served = await serve();
  expect(await converse(createWebSocketStream(served.url.replace("http", "ws")))).toEqual(expected);
});

/** A host as the application builds it: the SDK's own agent app on the stream. */
function createSdkHost(): Host {
  return {
    gauges: () => ({}),
    connect: (stream) => {
      const app = agent({ name: "test" })
        .onRequest("initialize", () => ({ protocolVersion: 1, agentCapabilities: {} }))
        .onRequest("session/new", () => ({ sessionId: "sess_1" }));
      const connection = app.connect(stream);
      return {
        closed: connection.closed,
        close: (reason) => connection.close(new Error(reason)),
        resendOpenRequests: () => undefined,
        denyOpenRequests: () => undefined,
      };
    },
  };
}

test("a connection of the SDK's agent app is released by DELETE, by an early end and with the listener", async () => {
  const listener = await openHttp({ port: 0 }, createSdkHost());
  const url = listener.address ?? "";
  const headers = { "Content-Type": "application/json" };
  const open = async (): Promise<string> => {
    const response = await fetch(url, {
      method: "POST",
      headers,
      body: JSON.stringify(INITIALIZE),
    });
    expect(await response.json()).toMatchObject({ id: 1, result: { protocolVersion: 1 } });
    return response.headers.get("Acp-Connection-Id") ?? "";
  };
  const [first, second] = [await open(), await open()];
  const gone = await fetch(url, { method: "DELETE", headers: { "Acp-Connection-Id": first } });
  expect(gone.status).toBe(200);
  const stream = await fetch(url, { headers: { "Acp-Connection-Id": second } });
  const events = readEvents(stream, () => undefined);
  const message = {
    jsonrpc: "2.0",
    id: 2,
    method: "session/new",
    params: { cwd: "/w", mcpServers: [] },
  };
  await fetch(url, {
    method: "POST",
    headers: { ...headers, "Acp-Connection-Id": second },
    body: JSON.stringify(message),
  });
  expect(await events.next()).toMatchObject({ data: { id: 2, result: { sessionId: "sess_1" } } });
  await listener[Symbol.asyncDispose]();
  expect(await events.next()).toBeUndefined();
});
