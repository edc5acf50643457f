// Where a path really leads, as a session decides about it: siblings with a shared prefix, links, folders that vanish,
// names that other tools would expand.

import { expect } from "bun:test";
import { rm, symlink } from "node:fs/promises";
import { type Json, answerPermissions } from "../support/acp-client.ts";
import { text, toolCall } from "../support/fake-model.ts";
import { failure } from "./failure.ts";
import { expectWholeCalls, told } from "./tool-calls.ts";
import { onStdio, verifies } from "./verifies.ts";

const read = (path: string) => toolCall("read_file", { path });

onStdio(
  "path/containment: a sibling with the same prefix, a path through .. and a link all count as outside",
  { files: { "app/a.tf": "a\n", "app-evil/x": "evil\n" } },
  async (scene) => {
    const { client, project, model } = scene;
    await symlink(project.file("app-evil"), project.file("app/link"));
    const outside = [project.file("app-evil/x"), "../app-evil/x", "link/x"];
    model.push(
      read("a.tf"),
      ...outside.map(read),
      toolCall("write_file", { path: "../app-evil/new", content: "x" }),
      toolCall("write_file", { path: "link/new", content: "x" }),
      toolCall("grep", { pattern: "evil", path: "../app-evil" }),
      toolCall("bash", { command: "cat link/x" }),
      text("Done."),
    );
    const sessionId = await client.newSession(project.file("app"));
    const asked = answerPermissions(client, "reject_once");
    await client.prompt(sessionId, "Look around");
    expect(asked).toHaveLength(7);
    for (const params of asked) {
      expect(JSON.stringify(params)).toContain("outside the project");
      const kinds = (params["options"] as Json[]).map(({ kind }) => kind);
      expect(kinds).not.toContain("allow_always");
    }
    expect(JSON.stringify(model.requests.map(({ raw }) => raw))).not.toContain("1\\\\\\\\tevil");
    expect(await Bun.file(project.file("app-evil/new")).exists()).toBe(false);
    expectWholeCalls(client, sessionId);
  },
);

onStdio(
  "path/gone: a directory that vanished makes calls fail with a reason, not the session",
  {
    replies: [read("a.tf"), toolCall("bash", { command: "pwd" }), text("It is gone.")],
    files: { "app/a.tf": "a\n" },
  },
  async ({ client, project, model }) => {
    const sessionId = await client.newSession(project.file("app"));
    await rm(project.file("app"), { recursive: true });
    answerPermissions(client, "allow_once");
    expect((await client.prompt(sessionId, "Look"))["stopReason"]).toBe("end_turn");
    expect(told(model, 1)).toContain("does not exist");
    expect(told(model, 2)).toContain("could not be run");
    expectWholeCalls(client, sessionId);
  },
);

verifies("path/windows", {}, async ({ client, project }) => {
  await client.initialize();
  for (const cwd of ["d:\\x", "D:/x", "\\\\srv\\share", "/mnt/c/no-such-folder"]) {
    const error = await failure(client.request("session/new", { cwd }));
    expect([cwd, error.code]).toEqual([cwd, -32602]);
  }
  expect((await client.request("session/new", { cwd: project.path }))["sessionId"]).toBeString();
});

const NAMES = ["modules/[prod]/main.tf", "a b/c.tf", "-rf.tf", "$(id).tf", "'q'.tf", "*.tf"];
onStdio(
  "path/literal: names with glob characters, spaces, dashes and quotes are taken literally",
  {
    files: Object.fromEntries(NAMES.map((name) => [name, "one\n"])),
    replies: [
      ...NAMES.flatMap((path) => [
        read(path),
        toolCall("edit_file", { path, old_string: "one", new_string: `two` }),
      ]),
      toolCall("glob", { pattern: "modules/\\[prod\\]/*.tf" }),
      toolCall("grep", { pattern: "-e|--files|two", path: "-rf.tf", output: "count" }),
      text("Done."),
    ],
    config: { mode: "accept_edits" },
  },
  async ({ client, project, model }) => {
    const sessionId = await client.newSession(project.path);
    const asked = answerPermissions(client, "reject_once");
    await client.prompt(sessionId, "Edit them all");
    expect(asked).toEqual([]);
    for (const name of NAMES) expect(await Bun.file(project.file(name)).text()).toBe("two\n");
    expect(told(model, NAMES.length * 2 + 1)).toContain("modules/[prod]/main.tf");
    expect(client.toolCalls(sessionId).every(({ status }) => status === "completed")).toBe(true);
  },
);
