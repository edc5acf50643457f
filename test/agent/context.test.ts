// What the model is told over the life of a session, through the real program: a shared prefix, /compact, /clear, a
// compaction that outlives the process.

import { expect, test } from "bun:test";
import { COMPACTION_PREFIX } from "../../src/conversation/from-events.ts";
import { type AcpClient, answerPermissions, openAgent } from "../support/acp-client.ts";
import {
  type FakeModel,
  type FakeRequest,
  fakeModel,
  text,
  toolCall,
} from "../support/fake-model.ts";
import { tempDir } from "../support/temp-dir.ts";

const FILES = { "main.tf": 'resource "terraform_data" "x" {\n  input = "one"\n}\n' };
const isSummary = (request: FakeRequest): boolean => request.toolNames.length === 0;
const openFor = (model: FakeModel, home?: string): Promise<AcpClient & AsyncDisposable> =>
  openAgent("stdio", { env: model.env(), ...(home === undefined ? {} : { home }) });
const contents = (request: FakeRequest | undefined): unknown[] =>
  (request?.messages ?? []).slice(1).map(({ content }) => content);

/** Everything of a body up to the end of its last message, and what stands behind the messages. */
function split(raw: string): { readonly head: string; readonly tail: string } {
  const { messages, ...others } = JSON.parse(raw) as { messages: unknown[] };
  const list = JSON.stringify(messages);
  const at = raw.indexOf(list);
  expect(at).toBeGreaterThan(0);
  expect(Object.keys(others).length).toBeGreaterThan(0);
  return { head: raw.slice(0, at + list.length - 1), tail: raw.slice(at + list.length - 1) };
}

test("consecutive requests share their prefix byte by byte up to the new messages, also after a restart", async () => {
  await using project = await tempDir({ ...FILES, "AGENTS.md": "Write short names.\n" });
  await using home = await tempDir();
  await using model = await fakeModel([
    toolCall("read_file", { path: "main.tf" }, { text: "I look.", thought: "Hm." }),
    toolCall("edit_file", { path: "main.tf", old_string: '"one"', new_string: '"two"' }),
    text("Done. Segundo: ação 完成"),
    toolCall("bash", { command: "ls" }),
    text("Listed."),
    text("Again."),
  ]);
  let sessionId: string;
  {
    await using client = await openFor(model, home.path);
    answerPermissions(client, "allow_once");
    sessionId = await client.newSession(project.path);
    await client.prompt(sessionId, "Change one to two");
    await client.prompt(sessionId, "List the files");
  }
  {
    await using client = await openFor(model, home.path);
    await client.initialize();
    await client.request("session/load", { sessionId, cwd: project.path, mcpServers: [] });
    await client.prompt(sessionId, "And again");
  }
  expect(model.requests).toHaveLength(6);
  const bodies = model.requests.map(({ raw }) => split(raw));
  for (const [index, { head, tail }] of bodies.entries()) {
    const before = bodies[index - 1];
    if (before === undefined) continue;
    expect(head.slice(0, before.head.length)).toBe(before.head);
    expect(tail).toBe(before.tail);
  }
  model.assertValid();
});

test("/compact puts a summary in place, and it outlives kill -9", async () => {
  await using project = await tempDir(FILES);
  await using home = await tempDir();
  await using model = await fakeModel([], {
    fallback: (request) => (isSummary(request) ? text("They greeted.") : text("Hello.")),
  });
  let sessionId: string;
  {
    await using client = await openFor(model, home.path);
    sessionId = await client.newSession(project.path);
    for (const words of ["One", "Two", "Three"]) await client.prompt(sessionId, words);
    expect((await client.prompt(sessionId, "/compact"))["stopReason"]).toBe("end_turn");
    expect(client.text(sessionId)).toContain("summarised");
    client.process.child.kill("SIGKILL");
    await client.process.child.exited;
  }
  await using client = await openFor(model, home.path);
  await client.initialize();
  await client.request("session/load", { sessionId, cwd: project.path, mcpServers: [] });
  // Everything that was said is still shown.
  expect(client.text(sessionId, "user_message_chunk")).toBe("OneTwoThree/compact");
  expect(client.text(sessionId)).toContain("summarised");
  await client.prompt(sessionId, "Four");
  const told = contents(model.requests.at(-1));
  expect(String(told[0])).toStartWith(`${COMPACTION_PREFIX}They greeted.`);
  expect(told.join()).not.toContain("One");
  expect(String(told.at(-1))).toEndWith("Four");
  model.assertValid();
});

test("/compact of an empty session says that there is nothing", async () => {
  await using project = await tempDir(FILES);
  await using model = await fakeModel();
  await using client = await openFor(model);
  const sessionId = await client.newSession(project.path);
  await client.prompt(sessionId, "/compact");
  expect(client.text(sessionId)).toBe("There is nothing to summarise yet.");
  expect(model.requests).toHaveLength(0);
});

test("session/cancel during a compaction ends it at once and changes nothing", async () => {
  await using project = await tempDir(FILES);
  await using model = await fakeModel([], {
    fallback: (request) =>
      isSummary(request) ? text("a b c", { hold: new Promise(() => undefined) }) : text("Hello."),
  });
  await using client = await openFor(model);
  const sessionId = await client.newSession(project.path);
  for (const words of ["One", "Two"]) await client.prompt(sessionId, words);
  const compacting = client.prompt(sessionId, "/compact");
  await model.received(3);
  const started = performance.now();
  await client.notify("session/cancel", { sessionId });
  expect((await compacting)["stopReason"]).toBe("cancelled");
  expect(performance.now() - started).toBeLessThan(1_000);
  expect(client.text(sessionId)).not.toContain("nothing to summarise");
  await client.prompt(sessionId, "Three");
  expect(contents(model.requests.at(-1))).toEqual(["One", "Hello.", "Two", "Hello.", "Three"]);
  model.assertValid();
});

test("/clear lets the model start afresh, and the client keeps what was said", async () => {
  await using project = await tempDir(FILES);
  await using home = await tempDir();
  await using model = await fakeModel([], { fallback: text("Hello.") });
  let sessionId: string;
  {
    await using client = await openFor(model, home.path);
    sessionId = await client.newSession(project.path);
    await client.prompt(sessionId, "The code word is swordfish");
    await client.prompt(sessionId, "/clear");
    await client.prompt(sessionId, "What was it?");
  }
  await using client = await openFor(model, home.path);
  await client.initialize();
  await client.request("session/load", { sessionId, cwd: project.path, mcpServers: [] });
  await client.prompt(sessionId, "And now?");
  for (const request of model.requests.slice(1)) {
    expect(contents(request).join()).not.toContain("swordfish");
    expect(contents(request).join()).toContain("What was it?");
  }
  expect(client.text(sessionId, "user_message_chunk")).toContain("swordfish");
  model.assertValid();
});
