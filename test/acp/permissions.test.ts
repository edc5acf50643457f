// Permission questions: what they show, who may answer them, and what an answer can never do.

import { expect } from "bun:test";
import { type AcpClient, type Json, NO_ANSWER, answerPermissions } from "../support/acp-client.ts";
import { text, toolCall } from "../support/fake-model.ts";
import { runCli } from "../support/run-cli.ts";
import { addProgram, expectWholeCalls, questions, selected, told } from "./tool-calls.ts";
import { onStdio, verifies } from "./verifies.ts";

const touch = (name: string) => toolCall("bash", { command: `touch ${name}` });

/** Leaves every question open; resolves with the id of the first. */
async function openQuestion(client: AcpClient): Promise<unknown> {
  const question = await client.until(() => questions(client)[0], "the question");
  return question.id;
}

verifies(
  "permission/foreign",
  { replies: [touch("made"), text("Not made.")] },
  async ({ client, project }) => {
    const sessionId = await client.newSession(project.path);
    client.handlers["session/request_permission"] = () => NO_ANSWER;
    const prompt = client.prompt(sessionId, "Touch");
    const id = await openQuestion(client);
    for (const foreign of ["nope", 987_654, null, `${String(id)}0`])
      await client.send({ jsonrpc: "2.0", id: foreign, result: selected("allow_once") });
    expect((await client.request("session/list", {}))["sessions"]).toBeDefined();
    expect(client.toolCalls(sessionId).map(({ status }) => status)).toEqual(["pending"]);
    await client.send({ jsonrpc: "2.0", id, result: selected("reject_once") });
    await client.send({ jsonrpc: "2.0", id, result: selected("allow_once") });
    expect((await prompt)["stopReason"]).toBe("end_turn");
    expect(await Bun.file(project.file("made")).exists()).toBe(false);
    expectWholeCalls(client, sessionId);
  },
);

verifies(
  "permission/close",
  { replies: [touch("made"), touch("made"), text("Not made.")] },
  async ({ client, project }) => {
    const sessionId = await client.newSession(project.path);
    client.handlers["session/request_permission"] = () => NO_ANSWER;
    const prompt = client.prompt(sessionId, "Touch");
    const id = await openQuestion(client);
    await client.request("session/close", { sessionId });
    expect((await prompt)["stopReason"]).toBe("cancelled");
    await client.send({ jsonrpc: "2.0", id, result: selected("allow_always") });
    await client.request("session/load", { sessionId, cwd: project.path });
    const asked = answerPermissions(client, "reject_once");
    await client.prompt(sessionId, "Again");
    expect(asked).toHaveLength(1);
    expect(await Bun.file(project.file("made")).exists()).toBe(false);
  },
);

verifies(
  "permission/always-ends",
  { replies: [touch("a"), touch("b"), text("Both."), touch("c"), text("Three.")] },
  async ({ client, project }) => {
    const sessionId = await client.newSession(project.path);
    const asked = answerPermissions(client, "allow_always");
    await client.prompt(sessionId, "Touch two");
    expect(asked).toHaveLength(1);
    await client.request("session/close", { sessionId });
    await client.request("session/load", { sessionId, cwd: project.path });
    await client.prompt(sessionId, "Touch one more");
    expect(asked).toHaveLength(2);
  },
);

verifies(
  "permission/moves",
  { replies: [touch("made"), text("Made.")] },
  async ({ client, project, another }) => {
    const sessionId = await client.newSession(project.path);
    client.handlers["session/request_permission"] = () => NO_ANSWER;
    const prompt = client.prompt(sessionId, "Touch");
    const id = await openQuestion(client);
    const second = await another();
    const asked = answerPermissions(second, "allow_once");
    await second.initialize();
    await second.request("session/load", { sessionId, cwd: project.path });
    await second.untilUpdate(sessionId, ({ status }) => status === "completed");
    expect(asked).toHaveLength(1);
    await client.send({ jsonrpc: "2.0", id, result: selected("reject_once") });
    expect((await prompt)["stopReason"]).toBe("end_turn");
    expect(await Bun.file(project.file("made")).exists()).toBe(true);
  },
);

/** Reads an event stream until a message with that mark comes; drops the stream without a word to the server. */
async function readUntil(
  url: string,
  headers: Record<string, string>,
  mark: string,
): Promise<Json> {
  const stop = new AbortController();
  const response = await fetch(url, {
    headers: { ...headers, Accept: "text/event-stream" },
    signal: stop.signal,
  });
  let seen = "";
  try {
    for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
      seen += new TextDecoder().decode(chunk);
      const line = seen.split("\n").find((one) => one.startsWith("data: ") && one.includes(mark));
      if (line !== undefined && seen.includes(`${line}\n`))
        return JSON.parse(line.slice(6)) as Json;
    }
  } finally {
    stop.abort();
  }
  throw new Error("The stream ended without it");
}

verifies(
  "permission/stream-lost",
  { replies: [touch("made"), text("Made.")] },
  async ({ client, project, model }) => {
    const { url } = client.process;
    const post = (body: Json, headers: Record<string, string> = {}) =>
      fetch(url, {
        method: "POST",
        headers: { "Content-Type": "application/json", ...headers },
        body: JSON.stringify({ jsonrpc: "2.0", ...body }),
      });
    const opened = await post({
      id: 1,
      method: "initialize",
      params: { protocolVersion: 1, clientCapabilities: {} },
    });
    const headers = { "Acp-Connection-Id": opened.headers.get("Acp-Connection-Id") ?? "" };
    const sessionId = await client.newSession(project.path);
    await post(
      { id: 2, method: "session/load", params: { sessionId, cwd: project.path } },
      headers,
    );
    await readUntil(url, headers, '"id":2,');
    await post(
      {
        id: 3,
        method: "session/prompt",
        params: { sessionId, prompt: [{ type: "text", text: "Touch" }] },
      },
      headers,
    );
    const first = await readUntil(url, headers, "session/request_permission");
    const again = await readUntil(url, headers, "session/request_permission");
    expect(again["id"]).toEqual(first["id"]);
    await post({ id: again["id"], result: selected("allow_once") }, headers);
    await model.received(2);
    expect(await Bun.file(project.file("made")).exists()).toBe(true);
    await fetch(url, { method: "DELETE", headers });
  },
);

const SCRIPT = Array.from({ length: 300 }, (_, n) =>
  n === 249 ? "terraform destroy" : `echo "step ${n + 1}"`,
).join("\n");
verifies(
  "permission/whole",
  {
    replies: [
      toolCall("bash", { command: SCRIPT, description: "Print some steps" }),
      toolCall("bash", { command: `touch made # \u202e\u200b${"x".repeat(2_000)}` }),
      toolCall("bash", { command: `echo ${"x".repeat(150_000)}` }),
      text("Nothing ran."),
    ],
  },
  async ({ client, project, model }) => {
    const sessionId = await client.newSession(project.path);
    const asked = answerPermissions(client, "reject_once");
    await client.prompt(sessionId, "Run");
    const [script, hidden, ...others] = asked.map((params) => ({
      call: params["toolCall"] as Json,
      shown: JSON.stringify((params["toolCall"] as Json)["content"]),
      options: (params["options"] as Json[]).map(({ optionId }) => optionId),
    }));
    expect(others).toEqual([]);
    expect(script?.call).toMatchObject({ rawInput: { command: SCRIPT } });
    expect(script?.shown).toContain(JSON.stringify(SCRIPT).slice(1, -1));
    expect(script?.shown).toContain("`terraform destroy` is of class destroy");
    expect(script?.options).toEqual(["allow_once", "reject_once", "reject_always"]);
    expect(String(script?.call["title"])).toEndWith("…");
    expect(String(script?.call["title"])).toStartWith('echo "step 1"');
    expect(hidden?.shown).toContain(`touch made # \\\\u{202e}\\\\u{200b}${"x".repeat(2_000)}`);
    expect(hidden?.options).not.toContain("allow_always");
    expect(told(model, 3)).toContain("command: Too big");
    expectWholeCalls(client, sessionId);
  },
);

verifies(
  "permission/once",
  { replies: [touch("a"), touch("a"), toolCall("bash", { command: "rm -rf a" }), text("Done.")] },
  async ({ client, project }) => {
    const sessionId = await client.newSession(project.path);
    const asked: Json[] = [];
    client.handlers["session/request_permission"] = (params) => {
      asked.push(params);
      const first = (params["options"] as Json[]).find(({ kind }) =>
        String(kind).startsWith("allow"),
      );
      return selected(String(first?.["optionId"]));
    };
    await client.prompt(sessionId, "Touch twice");
    expect(asked).toHaveLength(3);
    for (const { options } of asked as { options: Json[] }[]) {
      expect(options[0]).toMatchObject({ kind: "allow_once", name: "Allow once" });
      expect(options.map(({ kind }) => kind)).toContain("reject_once");
    }
  },
);

verifies("permission/mode-off", { replies: [] }, async ({ client, project, model }) => {
  const sessionId = await client.newSession(project.path);
  const asked = answerPermissions(client, "reject_once");
  await client.request("session/set_mode", { sessionId, modeId: "auto" });
  model.push(
    touch("first"),
    toolCall("bash", { command: "rm -rf ." }),
    async () => {
      await client.request("session/set_mode", { sessionId, modeId: "default" });
      return touch("second");
    },
    text("Done."),
  );
  await client.prompt(sessionId, "Touch");
  expect(
    asked.map((params) => ((params["toolCall"] as Json)["rawInput"] as Json)["command"]),
  ).toEqual(["rm -rf .", "touch second"]);
  expect(await Bun.file(project.file("first")).exists()).toBe(true);
  expect(await Bun.file(project.file("second")).exists()).toBe(false);
});

const CHAINED = [
  "terraform plan; terraform destroy -auto-approve",
  "terraform plan && touch ran",
  "echo 'touch ran' | sh",
  "terraform plan & touch ran",
  "terraform plan\ntouch ran",
  "terraform plan $(touch ran)",
  "terraform plan `touch ran`",
  "terraform plan <(touch ran)",
  "terraform plan >|ran",
  "TF_LOG=x terraform destroy",
  "terraform plan\n#\nrm -r main.tf",
  "eval 'terraform destroy'",
  "command terraform destroy",
  '"terraform" destroy',
  "terraform -chdir=prod destroy",
  "T=terraform; $T destroy",
  "te''rraform dest\\roy",
];
onStdio(
  "permission/chained: allow_always covers its command with other flags and nothing that is chained to it or hidden in it",
  {
    replies: [
      toolCall("bash", { command: "terraform plan" }),
      toolCall("bash", { command: "terraform plan -input=false" }),
      ...CHAINED.map((command) => toolCall("bash", { command })),
      text("Done."),
    ],
  },
  async ({ client, project }) => {
    await addProgram(project, "terraform", 'echo "$@" >> "$(dirname "$0")/log"');
    const sessionId = await client.newSession(project.path);
    const asked: string[] = [];
    client.handlers["session/request_permission"] = ({ toolCall: call }) => {
      asked.push(String(((call as Json)["rawInput"] as Json)["command"]));
      return selected(asked.length === 1 ? "allow_always" : "reject_once");
    };
    await client.prompt(sessionId, "Plan");
    expect(asked).toEqual(["terraform plan", ...CHAINED]);
    expect(await Bun.file(project.file("ran")).exists()).toBe(false);
    expect(await Bun.file(project.file("main.tf")).exists()).toBe(true);
    expectWholeCalls(client, sessionId);
  },
);

const WRITING = [
  "cat main.tf > b",
  "cat main.tf | tee b",
  "sed -i s/one/two/ main.tf",
  "find . -delete",
  "git -c core.pager=x log",
  "terraform fmt",
  "terraform init",
  "terraform state rm x",
  'python3 -c \'open("b","w")\'',
  "dd if=main.tf of=b",
  "cat <<X > b\nx\nX",
];
const HARMLESS = ["grep input main.tf 2>&1", "echo 'a > b'", "cat main.tf"];
onStdio(
  "permission/plan-mode: plan mode refuses every command that writes, however it does, and lets readers pass",
  {
    replies: [
      ...[...WRITING, ...HARMLESS, "terraform plan -out=f"].map((command) =>
        toolCall("bash", { command }),
      ),
      text("Done."),
    ],
  },
  async ({ client, project }) => {
    const sessionId = await client.newSession(project.path);
    const asked = answerPermissions(client, "reject_once");
    await client.request("session/set_mode", { sessionId, modeId: "plan" });
    await client.prompt(sessionId, "Only look");
    const states = client
      .toolCalls(sessionId)
      .map(({ rawInput, status }) => [(rawInput as Json)["command"], status]);
    expect(states).toEqual([
      ...WRITING.map((command) => [command, "failed"]),
      ...HARMLESS.map((command) => [command, "completed"]),
      ["terraform plan -out=f", "failed"],
    ]);
    expect(asked).toEqual([]);
    expect(await Bun.file(project.file("b")).exists()).toBe(false);
  },
);

onStdio(
  "permission/stored: every decision is a row that sessions show --permissions lists: outcome, class, tool, by whom, what",
  {
    replies: [
      toolCall("read_file", { path: "main.tf" }),
      touch("a"),
      toolCall("bash", { command: "terraform destroy" }),
      text("Done."),
    ],
    config: { permissions: { deny: ["bash(terraform destroy:*)"] } },
  },
  async ({ client, project }) => {
    const sessionId = await client.newSession(project.path);
    answerPermissions(client, "allow_once");
    await client.prompt(sessionId, "Work");
    const shown = await runCli(["sessions", "show", sessionId, "--permissions"], {
      home: client.process.home,
    });
    expect(shown.code).toBe(0);
    const rows = shown.out
      .trim()
      .split("\n")
      .map((row) => row.split(/ {2,}/).slice(1));
    expect(rows).toEqual([
      ["outcome", "class", "tool", "by", "what"],
      ["allowed", "read_file", "default read", project.file("main.tf")],
      ["allowed", "write", "bash", "answer allow_once", "touch a"],
      ["denied", "destroy", "bash", "rule deny bash(terraform destroy:*)", "terraform destroy"],
    ]);
  },
);
