// What the client sees of a call: the card before, while and after it runs, the diff, and never half of either.

import { expect } from "bun:test";
import { writeFile } from "node:fs/promises";
import { type Json, NO_ANSWER, answerPermissions } from "../support/acp-client.ts";
import {
  DONE,
  type FakeMessage,
  type FakeRequest,
  calls,
  chatEvent,
  chunks,
  say,
  text,
  toolCall,
} from "../support/fake-model.ts";
import { expectWholeCalls, questions, selected, told } from "./tool-calls.ts";
import { onStdio, verifies } from "./verifies.ts";

const cardsOf = (updates: readonly Json[]) =>
  updates.filter(({ sessionUpdate }) => sessionUpdate === "tool_call");

verifies(
  "card/command",
  {
    replies: [
      toolCall("bash", { command: "echo  hello\nmkdir made", description: "Say hello" }),
      text("Said."),
    ],
  },
  async ({ client, project }) => {
    const sessionId = await client.newSession(project.path);
    const asked = answerPermissions(client, "allow_once");
    await client.prompt(sessionId, "Say it");
    const expected = {
      title: "echo hello mkdir made",
      kind: "execute",
      rawInput: { command: "echo  hello\nmkdir made", description: "Say hello" },
    };
    expect(cardsOf(client.updates(sessionId))).toEqual([expect.objectContaining(expected)]);
    expect(asked[0]?.["toolCall"]).toMatchObject(expected);
  },
);

const READ = ["old.txt", "many.txt", "empty.txt", "end.txt"].map((path) => ({
  name: "read_file",
  args: { path },
}));
verifies(
  "card/diff",
  {
    files: { "old.txt": "old\n", "many.txt": "a\nb\na\n", "empty.txt": "", "end.txt": "end\n" },
    replies: [
      calls(READ),
      toolCall("write_file", { path: "new.txt", content: "new\n" }),
      toolCall("write_file", { path: "old.txt", content: "other\n" }),
      toolCall("edit_file", {
        path: "many.txt",
        old_string: "a",
        new_string: "c",
        replace_all: true,
      }),
      toolCall("edit_file", { path: "empty.txt", old_string: "", new_string: "x\n" }),
      toolCall("edit_file", { path: "end.txt", old_string: "end\n", new_string: "end" }),
      text("Done."),
    ],
  },
  async ({ client, project }) => {
    const sessionId = await client.newSession(project.path);
    const asked = answerPermissions(client, "allow_once");
    await client.prompt(sessionId, "Edit");
    const diffs = [
      { path: "new.txt", newText: "new\n" },
      { path: "old.txt", oldText: "old\n", newText: "other\n" },
      { path: "many.txt", oldText: "a\nb\na\n", newText: "c\nb\nc\n" },
      { path: "empty.txt", oldText: "", newText: "x\n" },
      { path: "end.txt", oldText: "end\n", newText: "end" },
    ].map((diff) => [{ type: "diff", ...diff, path: project.file(diff.path) }]);
    const withoutNull = (content: unknown) =>
      (content as Json[]).map(({ oldText, ...rest }) =>
        typeof oldText === "string" ? { ...rest, oldText } : rest,
      );
    expect(asked.map((params) => withoutNull((params["toolCall"] as Json)["content"]))).toEqual(
      diffs as never,
    );
    const done = client.toolCalls(sessionId).slice(READ.length);
    expect(done.map(({ content }) => withoutNull(content))).toEqual(diffs as never);
  },
);

/** One call whose arguments come in pieces. */
const pieces = (name: string, parts: readonly string[]) =>
  chunks([
    ...parts.map((piece, index) =>
      chatEvent({
        tool_calls: [
          index === 0
            ? { index: 0, id: "c1", type: "function", function: { name, arguments: piece } }
            : { index: 0, function: { arguments: piece } },
        ],
      }),
    ),
    chatEvent({}, "tool_calls"),
    DONE,
  ]);
verifies(
  "card/complete-arguments",
  { replies: [pieces("read_file", ['{"path":"ma', "in", '.tf"}']), text("Read.")] },
  async ({ client, project }) => {
    const sessionId = await client.newSession(project.path);
    await client.prompt(sessionId, "Read");
    const rows = client
      .updates(sessionId)
      .filter(({ sessionUpdate }) => String(sessionUpdate).startsWith("tool_call"));
    expect(rows[0]).toMatchObject({ title: "Read main.tf", rawInput: { path: "main.tf" } });
    const places = rows.flatMap(({ locations }) => (locations as Json[] | undefined) ?? []);
    expect(places.length).toBeGreaterThan(0);
    for (const { path } of places) expect(path).toBe(project.file("main.tf"));
  },
);

onStdio(
  "card/ends: every tool ends in exactly one status with content, however it ends",
  {
    replies: [
      calls([
        { name: "fly", args: {} },
        { name: "read_file", args: {} },
        { name: "read_file", args: { path: "none.tf" } },
        { name: "list_files", args: { path: "." } },
        { name: "glob", args: { pattern: "*.tf" } },
        { name: "grep", args: { pattern: "(" } },
        { name: "write_file", args: { path: "a.tf", content: "a\n" } },
        { name: "edit_file", args: { path: "main.tf", old_string: "q", new_string: "r" } },
        { name: "bash", args: { command: "mkdir d", timeout_ms: 60_000 } },
        { name: "bash", args: { command: "sleep 60", timeout_ms: 100 } },
        { name: "bash", args: { command: "exit 3" } },
        { name: "web_fetch", args: { url: "http://127.0.0.1:9/" } },
        { name: "iac_map", args: { query: "summary" } },
        { name: "iac_validate", args: {} },
        { name: "agent", args: { prompt: "Go", description: "go" } },
      ]),
      text("Nothing more."),
      text("Done."),
    ],
  },
  async ({ client, project }) => {
    const sessionId = await client.newSession(project.path);
    let questionsLeft = 0;
    client.handlers["session/request_permission"] = () => {
      questionsLeft += 1;
      return selected(questionsLeft % 2 === 0 ? "reject_once" : "allow_once");
    };
    await client.prompt(sessionId, "Everything");
    expectWholeCalls(client, sessionId);
    expect(client.toolCalls(sessionId)).toHaveLength(15);
  },
);

verifies(
  "card/ends-cancelled",
  {
    replies: [
      say({
        text: "Three.",
        calls: [
          { name: "bash", args: { command: "sleep 615.5" } },
          { name: "bash", args: { command: "mkdir a" } },
          { name: "bash", args: { command: "mkdir b" } },
        ],
      }),
    ],
  },
  async ({ client, project }) => {
    const sessionId = await client.newSession(project.path);
    const prompt = client.prompt(sessionId, "Three");
    await client.untilUpdate(sessionId, ({ status }) => status === "in_progress");
    await client.notify("session/cancel", { sessionId });
    expect((await prompt)["stopReason"]).toBe("cancelled");
    expectWholeCalls(client, sessionId);
    expect(client.toolCalls(sessionId).map(({ status }) => status)).toEqual([
      "failed",
      "failed",
      "failed",
    ]);
    // The same in the replay: nothing spins for ever.
    const before = client.log.length;
    await client.request("session/load", { sessionId, cwd: project.path });
    const replayed = client.log.slice(before).flatMap(({ message }) => {
      const update = ((message["params"] ?? {}) as Json)["update"] as Json | undefined;
      return update?.["status"] === undefined ? [] : [update["status"]];
    });
    expect(replayed.filter((status) => status === "failed")).toHaveLength(3);
  },
);

verifies(
  "card/changed-meanwhile",
  {
    replies: [
      toolCall("read_file", { path: "main.tf" }),
      toolCall("write_file", { path: "main.tf", content: "mine\n" }),
      text("I saw it."),
    ],
    files: { "main.tf": "old\n" },
  },
  async ({ client, project, model }) => {
    const sessionId = await client.newSession(project.path);
    client.handlers["session/request_permission"] = async () => {
      await writeFile(project.file("main.tf"), "new\n");
      return selected("allow_once");
    };
    await client.prompt(sessionId, "Write");
    expect(await Bun.file(project.file("main.tf")).text()).toBe("new\n");
    expect(told(model, 2)).toContain("was changed by somebody else");
    expect(told(model, 2)).toContain("1\tnew");
    expectWholeCalls(client, sessionId);
  },
);

verifies(
  "card/live-output",
  { replies: [toolCall("bash", { command: "echo https://login.example/x; sleep 61.75" })] },
  async ({ client, project }) => {
    const sessionId = await client.newSession(project.path);
    const prompt = client.prompt(sessionId, "Log in");
    await client.untilUpdate(
      sessionId,
      (update) =>
        update["status"] === "in_progress" &&
        JSON.stringify(update["content"] ?? "").includes("https://login.example/x"),
    );
    await client.notify("session/cancel", { sessionId });
    await prompt;
  },
);

const CHILD_WRITES = [
  toolCall("agent", { prompt: "Write x.tf", description: "write a file" }),
  toolCall("write_file", { path: "x.tf", content: "# x\n" }),
];
verifies(
  "subagent/rejected",
  { replies: [...CHILD_WRITES, text("I may not."), text("It may not.")] },
  async ({ client, project, model }) => {
    const sessionId = await client.newSession(project.path);
    client.handlers["session/request_permission"] = ({ toolCall: call }) =>
      selected((call as Json)["name"] === "agent" ? "allow_once" : "reject_once");
    expect((await client.prompt(sessionId, "Delegate"))["stopReason"]).toBe("end_turn");
    expect(told(model, 2)).toBe("Permission denied.");
    expect(await Bun.file(project.file("x.tf")).exists()).toBe(false);
    expectWholeCalls(client, sessionId);
  },
);

verifies(
  "subagent/cancelled",
  { replies: [...CHILD_WRITES, ...CHILD_WRITES, text("Never.")] },
  async ({ client, project }) => {
    const sessionId = await client.newSession(project.path);
    client.handlers["session/request_permission"] = ({ toolCall: call }) =>
      (call as Json)["name"] === "agent"
        ? selected("allow_once")
        : { outcome: { outcome: "cancelled" } };
    expect((await client.prompt(sessionId, "Delegate"))["stopReason"]).toBe("cancelled");
    client.handlers["session/request_permission"] = ({ toolCall: call }) =>
      (call as Json)["name"] === "agent" ? selected("allow_once") : NO_ANSWER;
    const prompt = client.prompt(sessionId, "Delegate");
    const open = await client.until(() => questions(client)[3], "the child's question");
    await client.notify("session/cancel", { sessionId });
    expect((await prompt)["stopReason"]).toBe("cancelled");
    await client.send({ jsonrpc: "2.0", id: open.id, result: selected("allow_once") });
    expect(await Bun.file(project.file("x.tf")).exists()).toBe(false);
    expectWholeCalls(client, sessionId);
  },
);

/** Answers the session and its two children, which run side by side, by what each was told. */
function three({ messages }: FakeRequest): FakeMessage {
  const told = JSON.stringify(messages);
  const results = messages.filter(({ role }) => role === "tool").length;
  if (told.includes("Delegate twice"))
    return results > 0
      ? text("Both are done.")
      : calls([
          { name: "agent", args: { prompt: "Wipe by a script", description: "one" } },
          { name: "agent", args: { prompt: "Write y.tf", description: "two" } },
        ]);
  const steps = told.includes("Wipe by a script")
    ? [
        toolCall("write_file", { path: "wipe.sh", content: "rm -r data\n" }),
        toolCall("bash", { command: "bash wipe.sh" }),
      ]
    : [toolCall("write_file", { path: "y.tf", content: "# y\n" })];
  return steps[results] ?? text("Done.");
}
verifies(
  "subagent/two",
  { replies: Array.from({ length: 7 }, () => three), files: { "data/a": "a" } },
  async ({ client, project, another }) => {
    const sessionId = await client.newSession(project.path);
    const asked: Json[] = [];
    client.handlers["session/request_permission"] = (params) => {
      asked.push(params);
      const { name } = params["toolCall"] as Json;
      return selected(name === "bash" ? "reject_once" : "allow_once");
    };
    await client.prompt(sessionId, "Delegate twice");
    const named = asked.map((params) => {
      const { title, _meta } = params["toolCall"] as Json;
      return [title, _meta !== undefined, params["sessionId"] === sessionId];
    });
    expect(named.toSorted(([a], [b]) => (String(a) < String(b) ? -1 : 1))).toEqual([
      ["Sub-agent: one", false, true],
      ["Sub-agent: two", false, true],
      ["Write wipe.sh", true, true],
      ["Write y.tf", true, true],
      ["bash wipe.sh", true, true],
    ]);
    const script = asked.find((params) => JSON.stringify(params).includes("bash wipe.sh"));
    expect(JSON.stringify(script)).toContain("rm -r data");
    expect(await Bun.file(project.file("data/a")).exists()).toBe(true);
    expect(await Bun.file(project.file("y.tf")).exists()).toBe(true);
    expectWholeCalls(client, sessionId);
    // What the children did is in the store, and named as theirs.
    const second = await another();
    await second.initialize();
    await second.request("session/load", { sessionId, cwd: project.path });
    const replayed = second
      .toolCalls(sessionId)
      .map(({ title, status, _meta }) => [title, status, _meta !== undefined]);
    expect(replayed).toContainEqual(["bash wipe.sh", "failed", true]);
    expect(replayed).toContainEqual(["Write y.tf", "completed", true]);
  },
);
