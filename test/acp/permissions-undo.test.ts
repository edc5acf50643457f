// /undo, as a user meets it: asked about with the diff, after a kill as well, and told to the model.

import { expect } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Json, answerPermissions } from "../support/acp-client.ts";
import { runCli } from "../support/run-cli.ts";
import { calls, text, toolCall } from "../support/fake-model.ts";
import { expectWholeCalls, selected, told } from "./tool-calls.ts";
import { onStdio, verifies } from "./verifies.ts";

const EDITS = [
  toolCall("read_file", { path: "main.txt" }),
  calls([
    { name: "edit_file", args: { path: "main.txt", old_string: "one", new_string: "two" } },
    { name: "write_file", args: { path: "new.txt", content: "new\n" } },
  ]),
  text("Edited."),
];
const FILES = { "main.txt": "one\n" };

verifies(
  "undo/asks",
  { replies: [...EDITS, text("I know.")], files: FILES, config: { mode: "accept_edits" } },
  async ({ client, project, model }) => {
    const sessionId = await client.newSession(project.path);
    const main = () => Bun.file(project.file("main.txt")).text();
    const asked = answerPermissions(client, "reject_once");
    await client.prompt(sessionId, "Edit");
    expect(asked).toEqual([]);
    await client.prompt(sessionId, "/undo");
    expect(asked).toHaveLength(1);
    const { toolCall: question, options } = asked[0] as { toolCall: Json; options: Json[] };
    expect(question["title"]).toBe("Undo the edits of the last turn in main.txt, new.txt");
    expect((question["content"] as Json[]).filter(({ type }) => type === "diff")).toEqual([
      { type: "diff", path: project.file("main.txt"), oldText: "two\n", newText: "one\n" },
      { type: "diff", path: project.file("new.txt"), oldText: "new\n", newText: "" },
    ]);
    expect(options.map(({ kind }) => kind)).not.toContain("allow_always");
    expect(await main()).toBe("two\n");
    client.handlers["session/request_permission"] = () => selected("allow_once");
    await client.prompt(sessionId, "/undo");
    expect(await main()).toBe("one\n");
    expect(existsSync(project.file("new.txt"))).toBe(false);
    expect(client.text(sessionId)).toContain("- main.txt: as it was before the turn");
    expect(client.text(sessionId)).toContain("What commands changed is not undone.");
    await client.prompt(sessionId, "What now?");
    expect(told(model, 3)).toContain("The user took back edits with /undo.");
    await client.prompt(sessionId, "/undo");
    expect(client.text(sessionId)).toContain("There is nothing to undo");
    expectWholeCalls(client, sessionId);
  },
);

verifies(
  "undo/survives",
  { replies: EDITS, files: FILES, config: {} },
  async ({ client, project, another }) => {
    const sessionId = await client.newSession(project.path);
    answerPermissions(client, "allow_once");
    await client.prompt(sessionId, "Edit");
    await client.request("session/close", { sessionId });
    const second = await another();
    answerPermissions(second, "allow_once");
    await second.initialize();
    await second.request("session/load", { sessionId, cwd: project.path });
    await second.prompt(sessionId, "/undo");
    expect(await Bun.file(project.file("main.txt")).text()).toBe("one\n");
    expect(existsSync(project.file("new.txt"))).toBe(false);
  },
);

onStdio(
  "undo/forgotten: what was kept for /undo goes with the session, however it is deleted",
  { replies: [...EDITS, ...EDITS], files: FILES, config: { mode: "accept_edits" } },
  async ({ client, project }) => {
    const folderOf = (id: string) => join(client.process.home, ".iac-code/sessions", `${id}-undo`);
    const first = await client.newSession(project.path);
    await client.prompt(first, "Edit");
    expect(existsSync(folderOf(first))).toBe(true);
    await client.request("session/delete", { sessionId: first });
    expect(existsSync(folderOf(first))).toBe(false);
    await client.request("session/delete", { sessionId: ".." });
    await Bun.write(project.file("main.txt"), "one\n");
    await Bun.$`rm ${project.file("new.txt")}`.quiet();
    const second = String(
      (await client.request("session/new", { cwd: project.path }))["sessionId"],
    );
    await client.prompt(second, "Edit");
    expect(existsSync(folderOf(second))).toBe(true);
    await runCli(["sessions", "delete", second], { home: client.process.home });
    expect(existsSync(folderOf(second))).toBe(false);
  },
);
