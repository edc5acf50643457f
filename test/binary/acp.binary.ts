// The compiled program as users get it: the official SDK client on stdio and over HTTP, pipes, signals, hostile folders.
// Run by .ci/run after the build: bun test ./test/binary/acp.binary.ts

import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import {
  type ClientContext,
  type RequestPermissionRequest,
  type SessionUpdate,
  type Stream,
  client,
  ndJsonStream,
} from "@agentclientprotocol/sdk/unstable";
import { createHttpStream } from "@agentclientprotocol/sdk/experimental/http-client";
import { AcpClient, answerPermissions, openAgent } from "../support/acp-client.ts";
import { spawnAgent } from "../support/agent-process.ts";
import { type FakeModel, fakeModel, text, toolCall } from "../support/fake-model.ts";
import { MCP_SERVER, forgetfulMcpServer } from "../support/mcp-servers.ts";
import { processesWith } from "../support/processes.ts";
import { runCli } from "../support/run-cli.ts";
import { type TempDir, tempDir } from "../support/temp-dir.ts";

const BINARY = join(import.meta.dir, "../../dist/iac-code");
const command = [BINARY];
const terraform =
  Bun.which("terraform") === null
    ? "echo 'no terraform here' # terraform validate"
    : "terraform validate";
const MAIN_TF = 'resource "terraform_data" "network" {\n  input = "10.0.0.0/8"\n}\n';

type Story = { readonly project: TempDir; readonly model: FakeModel; readonly stream: Stream };
type Told = {
  readonly updates: SessionUpdate[];
  readonly questions: RequestPermissionRequest[];
  readonly stopReason: string;
};

/** The main job with the SDK's own client; `answer` is the option chosen for every question. */
async function drive({ project, stream }: Story, answer: string): Promise<Told> {
  const updates: SessionUpdate[] = [];
  const questions: RequestPermissionRequest[] = [];
  const app = client({ name: "sdk" })
    .onRequest("session/request_permission", ({ params }) => {
      questions.push(params);
      return { outcome: { outcome: "selected", optionId: answer } };
    })
    .onNotification("session/update", ({ params }) => void updates.push(params.update));
  return app.connectWith(stream, async (agent: ClientContext) => {
    await agent.request("initialize", { protocolVersion: 1, clientCapabilities: {} });
    const { sessionId } = await agent.request("session/new", { cwd: project.path, mcpServers: [] });
    const { stopReason } = await agent.request("session/prompt", {
      sessionId,
      prompt: [{ type: "text", text: "Make the network smaller and validate it" }],
    });
    return { updates, questions, stopReason };
  });
}

const replies = () => [
  toolCall("read_file", { path: "main.tf" }),
  toolCall("edit_file", { path: "main.tf", old_string: "10.0.0.0/8", new_string: "10.1.0.0/16" }),
  toolCall("bash", { command: terraform, description: "validate the change" }),
  text("Smaller now, and valid."),
];

async function onStdio(body: (story: Story) => Promise<void>): Promise<void> {
  await using project = await tempDir({ "main.tf": MAIN_TF });
  await using model = await fakeModel(replies());
  await using agent = await spawnAgent("stdio", { command, env: model.env() });
  const sink = new WritableStream<Uint8Array>({
    write: async (bytes) => {
      await agent.child.stdin.write(bytes);
      await agent.child.stdin.flush();
    },
  });
  await body({ project, model, stream: ndJsonStream(sink, agent.child.stdout) });
  model.assertValid();
}

async function onHttp(body: (story: Story) => Promise<void>): Promise<void> {
  await using project = await tempDir({ "main.tf": MAIN_TF });
  await using model = await fakeModel(replies());
  await using agent = await spawnAgent("http", { command, env: model.env() });
  await body({ project, model, stream: createHttpStream(agent.url) });
  model.assertValid();
}

for (const [name, on] of [
  ["stdio", onStdio],
  ["HTTP", onHttp],
] as const) {
  test(`the SDK client reads, edits and validates over ${name}, each change allowed`, async () => {
    await on(async (story) => {
      const told = await drive(story, "allow_once");
      expect(told.stopReason).toBe("end_turn");
      expect(told.questions.map(({ toolCall: call }) => call.kind)).toContain("edit");
      expect(JSON.stringify(told.questions[0]?.toolCall.content)).toContain("10.1.0.0/16");
      expect(readFileSync(story.project.file("main.tf"), "utf8")).toBe(
        MAIN_TF.replace("10.0.0.0/8", "10.1.0.0/16"),
      );
      const result = String(story.model.requests[3]?.messages.at(-1)?.["content"]);
      expect(result).toMatch(/The configuration is valid|no terraform here/);
    });
  });

  test(`the SDK client rejects over ${name}: the file stays and the model hears it`, async () => {
    await on(async (story) => {
      await drive(story, "reject_once");
      expect(readFileSync(story.project.file("main.tf"), "utf8")).toBe(MAIN_TF);
      expect(story.model.requests[2]?.messages.at(-1)?.["content"]).toBe("Permission denied.");
    });
  });
}

test("--version prints the version and nothing else", async () => {
  const { version } = JSON.parse(
    readFileSync(join(import.meta.dir, "../../package.json"), "utf8"),
  ) as { version: string };
  expect(await runCli(["--version"], { command })).toEqual({
    code: 0,
    out: `${version}\n`,
    err: "",
  });
});

test("a prompt of 300 kB on one line is answered, and stdout holds nothing but messages", async () => {
  await using project = await tempDir();
  await using model = await fakeModel([text("Long indeed.")]);
  await using agent = await openAgent("stdio", {
    command,
    env: { ...model.env(), IACCODE_LOG: "debug" },
  });
  const sessionId = await agent.newSession(project.path);
  expect((await agent.prompt(sessionId, "x".repeat(300_000)))["stopReason"]).toBe("end_turn");
  // The client parses every line of stdout and checks it; a stray one would have thrown.
  agent.assertConformant();
});

for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) {
  test(`${signal} in the middle of a command ends the program with 0 and leaves no process`, async () => {
    const mark = `${53 + signal.length}.125`;
    await using project = await tempDir();
    await using model = await fakeModel([toolCall("bash", { command: `sleep ${mark}` })]);
    await using agent = await openAgent("stdio", { command, env: model.env() });
    answerPermissions(agent, "allow_once");
    const sessionId = await agent.newSession(project.path);
    agent.prompt(sessionId, "Sleep").catch(() => undefined);
    await agent.until(() => processesWith(mark).length > 0, "the command");
    agent.process.child.kill(signal);
    expect(await agent.process.child.exited).toBe(0);
    expect(processesWith(mark)).toEqual([]);
  });
}

test("the end of stdin ends the program with 0", async () => {
  const result = await runCli(["acp"], {
    command,
    stdin: '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}\n',
  });
  expect(result.code).toBe(0);
  expect(result.out.trim().split("\n")).toHaveLength(1);
});

test("a project's bunfig.toml and .env are not loaded", async () => {
  await using project = await tempDir({
    "bunfig.toml": 'preload = ["./evil.ts"]\n',
    "evil.ts": 'require("node:fs").writeFileSync("owned", "");\n',
    ".env": "IACCODE_BASE_URL=http://127.0.0.1:9/v1\nIACCODE_MODEL=stolen\nIACCODE_API_KEY=x\n",
  });
  const result = await runCli(["models"], { command, cwd: project.path });
  expect(result.out).not.toContain("stolen");
  expect(await Bun.file(project.file("owned")).exists()).toBe(false);
});

test("grep works in the binary", async () => {
  await using project = await tempDir({ "main.tf": MAIN_TF });
  await using model = await fakeModel([toolCall("grep", { pattern: "10\\.\\d+" }), text("Found.")]);
  await using agent = await openAgent("stdio", { command, env: model.env() });
  const sessionId = await agent.newSession(project.path);
  await agent.prompt(sessionId, "Search");
  expect(String(model.requests[1]?.messages.at(-1)?.["content"])).toContain("main.tf");
});

test("tools of an MCP server work in the binary, over stdio and over HTTP", async () => {
  await using project = await tempDir();
  const asked = { text: "from the server" };
  await using model = await fakeModel([
    toolCall("mcp__one__echo", asked),
    toolCall("mcp__two__who", {}),
    text("Both."),
  ]);
  using server = forgetfulMcpServer();
  await using agent = await openAgent("stdio", { command, env: model.env() });
  answerPermissions(agent, "allow_once");
  await agent.initialize();
  const { sessionId } = await agent.request("session/new", {
    cwd: project.path,
    mcpServers: {
      one: { command: process.execPath, args: [MCP_SERVER] },
      two: { url: server.url },
    },
  });
  await agent.prompt(String(sessionId), "Use them");
  const told = model.requests.map(({ messages }) => messages.at(-1)?.["content"]);
  expect(told.slice(1)).toEqual(["echo: from the server", "session one"]);
});

test("two clients of one binary over HTTP do not see each other", async () => {
  await using project = await tempDir();
  await using model = await fakeModel([text("For one."), text("For two.")]);
  await using server = await spawnAgent("http", { command, env: model.env() });
  await using one = await AcpClient.open("http", server);
  await using two = await AcpClient.open("http", server);
  const ids = [await one.newSession(project.path), await two.newSession(project.path)] as const;
  await one.prompt(ids[0], "Hi");
  await two.prompt(ids[1], "Hi");
  expect([one.text(ids[0]), two.text(ids[1])]).toEqual(["For one.", "For two."]);
  expect(JSON.stringify(one.log)).not.toContain(ids[1]);
});
