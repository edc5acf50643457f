// One whole turn by the SDK's own client: handshake, session, a read, an edit that is asked about, the answer.

import { expect } from "bun:test";
import { readFileSync } from "node:fs";
import {
  type ClientContext,
  type RequestPermissionRequest,
  type SessionUpdate,
  type Stream,
  client,
} from "@agentclientprotocol/sdk/unstable";
import type { AgentProcess } from "./agent-process.ts";
import { fakeModel, text, toolCall } from "./fake-model.ts";
import { tempDir } from "./temp-dir.ts";

export type Opened = { readonly agent: AgentProcess; readonly stream: Stream };

const BEFORE = 'cidr = "10.0.0.0/8"\n';
const AFTER = 'cidr = "10.1.0.0/16"\n';

/** `open` starts the program with that environment, for the scripted model, and connects a stream of the SDK. */
export async function converse(
  open: (env: Record<string, string>) => Promise<Opened>,
): Promise<void> {
  await using project = await tempDir({ "main.tf": BEFORE });
  await using model = await fakeModel([
    toolCall("read_file", { path: "main.tf" }),
    toolCall("edit_file", { path: "main.tf", old_string: "10.0.0.0/8", new_string: "10.1.0.0/16" }),
    text("Smaller now."),
  ]);
  const { agent, stream } = await open(model.env());
  await using _ = agent;
  const updates: SessionUpdate[] = [];
  const questions: RequestPermissionRequest[] = [];
  const app = client({ name: "sdk" })
    .onRequest("session/request_permission", ({ params }) => {
      questions.push(params);
      return { outcome: { outcome: "selected", optionId: "allow_once" } };
    })
    .onNotification("session/update", ({ params }) => void updates.push(params.update));
  const stopReason = await app.connectWith(stream, async (context: ClientContext) => {
    await context.request("initialize", { protocolVersion: 1, clientCapabilities: {} });
    const cwd = project.path;
    const { sessionId } = await context.request("session/new", { cwd, mcpServers: [] });
    const answer = await context.request("session/prompt", {
      sessionId,
      prompt: [{ type: "text", text: "Make the network smaller" }],
    });
    return answer.stopReason;
  });
  expect(stopReason).toBe("end_turn");
  expect(questions.map(({ toolCall: call }) => call.kind)).toEqual(["edit"]);
  expect(readFileSync(project.file("main.tf"), "utf8")).toBe(AFTER);
  const said = updates.flatMap((update) =>
    update.sessionUpdate === "agent_message_chunk" && update.content.type === "text"
      ? [update.content.text]
      : [],
  );
  expect(said.join("")).toBe("Smaller now.");
  model.assertValid();
}
