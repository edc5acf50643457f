// Faults of real endpoints and real users, end to end: the program on stdio, a model server that misbehaves, and what
// client, disk and the next request see of it.

import { describe, expect, test } from "bun:test";
import { Database } from "bun:sqlite";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { INTERRUPTED_TEXT } from "../../src/conversation/from-events.ts";
import {
  type AcpClient,
  type AgentOptions,
  type Json,
  answerPermissions,
  openAgent,
} from "../support/acp-client.ts";
import {
  type FakeModel,
  type FakeRequest,
  type Scripted,
  DONE,
  calls,
  chatEvent,
  chunks,
  fakeModel,
  reset,
  status,
  text,
  toolCall,
} from "../support/fake-model.ts";
import { type TempDir, tempDir } from "../support/temp-dir.ts";

const FILES = { "main.tf": 'resource "terraform_data" "x" {\n  input = "one"\n}\n' };

type Scene = AsyncDisposable & {
  readonly client: AcpClient;
  readonly model: FakeModel;
  readonly project: TempDir;
  readonly sessionId: string;
  readonly asked: Json[];
};

async function open(replies: readonly Scripted[], options: AgentOptions = {}): Promise<Scene> {
  const project = await tempDir(FILES);
  const model = await fakeModel(replies, { fallback: text("Done.") });
  const client = await openAgent("stdio", { ...options, env: { ...model.env(), ...options.env } });
  const asked = answerPermissions(client, "allow_once");
  const sessionId = await client.newSession(project.path);
  return {
    client,
    model,
    project,
    sessionId,
    asked,
    [Symbol.asyncDispose]: async () => {
      await client[Symbol.asyncDispose]();
      await model[Symbol.asyncDispose]();
      await project[Symbol.asyncDispose]();
    },
  };
}

const toolTexts = (request: FakeRequest | undefined): string[] =>
  (request?.messages ?? [])
    .filter(({ role }) => role === "tool")
    .map(({ content }) => String(content));
const failureOf = (answer: Promise<Json>): Promise<Json> =>
  answer.then(
    () => ({ code: 0, data: {} }),
    (error: unknown) => error as Json,
  );

describe("a call that was cut off", () => {
  const half = '{"path": "new.tf", "content": "resource \\"x';
  test.each([
    ["inside its arguments, with length", toolCall("write_file", half, { finish: "length" })],
    ["inside its arguments, with stop", toolCall("write_file", half, { finish: "stop" })],
    [
      "behind a complete JSON, with length",
      toolCall("write_file", { path: "new.tf", content: "x" }, { finish: "length" }),
    ],
  ])("%s writes nothing, asks nobody, and the model is told", async (_name, reply) => {
    await using scene = await open([reply]);
    const { client, model, project, sessionId, asked } = scene;
    expect((await client.prompt(sessionId, "Write"))["stopReason"]).toBe("end_turn");
    expect(existsSync(project.file("new.tf"))).toBe(false);
    expect(asked).toEqual([]);
    expect(toolTexts(model.requests[1])[0]).toMatch(/Write in smaller parts|not valid JSON/);
    expect(client.toolCalls(sessionId)[0]).toMatchObject({ status: "failed" });
    model.assertValid();
  });

  test("three times in a row ends the turn with max_tokens", async () => {
    const cut = toolCall("write_file", { path: "new.tf", content: "x" }, { finish: "length" });
    await using scene = await open([cut, cut, cut]);
    const { client, model, project, sessionId } = scene;
    expect((await client.prompt(sessionId, "Write"))["stopReason"]).toBe("max_tokens");
    expect(model.requests).toHaveLength(3);
    expect(existsSync(project.file("new.tf"))).toBe(false);
    model.assertValid();
  });
});

test("arguments that are no JSON run nothing and ask nobody; the error names the fault, the schema and a bounded extract", async () => {
  const wrong = [
    '{"command":"echo "hi""}',
    '{"command":"ls",}',
    "{'command':'ls'}",
    '{"command":"a\nb"}',
    '{"command":NaN}',
    '{"command":"ls"} {"command":"rm"}',
    `{"command":"${"x".repeat(2_000_000)}`,
  ];
  await using scene = await open([calls(wrong.map((args) => ({ name: "bash", args })))]);
  const { client, model, sessionId, asked } = scene;
  await client.prompt(sessionId, "Run");
  const told = toolTexts(model.requests[1]);
  expect(told).toHaveLength(wrong.length);
  for (const one of told) {
    expect(one).toContain("The arguments are not valid JSON");
    expect(one).toContain('"command"');
    expect(one.length).toBeLessThan(5_000);
  }
  expect(asked).toEqual([]);
  expect(client.toolCalls(sessionId).map((call) => call["status"])).toEqual(
    wrong.map(() => "failed"),
  );
  model.assertValid();
});

test("whatever a model wrote as arguments, what goes back is always a JSON object, also after a load", async () => {
  const written = ['{"path": "a.tf"', " , ", 'description": "x"', "[1]", '"str"', "null", ""];
  await using home = await tempDir();
  await using scene = await open([calls(written.map((args) => ({ name: "read_file", args })))], {
    home: home.path,
  });
  const { client, model, project, sessionId } = scene;
  await client.prompt(sessionId, "Read");
  await using later = await openAgent("stdio", { env: model.env(), home: home.path });
  await later.initialize();
  await later.request("session/load", { sessionId, cwd: project.path, mcpServers: [] });
  await later.prompt(sessionId, "Again");
  for (const request of model.requests.slice(1)) {
    const sent = request.messages.flatMap(
      ({ tool_calls }) => (tool_calls ?? []) as { function: { arguments: string } }[],
    );
    expect(sent).toHaveLength(written.length);
    for (const call of sent) expect(JSON.parse(call.function.arguments)).toBeObject();
  }
  expect(toolTexts(model.requests[1])[0]).toContain('{"path": "a.tf"');
  model.assertValid();
});

describe("a call that was written as text", () => {
  const call = '<tool_call>{"name":"bash","arguments":{"command":"touch made"}}</tool_call>';
  test("as the whole answer is asked about like any other", async () => {
    await using scene = await open([text(call)]);
    await scene.client.prompt(scene.sessionId, "Make it");
    expect(scene.asked).toHaveLength(1);
    expect(existsSync(scene.project.file("made"))).toBe(true);
    expect(scene.client.text(scene.sessionId)).toBe("Done.");
  });

  test.each([
    ["in a fenced block", `\`\`\`\n${call}\n\`\`\``],
    ["in a file that is quoted", `The README says:\n\n${call}\n\nDo not run it.`],
  ])("%s is text, and nothing runs", async (_name, quoted) => {
    await using scene = await open([text(quoted)]);
    await scene.client.prompt(scene.sessionId, "Quote it");
    expect(scene.asked).toEqual([]);
    expect(existsSync(scene.project.file("made"))).toBe(false);
    expect(scene.client.text(scene.sessionId)).toBe(quoted);
  });
});

describe("a connection that dies", () => {
  const callPiece = chatEvent({
    tool_calls: [
      { index: 0, id: "a", function: { name: "bash", arguments: '{"command":"touch made"}' } },
    ],
  });
  const begun = chatEvent({ content: "Begun" });
  test.each([
    ["by a reset behind text", (seen: Promise<unknown>) => reset([begun, begun], seen)],
    ["by a clean end without a finish", () => chunks([begun])],
    ["by a clean end within a call", () => chunks([begun, callPiece])],
  ])("%s keeps what was shown, marks the break and runs no call", async (_name, replyOf) => {
    const seen = Promise.withResolvers<void>();
    await using scene = await open([replyOf(seen.promise)]);
    const { client, model, project, sessionId } = scene;
    const turn = failureOf(client.prompt(sessionId, "Go"));
    await client.untilUpdate(
      sessionId,
      (update) => update["sessionUpdate"] === "agent_message_chunk",
    );
    seen.resolve();
    expect(await turn).toMatchObject({
      code: -32603,
      data: { kind: "model_error", provider: "custom" },
    });
    expect(client.text(sessionId)).toMatch(/^(Begun)+\n\n\[The answer was cut off here\. /);
    expect(model.requests).toHaveLength(1);
    expect(existsSync(project.file("made"))).toBe(false);
    await client.prompt(sessionId, "Go on");
    model.assertValid();
  });
});

describe("a wait that the endpoint asks for", () => {
  test("is announced as a thought that is not stored, and a cancel ends it at once", async () => {
    await using home = await tempDir();
    await using scene = await open([status(429, { "retry-after": "30" })], { home: home.path });
    const { client, model, project, sessionId } = scene;
    const turn = client.prompt(sessionId, "Go");
    await client.until(() =>
      client.text(sessionId, "agent_thought_chunk").includes("Waiting 30 s"),
    );
    const started = performance.now();
    await client.notify("session/cancel", { sessionId });
    expect((await turn)["stopReason"]).toBe("cancelled");
    expect(performance.now() - started).toBeLessThan(1_000);
    expect(model.requests).toHaveLength(1);
    await using later = await openAgent("stdio", { env: model.env(), home: home.path });
    await later.initialize();
    await later.request("session/load", { sessionId, cwd: project.path, mcpServers: [] });
    expect(later.text(sessionId, "agent_thought_chunk")).toBe("");
  });

  test("of a day ends the turn at once with the time", async () => {
    await using scene = await open([status(429, { "retry-after": "86400" })]);
    const error = await failureOf(scene.client.prompt(scene.sessionId, "Go"));
    expect(error["data"]).toMatchObject({ kind: "model_error", status: 429 });
    expect(scene.client.text(scene.sessionId)).toContain("asks to wait 24 h");
  });
});

/** Refuses requests whose assistant messages lack (or hold) reasoning, as two generations of one endpoint do. */
const refusing =
  (
    wants: "reasoning" | "none",
    reply: (request: FakeRequest) => ReturnType<typeof text>,
  ): Scripted =>
  (request) => {
    const said = request.messages.filter(({ role }) => role === "assistant");
    const lacks = said.some(({ reasoning_content: one }) => typeof one !== "string");
    const holds = said.some((message) => "reasoning_content" in message);
    if (wants === "reasoning" && lacks)
      return status(
        400,
        {},
        {
          error: {
            message: "The reasoning_content in the thinking mode must be passed back to the API.",
          },
        },
      );
    if (wants === "none" && holds)
      return status(
        400,
        {},
        { error: { message: "reasoning_content is not allowed in input messages" } },
      );
    return reply(request);
  };

test.each(["reasoning", "none"] as const)(
  "an endpoint that wants %s sent back gets it after one flip, verbatim, also after a load",
  async (wants) => {
    const answer = refusing(wants, (request) =>
      request.messages.some(({ role }) => role === "tool")
        ? text("Read.", { thought: "So that is it: “x”." })
        : toolCall("read_file", { path: "main.tf" }, { thought: "I must look.\n  At main.tf." }),
    );
    await using home = await tempDir();
    await using model = await fakeModel([], { fallback: answer });
    await using project = await tempDir(FILES);
    // Kimi wants reasoning back from the start; any other address does not get it.
    const env = { ...model.env(), ...(wants === "none" ? { IACCODE_MODEL: "moonshot/kimi" } : {}) };
    let sessionId: string;
    {
      await using client = await openAgent("stdio", { env, home: home.path });
      sessionId = await client.newSession(project.path);
      expect((await client.prompt(sessionId, "Read"))["stopReason"]).toBe("end_turn");
    }
    await using client = await openAgent("stdio", { env, home: home.path });
    await client.initialize();
    await client.request("session/load", { sessionId, cwd: project.path, mcpServers: [] });
    expect((await client.prompt(sessionId, "Again"))["stopReason"]).toBe("end_turn");
    const last = model.requests.at(-1)?.messages.filter(({ role }) => role === "assistant");
    expect(last?.map(({ reasoning_content: one }) => one)).toEqual(
      wants === "reasoning"
        ? ["I must look.\n  At main.tf.", "So that is it: “x”."]
        : [undefined, undefined],
    );
    model.assertValid();
  },
);

describe("a history that an interrupted call would poison", () => {
  test("by a cancel after two of four calls side by side is whole in the next request", async () => {
    const sleep = (seconds: string) => ({
      name: "bash",
      args: { command: `echo ${seconds}; sleep ${seconds}` },
    });
    await using scene = await open([
      calls([
        { name: "read_file", args: { path: "main.tf" } },
        { name: "read_file", args: { path: "gone.tf" } },
        sleep("31"),
        sleep("32"),
      ]),
    ]);
    const { client, model, sessionId } = scene;
    const turn = client.prompt(sessionId, "Four");
    await client.until(() =>
      client
        .toolCalls(sessionId)
        .some(
          ({ title, status: of }) => String(title).includes("sleep 31") && of === "in_progress",
        ),
    );
    await client.notify("session/cancel", { sessionId });
    expect((await turn)["stopReason"]).toBe("cancelled");
    await client.prompt(sessionId, "Go on");
    const told = toolTexts(model.requests[1]);
    expect(told).toHaveLength(4);
    expect(told[0]).toContain("terraform_data");
    expect(client.toolCalls(sessionId).map(({ status: of }) => of)).toEqual([
      "completed",
      "failed",
      "failed",
      "failed",
    ]);
    model.assertValid();
  });

  test("by kill -9 in a command is repaired in the store, once", async () => {
    await using home = await tempDir();
    await using scene = await open([toolCall("bash", { command: "echo go; sleep 33" })], {
      home: home.path,
    });
    const { client, model, project, sessionId } = scene;
    void client.prompt(sessionId, "Sleep").catch(() => undefined);
    await client.until(() => JSON.stringify(client.toolCalls(sessionId)).includes("go\\n"));
    client.process.child.kill("SIGKILL");
    await client.process.child.exited;
    for (const words of ["One", "Two"]) {
      await using later = await openAgent("stdio", { env: model.env(), home: home.path });
      await later.initialize();
      await later.request("session/load", { sessionId, cwd: project.path, mcpServers: [] });
      await later.prompt(sessionId, words);
      expect(toolTexts(model.requests.at(-1))).toEqual([INTERRUPTED_TEXT]);
    }
    using database = new Database(`${home.path}/.iac-code/sessions/sessions.db`);
    const rows = database
      .query("SELECT count(*) AS n FROM entries WHERE event LIKE '%Interrupted: the call%'")
      .get();
    expect(rows).toEqual({ n: 1 });
    model.assertValid();
  });

  test("by a hand in the database, a result without its call, is whole in the next request", async () => {
    await using home = await tempDir();
    await using scene = await open([toolCall("read_file", { path: "main.tf" })], {
      home: home.path,
    });
    const { client, model, project, sessionId } = scene;
    await client.prompt(sessionId, "Read");
    await client[Symbol.asyncDispose]();
    {
      using database = new Database(`${home.path}/.iac-code/sessions/sessions.db`);
      const changed = database.run(
        "UPDATE entries SET event = replace(event, 'call_', 'gone_') WHERE event LIKE '%\"tool_result\"%'",
      );
      expect(changed.changes).toBe(1);
    }
    await using later = await openAgent("stdio", { env: model.env(), home: home.path });
    await later.initialize();
    await later.request("session/load", { sessionId, cwd: project.path, mcpServers: [] });
    await later.prompt(sessionId, "Again");
    expect(toolTexts(model.requests.at(-1))).toEqual([INTERRUPTED_TEXT]);
    model.assertValid();
  });
});

test("thoughts in tags that are split anywhere are shown once, as thoughts", async () => {
  const content = ["<th", "ink>Let me", " see</thi", "nk>\n\nIt is ", "fine. <think> is a tag."];
  await using scene = await open([
    chunks([...content.map((piece) => chatEvent({ content: piece })), chatEvent({}, "stop"), DONE]),
  ]);
  await scene.client.prompt(scene.sessionId, "Think");
  expect(scene.client.text(scene.sessionId, "agent_thought_chunk")).toBe("Let me see");
  expect(scene.client.text(scene.sessionId).trim()).toBe("It is fine. <think> is a tag.");
});

test("docs/faults.md has a row for each case of model endpoints, configuration and interrupted sessions", () => {
  const rows = readFileSync(join(import.meta.dir, "../../docs/faults.md"), "utf8").split("\n");
  const ids = rows.map((row) => /^\| ([A-Z]\d+) /.exec(row)?.[1]);
  const wanted = [
    ...[1, 3, 4, 6, 7, 8, 10, 11, 12, 13, 15, 18, 19, 20, 21, 22, 23].map((n) => `M${n}`),
    ...[1, 2, 3, 5, 6, 7, 8, 9].map((n) => `G${n}`),
    "S14",
    "S16",
    "S17",
    "S18",
  ];
  expect(wanted.filter((id) => !ids.includes(id))).toEqual([]);
});
