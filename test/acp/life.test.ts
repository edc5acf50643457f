// How a connection ends: what is said last, what is stopped, what goes on.

import { expect } from "bun:test";
import { answerPermissions } from "../support/acp-client.ts";
import { hang, text, toolCall } from "../support/fake-model.ts";
import { processesWith } from "../support/processes.ts";
import { verifies } from "./verifies.ts";

verifies("life/eof-answers", { replies: [hang("mid")] }, async ({ client, project }) => {
  const sessionId = await client.newSession(project.path);
  const prompt = client.prompt(sessionId, "Go");
  await client.until(() => client.text(sessionId).includes("Begun"), "the first words");
  await client.process.child.stdin.end();
  expect((await prompt)["stopReason"]).toBe("cancelled");
  expect(await client.process.child.exited).toBe(0);
});

verifies("life/delete-stops", {}, async ({ client, project, model, transport }) => {
  // Its own for each transport: they run side by side.
  const command = `sleep 73.${transport.length}`;
  model.push(toolCall("bash", { command }));
  const sessionId = await client.newSession(project.path);
  answerPermissions(client, "allow_once");
  client.prompt(sessionId, "Sleep").catch(() => undefined);
  await client.until(() => processesWith(command).length > 0, "the command");
  await client[Symbol.asyncDispose]();
  expect(processesWith(command)).toEqual([]);
  model.assertValid();
});

verifies(
  "life/stream-lost",
  { replies: [toolCall("bash", { command: "sleep 1; touch made" }), text("Made.")] },
  async ({ client, project, another }) => {
    const sessionId = await client.newSession(project.path);
    answerPermissions(client, "allow_once");
    client.prompt(sessionId, "Touch").catch(() => undefined);
    await client.untilUpdate(
      sessionId,
      ({ status, rawInput }) => status === "in_progress" && rawInput !== undefined,
    );
    const second = await another();
    await second.initialize();
    client.dropConnection();
    await second.until(
      () =>
        Bun.file(project.file("made")).size > -1 &&
        processesWith("sleep 1; touch made").length === 0,
      "the command to end",
    );
    await second.request("session/load", { sessionId, cwd: project.path });
    await second.until(() => second.text(sessionId).includes("Made."), "the end of the turn");
    expect(second.toolCalls(sessionId).map(({ status }) => status)).toEqual(["completed"]);
  },
);
