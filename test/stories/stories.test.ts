// The stories of a user, end to end, as golden transcripts: an edit that is allowed, one that is rejected, a kill in the
// middle of a command, a cancel. What runs is the real program against a model server that refuses broken histories.

import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { basename } from "node:path";
import {
  type AcpClient,
  type Json,
  NO_ANSWER,
  answerPermissions,
  openAgent,
} from "../support/acp-client.ts";
import { fakeModel, say, text, toolCall } from "../support/fake-model.ts";
import { type TempDir, tempDir } from "../support/temp-dir.ts";
import { expectGolden, toTranscript } from "../support/transcript.ts";
import { processesWith } from "../support/processes.ts";

/** A new session whose commands were announced, so that what follows has one order. */
async function openSession(client: AcpClient, cwd: string): Promise<string> {
  const sessionId = await client.newSession(cwd);
  await commandsOf(client, sessionId);
  return sessionId;
}

const namesOf = ({ path }: TempDir) => ({ [path]: "<project>", [basename(path)]: "<project>" });

function commandsOf(client: AcpClient, sessionId: string): Promise<Json> {
  return client.untilUpdate(
    sessionId,
    ({ sessionUpdate }) => sessionUpdate === "available_commands_update",
  );
}

const MAIN_TF = 'resource "terraform_data" "network" {\n  input = "10.0.0.0/8"\n}\n';
const EDIT = [
  say({ text: "I read it first.", calls: [{ name: "read_file", args: { path: "main.tf" } }] }),
  toolCall("edit_file", { path: "main.tf", old_string: "10.0.0.0/8", new_string: "10.1.0.0/16" }),
];

test("story: an edit is shown as a diff, allowed, and made", async () => {
  await using project = await tempDir({ "main.tf": MAIN_TF });
  await using model = await fakeModel([...EDIT, text("The network is smaller now.")]);
  await using client = await openAgent("stdio", { env: model.env() });
  answerPermissions(client, "allow_once");
  const sessionId = await openSession(client, project.path);
  await client.prompt(sessionId, "Use 10.1.0.0/16 for the network");
  expect(readFileSync(project.file("main.tf"), "utf8")).toBe(
    MAIN_TF.replace("10.0.0.0/8", "10.1.0.0/16"),
  );
  expectGolden("edit-allowed", toTranscript(client.log, namesOf(project)));
  client.assertConformant();
  model.assertValid();
});

test("story: a rejected edit leaves the file untouched and the model is told", async () => {
  await using project = await tempDir({ "main.tf": MAIN_TF });
  await using model = await fakeModel([...EDIT, text("I left it as it is.")]);
  await using client = await openAgent("stdio", { env: model.env() });
  answerPermissions(client, "reject_once");
  const sessionId = await openSession(client, project.path);
  await client.prompt(sessionId, "Use 10.1.0.0/16 for the network");
  expect(readFileSync(project.file("main.tf"), "utf8")).toBe(MAIN_TF);
  expect(model.requests[2]?.messages.at(-1)?.["content"]).toBe("Permission denied.");
  expectGolden("edit-rejected", toTranscript(client.log, namesOf(project)));
  model.assertValid();
});

test("story: killed in the middle of a command, the session loads elsewhere, the call is failed, and work goes on", async () => {
  await using project = await tempDir({ "main.tf": MAIN_TF });
  await using home = await tempDir();
  await using model = await fakeModel([
    say({
      text: "Two things.",
      calls: [
        { name: "read_file", args: { path: "main.tf" } },
        { name: "bash", args: { command: "sleep 47.5" } },
      ],
    }),
    text("Let us go on."),
  ]);
  const options = { env: model.env(), home: home.path };
  let sessionId = "";
  {
    await using client = await openAgent("stdio", options);
    answerPermissions(client, "allow_once");
    sessionId = await openSession(client, project.path);
    const prompt = client.prompt(sessionId, "Check the network");
    prompt.catch(() => undefined);
    await client.until(() => processesWith("47.5").length > 0, "the command");
    client.process.child.kill("SIGKILL");
    await client.process.child.exited;
  }
  for (const { pid } of processesWith("47.5")) process.kill(pid, "SIGKILL");
  await using client = await openAgent("stdio", options);
  await client.initialize();
  await client.request("session/load", { sessionId, cwd: project.path, mcpServers: [] });
  await commandsOf(client, sessionId);
  expect(client.text(sessionId, "user_message_chunk")).toBe("Check the network");
  expect(client.text(sessionId)).toBe("Two things.");
  expect(client.toolCalls(sessionId).map(({ title, status }) => [title, status])).toEqual([
    ["Read main.tf", "completed"],
    ["sleep 47.5", "failed"],
  ]);
  expect((await client.prompt(sessionId, "What happened?"))["stopReason"]).toBe("end_turn");
  expectGolden("killed-and-loaded", toTranscript(client.log, namesOf(project)));
  client.assertConformant();
  model.assertValid();
});

test("story: a cancel while a command sleeps is answered within a second and leaves no process", async () => {
  await using project = await tempDir({ "main.tf": MAIN_TF });
  await using model = await fakeModel([toolCall("bash", { command: "sleep 48.5 & sleep 48.5" })]);
  await using client = await openAgent("stdio", { env: model.env() });
  answerPermissions(client, "allow_once");
  const sessionId = await openSession(client, project.path);
  const prompt = client.prompt(sessionId, "Wait");
  await client.until(() => processesWith("sleep 48.5").length >= 2, "the commands");
  const started = performance.now();
  await client.notify("session/cancel", { sessionId });
  expect((await prompt)["stopReason"]).toBe("cancelled");
  expect(performance.now() - started).toBeLessThan(1_000);
  await client.until(() => processesWith("48.5").length === 0, "the commands to end");
  expectGolden("cancelled", toTranscript(client.log, namesOf(project)));
});

test("story: stdin ends while a question is open: it is denied, the program ends with 0, and the session loads", async () => {
  await using project = await tempDir({ "main.tf": MAIN_TF });
  await using home = await tempDir();
  await using model = await fakeModel([
    toolCall("bash", { command: "touch made" }),
    text("Again."),
  ]);
  const options = { env: model.env(), home: home.path };
  let sessionId = "";
  {
    await using client = await openAgent("stdio", options);
    client.handlers["session/request_permission"] = () => NO_ANSWER;
    sessionId = await openSession(client, project.path);
    client.prompt(sessionId, "Touch").catch(() => undefined);
    await client.until(
      () => client.log.some(({ message }) => message["method"] === "session/request_permission"),
      "the question",
    );
    await client.process.child.stdin.end();
    expect(await client.process.child.exited).toBe(0);
  }
  expect(await Bun.file(project.file("made")).exists()).toBe(false);
  await using client = await openAgent("stdio", options);
  await client.initialize();
  await client.request("session/load", { sessionId, cwd: project.path });
  expect(client.toolCalls(sessionId).map(({ status }) => status)).toEqual(["failed"]);
  expect((await client.prompt(sessionId, "Again"))["stopReason"]).toBe("end_turn");
  model.assertValid();
});
