// Tool calls, permissions, sub-agents, and what is delegated to the client.

import { expect } from "bun:test";
import { readFile } from "node:fs/promises";
import { type Json, answerPermissions } from "../support/acp-client.ts";
import { type FakeMessage, calls, text, toolCall } from "../support/fake-model.ts";
import { verifies } from "./verifies.ts";

const EDIT: readonly FakeMessage[] = [
  toolCall("read_file", { path: "main.tf" }),
  toolCall("edit_file", { path: "main.tf", old_string: '"one"', new_string: '"two"' }),
  text("Edited."),
];
const OPTIONS = ["allow_once", "allow_always", "reject_once", "reject_always"];
const toldLast = (messages: readonly Json[] | undefined) => String(messages?.at(-1)?.["content"]);

verifies("tool/lifecycle", { replies: EDIT }, async ({ client, project }) => {
  const sessionId = await client.newSession(project.path);
  answerPermissions(client, "allow_once");
  await client.prompt(sessionId, "Edit");
  const rows = client
    .updates(sessionId)
    .filter(({ sessionUpdate }) => String(sessionUpdate).startsWith("tool_call"));
  const [read, edit] = [...new Set(rows.map(({ toolCallId }) => toolCallId))].map((id) =>
    rows.filter(({ toolCallId }) => toolCallId === id),
  );
  expect(read?.map(({ sessionUpdate, status }) => [sessionUpdate, status])).toEqual([
    ["tool_call", "in_progress"],
    ["tool_call_update", "in_progress"],
    ["tool_call_update", "completed"],
  ]);
  expect(edit?.map(({ status }) => status)).toEqual(["pending", "in_progress", "completed"]);
  expect(read?.[0]).toMatchObject({
    title: "Read main.tf",
    kind: "read",
    rawInput: { path: "main.tf" },
    locations: [{ path: project.file("main.tf") }],
  });
  expect(read?.[1]).toMatchObject({ rawInput: { path: "main.tf" } });
  for (const rowsOfCall of [read, edit]) expect(rowsOfCall?.at(-1)?.["content"]).not.toEqual([]);
});

verifies(
  "tool/parallel",
  {
    replies: [
      calls(["a.tf", "b.tf", "c.tf"].map((path) => ({ name: "read_file", args: { path } }))),
      text("Three read."),
    ],
    files: { "a.tf": "# A\n", "b.tf": "# B\n", "c.tf": "# C\n" },
  },
  async ({ client, project, model }) => {
    const sessionId = await client.newSession(project.path);
    await client.prompt(sessionId, "Read three");
    const results = model.requests[1]?.messages
      .filter(({ role }) => role === "tool")
      .map(({ content }) => String(content));
    expect(results?.map((one) => ["# A", "# B", "# C"].find((mark) => one.includes(mark)))).toEqual(
      ["# A", "# B", "# C"],
    );
  },
);

verifies(
  "tool/unknown",
  {
    replies: [
      toolCall("fly", {}),
      toolCall("write_file", { path: 5 }),
      toolCall("bash", '{"command":"echo "hi""}'),
      text("I see."),
    ],
  },
  async ({ client, project, model }) => {
    const sessionId = await client.newSession(project.path);
    const asked = answerPermissions(client, "allow_once");
    await client.prompt(sessionId, "Try");
    expect(asked).toEqual([]);
    expect(client.toolCalls(sessionId).map(({ status }) => status)).toEqual([
      "failed",
      "failed",
      "failed",
    ]);
    expect(toldLast(model.requests[1]?.messages)).toContain("no tool named");
    expect(toldLast(model.requests[2]?.messages)).toContain("Invalid arguments for write_file");
    expect(toldLast(model.requests[3]?.messages)).toContain("not valid JSON");
  },
);

verifies("permission/allow", { replies: EDIT }, async ({ client, project }) => {
  const sessionId = await client.newSession(project.path);
  const asked = answerPermissions(client, "allow_once");
  await client.prompt(sessionId, "Edit");
  expect(asked).toHaveLength(1);
  const { toolCall: question, options } = asked[0] as { toolCall: Json; options: Json[] };
  expect(options.map(({ optionId, kind }) => [optionId, kind])).toEqual(
    OPTIONS.map((id) => [id, id]),
  );
  expect(question).toMatchObject({
    kind: "edit",
    status: "pending",
    rawInput: { path: "main.tf" },
  });
  const diff = (question["content"] as Json[]).find(({ type }) => type === "diff");
  expect(diff).toMatchObject({
    path: project.file("main.tf"),
    oldText: expect.stringContaining('"one"'),
    newText: expect.stringContaining('"two"'),
  });
  expect(await readFile(project.file("main.tf"), "utf8")).toBe(
    'resource "terraform_data" "x" {\n  input = "two"\n}\n',
  );
});

verifies("permission/reject", { replies: EDIT }, async ({ client, project, model }) => {
  const sessionId = await client.newSession(project.path);
  answerPermissions(client, "reject_once");
  expect((await client.prompt(sessionId, "Edit"))["stopReason"]).toBe("end_turn");
  expect(await readFile(project.file("main.tf"), "utf8")).toContain('"one"');
  expect(toldLast(model.requests[2]?.messages)).toBe("Permission denied.");
  expect(client.toolCalls(sessionId).map(({ status }) => status)).toEqual(["completed", "failed"]);
});

verifies(
  "permission/flat",
  {
    replies: [...EDIT, toolCall("write_file", { path: "new.tf", content: "# new\n" }), text("No.")],
  },
  async ({ client, project }) => {
    const sessionId = await client.newSession(project.path);
    client.handlers["session/request_permission"] = () => ({
      outcome: "allowed",
      option_id: "allow_once",
    });
    await client.prompt(sessionId, "Edit");
    expect(await readFile(project.file("main.tf"), "utf8")).toContain('"two"');
    client.handlers["session/request_permission"] = () => ({ outcome: "denied" });
    await client.prompt(sessionId, "Write");
    expect(await Bun.file(project.file("new.tf")).exists()).toBe(false);
  },
);

const write = (path: string) => toolCall("write_file", { path, content: "# x\n" });
verifies(
  "permission/always",
  { replies: [write("a.tf"), write("b.tf"), text("Two."), write("c.tf"), text("Three.")] },
  async ({ client, project }) => {
    const sessionId = await client.newSession(project.path);
    const asked = answerPermissions(client, "allow_always");
    await client.prompt(sessionId, "Write two");
    expect(asked).toHaveLength(1);
    const { sessionId: second } = await client.request("session/new", { cwd: project.path });
    await client.prompt(String(second), "Write a third");
    expect(asked).toHaveLength(2);
    expect(String((asked[0] as { options: Json[] }).options[1]?.["name"])).toContain(
      "in this session",
    );
  },
);

verifies("permission/cancelled", { replies: EDIT }, async ({ client, project, model }) => {
  const sessionId = await client.newSession(project.path);
  client.handlers["session/request_permission"] = () => ({ outcome: { outcome: "cancelled" } });
  expect((await client.prompt(sessionId, "Edit"))["stopReason"]).toBe("cancelled");
  expect(model.requests).toHaveLength(2);
  expect(client.toolCalls(sessionId).map(({ status }) => status)).toEqual(["completed", "failed"]);
});

const ANSWERS: readonly (() => unknown)[] = [
  () => ({ outcome: { outcome: "selected", optionId: "allow_everything" } }),
  () => ({}),
  () => "yes",
  () => {
    throw Object.assign(new Error("no"), { code: -32603 });
  },
  () => ({ outcome: { outcome: "selected", optionId: "reject_once" } }),
];
verifies(
  "permission/malformed",
  { replies: [...ANSWERS.flatMap((_, n) => [write(`${n}.tf`)]), text("Nothing.")] },
  async ({ client, project }) => {
    const sessionId = await client.newSession(project.path);
    const left = [...ANSWERS];
    client.handlers["session/request_permission"] = () => left.shift()?.();
    await client.prompt(sessionId, "Write");
    expect(client.toolCalls(sessionId).map(({ status }) => status)).toEqual(
      ANSWERS.map(() => "failed"),
    );
    for (const [n] of ANSWERS.entries())
      expect(await Bun.file(project.file(`${n}.tf`)).exists()).toBe(false);
  },
);

verifies(
  "permission/mode",
  { replies: [write("a.tf"), text("Made."), write("b.tf"), text("Not made.")] },
  async ({ client, project, model }) => {
    const sessionId = await client.newSession(project.path);
    const asked = answerPermissions(client, "reject_once");
    await client.request("session/set_mode", { sessionId, modeId: "accept_edits" });
    await client.prompt(sessionId, "Write a");
    expect(await Bun.file(project.file("a.tf")).exists()).toBe(true);
    await client.request("session/set_mode", { sessionId, modeId: "plan" });
    await client.prompt(sessionId, "Write b");
    expect(await Bun.file(project.file("b.tf")).exists()).toBe(false);
    expect(asked).toEqual([]);
    expect(toldLast(model.requests[3]?.messages)).toContain("Permission denied.");
  },
);

verifies(
  "subagent/gated",
  {
    replies: [
      toolCall("agent", { prompt: "Write x.tf", description: "write a file" }),
      write("x.tf"),
      text("I wrote x.tf."),
      text("The sub-agent is done."),
    ],
  },
  async ({ client, project, model }) => {
    const sessionId = await client.newSession(project.path);
    const asked = answerPermissions(client, "allow_once") as {
      sessionId: string;
      toolCall: Json;
    }[];
    await client.prompt(sessionId, "Delegate");
    expect(asked.map((question) => question.sessionId)).toEqual([sessionId, sessionId]);
    const parent = asked[0]?.toolCall["toolCallId"];
    expect(asked[1]?.toolCall["_meta"]).toEqual({ "iac-code/parentToolCallId": parent });
    const child = client.toolCalls(sessionId).find(({ title }) => String(title).includes("x.tf"));
    expect(child).toMatchObject({
      status: "completed",
      _meta: { "iac-code/parentToolCallId": parent },
    });
    expect(client.text(sessionId)).toBe("The sub-agent is done.");
    expect(toldLast(model.requests[3]?.messages)).toContain("I wrote x.tf.");
    expect(model.requests[1]?.toolNames).not.toContain("agent");
    expect(await Bun.file(project.file("x.tf")).exists()).toBe(true);
  },
);

verifies("client/fs", { replies: [...EDIT, ...EDIT] }, async ({ client, project, another }) => {
  const buffers: Record<string, string> = { [project.file("main.tf")]: 'unsaved = "one"\n' };
  const used: string[] = [];
  client.handlers["fs/read_text_file"] = ({ path }) => {
    used.push("read");
    return { content: buffers[String(path)] };
  };
  client.handlers["fs/write_text_file"] = ({ path, content }) => {
    used.push("write");
    buffers[String(path)] = String(content);
    return {};
  };
  answerPermissions(client, "allow_once");
  const sessionId = await client.newSession(project.path, {
    fs: { readTextFile: true, writeTextFile: true },
  });
  await client.prompt(sessionId, "Edit");
  expect(buffers[project.file("main.tf")]).toBe('unsaved = "two"\n');
  expect([...new Set(used)]).toEqual(["read", "write"]);
  const plain = await another();
  answerPermissions(plain, "allow_once");
  const plainId = await plain.newSession(project.path);
  await plain.prompt(plainId, "Edit");
  expect(plain.log.filter(({ message }) => String(message["method"]).startsWith("fs/"))).toEqual(
    [],
  );
  expect(await readFile(project.file("main.tf"), "utf8")).toContain('"two"');
});

verifies(
  "client/terminal",
  { replies: [toolCall("bash", { command: "echo from the terminal" }), text("Ran.")] },
  async ({ client, project, model }) => {
    const used: string[] = [];
    const note = (name: string, answer: Json) => {
      client.handlers[`terminal/${name}`] = () => {
        used.push(name);
        return answer;
      };
    };
    note("create", { terminalId: "t1" });
    note("wait_for_exit", { exitCode: 0 });
    note("output", {
      output: "from the client's terminal\n",
      truncated: false,
      exitStatus: { exitCode: 0 },
    });
    note("release", {});
    note("kill", {});
    answerPermissions(client, "allow_once");
    const sessionId = await client.newSession(project.path, { terminal: true });
    await client.prompt(sessionId, "Run");
    expect(used[0]).toBe("create");
    expect(used.at(-1)).toBe("release");
    expect(toldLast(model.requests[1]?.messages)).toContain("from the client's terminal");
    const embedded = client
      .updates(sessionId)
      .some(
        ({ content }) =>
          Array.isArray(content) &&
          content.some((item: Json) => item["type"] === "terminal" && item["terminalId"] === "t1"),
      );
    expect(embedded).toBe(true);
  },
);
