// The SDK's own HTTP and WebSocket clients against our listener: what editors will really use.

import { expect, test } from "bun:test";
import { createHttpStream } from "@agentclientprotocol/sdk/experimental/http-client";
import { createWebSocketStream } from "@agentclientprotocol/sdk/experimental/ws-client";
import { client, type SessionNotification, type Stream } from "@agentclientprotocol/sdk/unstable";
import { serve, until } from "./http-harness.ts";

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
  const { agent } = connection;
  await agent.request("initialize", { protocolVersion: 1, clientCapabilities: {} });
  for (const text of ["one", "two"]) {
    const { sessionId } = await agent.request("session/new", { cwd: "/workspace", mcpServers: [] });
    const answer = await agent.request("session/prompt", {
      sessionId,
      prompt: [{ type: "text", text }],
    });
    stops.push(answer.stopReason);
    const asked = await agent.request("ask", { sessionId });
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
