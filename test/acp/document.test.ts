// The first protocol document the user gave, walked through example by example in its own spelling. Where the program
// speaks ACP v1 instead (names of updates, tool data), the test says what it sends.

import { expect } from "bun:test";
import { type Json, answerPermissions } from "../support/acp-client.ts";
import { calls, hang, say, text, toolCall } from "../support/fake-model.ts";
import { failure } from "./failure.ts";
import { verifies } from "./verifies.ts";

const replies = [
  say({
    thought: "Look first.",
    text: "I read.",
    calls: [{ name: "read_file", args: { path: "main.tf" } }],
  }),
  text("It says one."),
];

verifies("document/life-cycle", { replies }, async ({ client, project }) => {
  const initialized = await client.request("initialize", {
    protocolVersion: 1,
    capabilities: {},
    clientInfo: { name: "curl", version: "1.0" },
  });
  expect(initialized).toMatchObject({
    protocolVersion: 1,
    agentCapabilities: {
      loadSession: true,
      promptCapabilities: { embeddedContext: true, image: false, audio: false },
      sessionCapabilities: { list: {}, close: {} },
    },
    agentInfo: { name: "iac-code" },
    authMethods: [],
  });
  const cwd = project.path;
  const opened = await client.request("session/new", { cwd });
  expect(opened).toMatchObject({ modes: expect.any(Object), models: expect.any(Object) });
  const sessionId = String(opened["sessionId"]);
  const prompt = [{ type: "text", text: "What does it say?" }];
  const result = await client.request("session/prompt", { sessionId, prompt });
  expect(result["stopReason"]).toBe("end_turn");
  expect(Object.keys(result["usage"] as Json)).toEqual([
    "inputTokens",
    "outputTokens",
    "totalTokens",
  ]);
  const kinds = new Set(client.updates(sessionId).map(({ sessionUpdate }) => sessionUpdate));
  for (const kind of [
    "agent_message_chunk",
    "agent_thought_chunk",
    "tool_call",
    "tool_call_update",
  ])
    expect(kinds).toContain(kind);
  const [call] = client.toolCalls(sessionId);
  expect(call).toMatchObject({
    kind: "read",
    status: "completed",
    rawInput: { path: "main.tf" },
    rawOutput: expect.anything(),
  });
  const loaded = await client.request("session/load", { cwd, sessionId });
  const resumed = await client.request("session/resume", { cwd, sessionId });
  const forked = await client.request("session/fork", { cwd, sessionId });
  for (const answer of [loaded, resumed, forked])
    expect(answer).toMatchObject({ modes: expect.any(Object), models: expect.any(Object) });
  expect([loaded["sessionId"], resumed["sessionId"]]).toEqual([undefined, undefined]);
  expect(forked["sessionId"]).not.toBe(sessionId);
  const { sessions } = await client.request("sessions/list", { cwd });
  expect((sessions as Json[]).map((row) => row["sessionId"])).toContain(sessionId);
  const set = { sessionId, configId: "mode", value: "plan" };
  expect(await client.request("config/set", set)).toHaveProperty("configOptions");
  await client.request("session/close", { sessionId });
  const error = await failure(client.request("session/prompt", { sessionId, prompt }));
  expect([error.code, error.message, (error.data as Json)["session_id"]]).toEqual([
    -32602,
    "Invalid params",
    "Session not found",
  ]);
});

verifies(
  "document/permission-forms",
  {
    replies: [
      calls([
        { name: "write_file", args: { path: "a.tf", content: "a" } },
        { name: "write_file", args: { path: "b.tf", content: "b" } },
      ]),
      text("One of two."),
    ],
  },
  async ({ client, project, model }) => {
    const sessionId = await client.newSession(project.path);
    const asked: Json[] = [];
    client.handlers["session/request_permission"] = (params) => {
      asked.push(params);
      return asked.length === 1
        ? { outcome: "allowed", option_id: "allow_once" }
        : { outcome: "denied" };
    };
    await client.prompt(sessionId, "Write both");
    expect(asked.map((question) => Object.keys(question).toSorted())).toEqual([
      ["options", "sessionId", "toolCall"],
      ["options", "sessionId", "toolCall"],
    ]);
    const options = asked[0]?.["options"] as Json[];
    expect(options.map(({ optionId }) => optionId)).toEqual([
      "allow_once",
      "allow_always",
      "reject_once",
      "reject_always",
    ]);
    expect(client.toolCalls(sessionId).map(({ status }) => status)).toEqual([
      "completed",
      "failed",
    ]);
    expect(JSON.stringify(model.requests[1]?.messages)).toContain("Permission denied.");
  },
);

verifies(
  "document/cancel",
  { replies: [toolCall("bash", { command: "sleep 60" }), hang("mid")] },
  async ({ client, project }) => {
    const sessionId = await client.newSession(project.path);
    answerPermissions(client, "allow_once");
    const turn = client.prompt(sessionId, "Wait");
    await client.untilUpdate(
      sessionId,
      ({ status, rawInput }) => status === "in_progress" && rawInput !== undefined,
    );
    await client.notify("session/cancel", { sessionId });
    expect((await turn)["stopReason"]).toBe("cancelled");
  },
);

verifies("document/errors", {}, async ({ client }) => {
  const answers: Json[] = [];
  const next = () =>
    client.until(() => {
      const errors = client.log.filter(
        ({ from, message }) => from === "agent" && "error" in message,
      );
      return errors.length > answers.length ? errors[answers.length]?.message : undefined;
    });
  await client.send("{");
  answers.push(await next());
  await client.send('{"jsonrpc":"1.0","id":1,"method":"initialize"}');
  answers.push(await next());
  await client.initialize();
  for (const [method, params] of [
    ["session/nothing", {}],
    ["session/new", {}],
  ] as const) {
    await client.send({ jsonrpc: "2.0", id: `e${method}`, method, params });
    answers.push(await next());
  }
  expect(answers.map(({ error }) => (error as Json)["code"])).toEqual([
    -32700, -32600, -32601, -32602,
  ]);
});
