// Stopping a turn, from every place it can wait in.

import { expect } from "bun:test";
import { type AcpClient, NO_ANSWER, answerPermissions } from "../support/acp-client.ts";
import { type FakeRequest, hang, text, toolCall } from "../support/fake-model.ts";
import { processesWith } from "../support/processes.ts";
import { failure } from "./failure.ts";
import { verifies } from "./verifies.ts";

/** Sends a cancel and measures until the prompt is answered. */
async function cancelled(
  client: AcpClient,
  sessionId: string,
  prompt: Promise<Record<string, unknown>>,
): Promise<void> {
  const started = performance.now();
  await client.notify("session/cancel", { sessionId });
  expect((await prompt)["stopReason"]).toBe("cancelled");
  expect(performance.now() - started).toBeLessThan(3_000);
}

verifies(
  "cancel/stream",
  { replies: [hang("mid"), hang("headers")] },
  async ({ client, project, model }) => {
    const sessionId = await client.newSession(project.path);
    const first = client.prompt(sessionId, "Go");
    await client.until(() => client.text(sessionId).includes("Begun"), "the first words");
    await cancelled(client, sessionId, first);
    const second = client.prompt(sessionId, "Go");
    await model.received(2);
    await cancelled(client, sessionId, second);
  },
);

verifies(
  "cancel/tool",
  { replies: [toolCall("bash", { command: "sleep 61.25 & sleep 61.25" })] },
  async ({ client, project }) => {
    const sessionId = await client.newSession(project.path);
    answerPermissions(client, "allow_once");
    const prompt = client.prompt(sessionId, "Sleep");
    await client.untilUpdate(sessionId, ({ status }) => status === "in_progress");
    await client.until(() => processesWith("61.25").length > 0, "the sleeping command");
    await cancelled(client, sessionId, prompt);
    expect(client.toolCalls(sessionId).map(({ status }) => status)).toEqual(["failed"]);
  },
);

verifies(
  "cancel/permission",
  {
    replies: [
      toolCall("bash", { command: "touch made" }),
      toolCall("bash", { command: "touch made" }),
      text("Done."),
    ],
  },
  async ({ client, project }) => {
    const sessionId = await client.newSession(project.path);
    const questions: unknown[] = [];
    client.handlers["session/request_permission"] = (params) => {
      questions.push(params);
      return NO_ANSWER;
    };
    const prompt = client.prompt(sessionId, "Touch");
    const question = await client.until(() =>
      client.log.find(({ message }) => message["method"] === "session/request_permission"),
    );
    await cancelled(client, sessionId, prompt);
    await client.send({
      jsonrpc: "2.0",
      id: question.message["id"],
      result: { outcome: { outcome: "selected", optionId: "allow_always" } },
    });
    const asked = answerPermissions(client, "reject_once");
    await client.prompt(sessionId, "Touch again");
    expect(asked).toHaveLength(1);
    expect(await Bun.file(project.file("made")).exists()).toBe(false);
  },
);

verifies(
  "cancel/queued",
  { replies: [hang("mid"), text("Next.")] },
  async ({ client, project }) => {
    const sessionId = await client.newSession(project.path);
    const prompts = [0, 1, 2].map((n) => client.prompt(sessionId, `Prompt ${n}`));
    await client.until(() => client.text(sessionId).includes("Begun"), "the first turn");
    await client.notify("session/cancel", { sessionId });
    expect((await Promise.all(prompts)).map(({ stopReason }) => stopReason)).toEqual([
      "cancelled",
      "cancelled",
      "cancelled",
    ]);
    expect((await client.prompt(sessionId, "Next"))["stopReason"]).toBe("end_turn");
    const answers = client.log.filter(
      ({ from, message }) => from === "agent" && JSON.stringify(message).includes("stopReason"),
    );
    expect(answers).toHaveLength(4);
  },
);

verifies("cancel/idle", { replies: [text("Still here.")] }, async ({ client, project }) => {
  const sessionId = await client.newSession(project.path);
  await client.notify("session/cancel", { sessionId });
  await client.notify("session/cancel", { sessionId: "unknown" });
  await client.notify("session/cancel", {});
  expect((await client.prompt(sessionId, "Hi"))["stopReason"]).toBe("end_turn");
});

verifies(
  "cancel/request",
  { replies: [hang("mid"), text("Next.")] },
  async ({ client, project }) => {
    const sessionId = await client.newSession(project.path);
    const prompt = client.request(
      "session/prompt",
      { sessionId, prompt: [{ type: "text", text: "Go" }] },
      "the-prompt",
    );
    await client.until(() => client.text(sessionId).includes("Begun"), "the first words");
    await client.notify("$/cancel_request", { requestId: "the-prompt" });
    const outcome = await prompt.catch((error: { code: number }) => error.code);
    expect(typeof outcome === "number" ? outcome : outcome["stopReason"]).toBe(
      typeof outcome === "number" ? -32800 : "cancelled",
    );
    await client.notify("$/cancel_request", { requestId: "the-prompt" });
    expect((await client.prompt(sessionId, "Next"))["stopReason"]).toBe("end_turn");
    expect(
      (await failure(client.request("session/load", { sessionId: "x", cwd: project.path }))).code,
    ).toBe(-32602);
  },
);

/** Answers a question that ends in "Alive?", and never finishes any other. */
const stubborn = ({ messages }: FakeRequest) =>
  String(messages.at(-1)?.["content"]).endsWith("Alive?") ? text("Alive.") : hang("mid");

verifies(
  "cancel/next",
  { replies: Array.from({ length: 24 }, () => stubborn) },
  async ({ client, project }) => {
    const sessionId = await client.newSession(project.path);
    for (let n = 0; n < 12; n += 1) {
      const begun = client.text(sessionId).split("Begun").length;
      const prompt = client.prompt(sessionId, "Go");
      if (n % 3 !== 0)
        await client.until(() => client.text(sessionId).split("Begun").length > begun, "words");
      await client.notify("session/cancel", { sessionId });
      expect((await prompt)["stopReason"]).toBe("cancelled");
      expect((await client.prompt(sessionId, "Alive?"))["stopReason"]).toBe("end_turn");
    }
  },
);
