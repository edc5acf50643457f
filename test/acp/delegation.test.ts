// What is delegated to the client, on the wire: which calls go there, what its refusals mean, and that nothing stays open.

import { expect } from "bun:test";
import { readFile } from "node:fs/promises";
import { type AcpClient, NO_ANSWER, answerPermissions } from "../support/acp-client.ts";
import { text, toolCall } from "../support/fake-model.ts";
import { processesWith } from "../support/processes.ts";
import { expectWholeCalls, told } from "./tool-calls.ts";
import { type Scene, verifies } from "./verifies.ts";

const EDIT = [
  toolCall("read_file", { path: "main.tf" }),
  toolCall("edit_file", { path: "main.tf", old_string: '"one"', new_string: '"two"' }),
  text("Edited."),
];
const methodsOf = (client: AcpClient, kind: string) =>
  client.log.flatMap(({ from, message: { method } }) =>
    from === "agent" && String(method).startsWith(kind) ? [String(method)] : [],
  );

const fail = (code: number) => () => {
  throw Object.assign(new Error("Resource not found"), { code });
};
const editsWithout =
  (code: number) =>
  async ({ client, project }: Scene) => {
    const sessionId = await client.newSession(project.path, {
      fs: { readTextFile: true, writeTextFile: true },
    });
    client.handlers["fs/read_text_file"] = fail(code);
    client.handlers["fs/write_text_file"] = fail(code);
    answerPermissions(client, "allow_once");
    await client.prompt(sessionId, "Edit");
    expect(await readFile(project.file("main.tf"), "utf8")).toContain('"two"');
    expect(methodsOf(client, "fs/")).toContain("fs/write_text_file");
    expectWholeCalls(client, sessionId);
  };
verifies("client/fs-refuses", { replies: EDIT }, editsWithout(-32002));
verifies("client/fs-breaks", { replies: EDIT }, editsWithout(-32603));

verifies(
  "client/own-state",
  {
    replies: [
      toolCall("bash", { command: "seq 1 20000" }),
      ({ messages }) => {
        const path = /whole output is in (\S+?)\.\]/.exec(String(messages.at(-1)?.["content"]));
        return toolCall("read_file", { path: path?.[1] ?? "", offset: 19_999, limit: 1 });
      },
      ({ messages }) =>
        toolCall("bash", {
          command: `tail -n 1 ${/output is in (\S+?)\.\]/.exec(JSON.stringify(messages))?.[1] ?? ""}`,
        }),
      text("Read."),
    ],
  },
  async ({ client, project, model }) => {
    const sessionId = await client.newSession(project.path, {
      fs: { readTextFile: true, writeTextFile: true },
    });
    const asked = answerPermissions(client, "reject_once");
    await client.prompt(sessionId, "Count");
    expect(told(model, 2)).toStartWith("19999\t19999\n");
    expect(told(model, 3)).toBe("20000");
    expect(asked).toEqual([]);
    expect(methodsOf(client, "fs/")).toEqual([]);
  },
);

verifies(
  "client/none",
  {
    replies: [
      toolCall("bash", { command: "cat main.tf" }),
      toolCall("glob", { pattern: "*.tf" }),
      toolCall("grep", { pattern: "one", output: "content" }),
      ...EDIT,
    ],
  },
  async ({ client, project, model }) => {
    const sessionId = await client.newSession(project.path);
    answerPermissions(client, "allow_once");
    await client.prompt(sessionId, "Look");
    for (const index of [1, 2, 3]) expect(told(model, index)).toMatch(/one|main\.tf/);
    expect(await readFile(project.file("main.tf"), "utf8")).toContain('"two"');
    expect([...methodsOf(client, "fs/"), ...methodsOf(client, "terminal/")]).toEqual([]);
    expect(client.toolCalls(sessionId).every(({ status }) => status === "completed")).toBe(true);
  },
);

/** A client with terminals; `changed` replaces what it does for a method. */
function offerTerminal(client: AcpClient, changed: Readonly<Record<string, () => unknown>>): void {
  const answers: Record<string, () => unknown> = {
    create: () => ({ terminalId: "t1" }),
    wait_for_exit: () => ({ exitCode: 0 }),
    output: () => ({ output: "from the client\n", truncated: false }),
    kill: () => ({}),
    release: () => ({}),
    ...changed,
  };
  for (const [name, answer] of Object.entries(answers))
    client.handlers[`terminal/${name}`] = () => answer();
}

verifies(
  "client/terminal-fails",
  { replies: [toolCall("bash", { command: "echo here" }), text("Ran.")] },
  async ({ client, project, model }) => {
    offerTerminal(client, { wait_for_exit: fail(-32603) });
    const sessionId = await client.newSession(project.path, { terminal: true });
    await client.prompt(sessionId, "Run");
    expect(methodsOf(client, "terminal/")).toEqual(
      ["create", "wait_for_exit", "kill", "output", "release"].map((name) => `terminal/${name}`),
    );
    expect(told(model, 1)).toContain("from the client");
    expectWholeCalls(client, sessionId);
  },
);

verifies(
  "client/terminal-cancel",
  { replies: [toolCall("bash", { command: "sleep 600" })] },
  async ({ client, project }) => {
    offerTerminal(client, { wait_for_exit: () => NO_ANSWER });
    const sessionId = await client.newSession(project.path, { terminal: true });
    const prompt = client.prompt(sessionId, "Run");
    await client.until(() => methodsOf(client, "terminal/").includes("terminal/wait_for_exit"));
    const started = performance.now();
    await client.notify("session/cancel", { sessionId });
    expect((await prompt)["stopReason"]).toBe("cancelled");
    expect(performance.now() - started).toBeLessThan(3_000);
    expect(methodsOf(client, "terminal/").slice(-3)).toEqual(
      ["kill", "output", "release"].map((name) => `terminal/${name}`),
    );
    expectWholeCalls(client, sessionId);
  },
);

verifies(
  "client/terminal-local",
  {
    replies: [
      toolCall("bash", { command: "mkdir made && rm -r made && echo removed" }),
      toolCall("bash", { command: "curl -sX DELETE http://127.0.0.1:9/ || echo refused" }),
      text("Ran."),
    ],
  },
  async ({ client, project, model }) => {
    offerTerminal(client, {});
    answerPermissions(client, "allow_once");
    const sessionId = await client.newSession(project.path, { terminal: true });
    await client.prompt(sessionId, "Run");
    expect([told(model, 1), told(model, 2)]).toEqual(["removed", "refused"]);
    expect(methodsOf(client, "terminal/")).toEqual([]);
  },
);

verifies(
  "tool/background",
  {
    replies: [
      toolCall("bash", { command: "sleep 613.5", background: true }),
      toolCall("bash", { command: "until [ -e go ]; do sleep 0.05; done", background: true }),
      text("Both run."),
      text("I see."),
    ],
  },
  async ({ client, project, model }) => {
    const sessionId = await client.newSession(project.path);
    answerPermissions(client, "allow_once");
    await client.prompt(sessionId, "Start");
    const pids = model.requests
      .at(-1)
      ?.messages.flatMap(({ content }) => [
        ...String(content).matchAll(/pid and process group (\d+)/g),
      ])
      .map((match) => Number(match[1]));
    expect(pids).toHaveLength(2);
    const isAlive = (pid: number | undefined) =>
      processesWith("").some((process) => process.pid === pid);
    expect(pids?.map(isAlive)).toEqual([true, true]);
    await Bun.write(project.file("go"), "");
    await client.until(() => !isAlive(pids?.[1]), "the second to end");
    await client.prompt(sessionId, "And?");
    expect(told(model, 3)).toContain(`(pid ${pids?.[1]}) has ended with exit code 0.`);
    expect(client.text(sessionId)).toContain("has ended with exit code 0.");
    await client.request("session/close", { sessionId });
    await client.until(() => !isAlive(pids?.[0]), "the first to end with its session");
  },
);
