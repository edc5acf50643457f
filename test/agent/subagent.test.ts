// Sub-agents through the real loop: side by side but bounded, one level deep, gone with their parent, their words kept.

import { expect, test } from "bun:test";
import { z } from "zod";
import type { GateRequest } from "../../src/agent/ports.ts";
import { createProvider } from "../../src/providers/create-provider.ts";
import { agent } from "../../src/tools/agent.ts";
import { defineTool } from "../../src/tools/tool.ts";
import { depsFor, endpointAt } from "../providers/support.ts";
import { type AcpClient, type Json, answerPermissions, openAgent } from "../support/acp-client.ts";
import {
  type FakeModel,
  type FakeRequest,
  calls,
  fakeModel,
  text,
  toolCall,
} from "../support/fake-model.ts";
import { runCli } from "../support/run-cli.ts";
import { tempDir } from "../support/temp-dir.ts";
import { echo, openRig } from "./rig.ts";

const task = (prompt: string) => ({ name: "agent", args: { prompt, description: prompt } });
const isChild = (request: FakeRequest): boolean => !request.toolNames.includes("agent");
const rigOn = (model: FakeModel, options: Partial<Parameters<typeof openRig>[0]> = {}) =>
  openRig({ provider: createProvider(endpointAt(model.url), depsFor()), ...options });

test("at most four run at once, and each answer goes to its own call", async () => {
  let running = 0;
  let most = 0;
  const gates: (() => void)[] = [];
  await using model = await fakeModel([], {
    fallback: async (request) => {
      if (!isChild(request))
        return request.index === 0
          ? calls([1, 2, 3, 4, 5, 6].map((n) => task(`Task ${n}`)))
          : text("All done.");
      running += 1;
      most = Math.max(most, running);
      // Four wait for each other; the rest find the door open.
      if (gates.length < 3) await new Promise<void>((resolve) => gates.push(resolve));
      else for (const open of gates) open();
      running -= 1;
      return text(`Answer to ${String(request.messages.at(-1)?.["content"])}`);
    },
  });
  await using rig = await rigOn(model);
  expect(await rig.turn("Delegate")).toMatchObject({ stopReason: "end_turn" });
  expect(most).toBe(4);
  const results = model.requests.at(-1)?.messages.filter(({ role }) => role === "tool");
  expect(results?.map(({ content }) => content)).toEqual(
    [1, 2, 3, 4, 5, 6].map((n) => `Answer to Task ${n}`),
  );
  model.assertValid();
});

test("a sub-agent has no sub-agents: the tool is not offered, and a call of it is only told off", async () => {
  await using model = await fakeModel([
    toolCall("agent", { prompt: "Go deep", description: "deep" }),
    toolCall("agent", { prompt: "Deeper", description: "deeper" }),
    text("I could not."),
    text("Done."),
  ]);
  await using rig = await rigOn(model);
  await rig.turn("Delegate");
  expect(model.requests[1]?.toolNames).toEqual(["echo"]);
  expect(String(model.requests[2]?.messages.at(-1)?.["content"])).toStartWith(
    'There is no tool named "agent"',
  );
  expect(model.requests).toHaveLength(4);
  model.assertValid();
});

test("what a sub-agent says and does is stored under its call, and the parent's model hears only the last words", async () => {
  await using model = await fakeModel([
    toolCall("agent", { prompt: "Echo twice", description: "echo" }),
    toolCall("echo", { text: "hm", times: 2 }, { text: "I try." }),
    text("It says hmhm."),
    text("Good."),
  ]);
  const asked: GateRequest[] = [];
  await using rig = await rigOn(model, {
    gate: async (request) => {
      asked.push(request);
      return { type: "allow" };
    },
  });
  await rig.turn("Delegate");
  const [parent] = rig.ofType("tool_call");
  const entries = (await rig.store.entries(rig.sessionId)).filter(
    (entry) => entry.parent !== undefined,
  );
  expect(entries.map(({ event, parent: of }) => [event.type, of])).toEqual([
    ["user_message", parent?.toolCallId],
    ["assistant_message", parent?.toolCallId],
    ["tool_call", parent?.toolCallId],
    ["tool_result", parent?.toolCallId],
    ["assistant_message", parent?.toolCallId],
  ]);
  expect(asked.map(({ tool, parent: of }) => [tool, of])).toEqual([
    ["agent", undefined],
    ["echo", parent?.toolCallId],
  ]);
  const told = JSON.stringify(model.requests[3]?.messages);
  expect(told).toContain("It says hmhm.");
  expect(told).not.toContain("I try.");
  expect((await rig.store.getSession(rig.sessionId))?.prompts).toBe(1);
});

test("the turn's usage counts what its sub-agents used", async () => {
  const usage = { input: 100, output: 10 };
  await using model = await fakeModel([
    toolCall("agent", { prompt: "x", description: "x" }, { usage }),
    text("Child.", { usage }),
    text("Parent.", { usage }),
  ]);
  await using rig = await rigOn(model);
  expect((await rig.turn("Delegate")).usage).toEqual({
    inputTokens: 300,
    outputTokens: 30,
    totalTokens: 330,
  });
});

test("a sub-agent whose endpoint fails is a failed call, and the turn goes on", async () => {
  await using model = await fakeModel([], {
    fallback: (request) => {
      if (isChild(request))
        return { type: "status", status: 401, headers: {}, body: '{"error":{"message":"no"}}' };
      return request.index === 0 ? calls([task("Fail")]) : text("I go on.");
    },
  });
  await using rig = await rigOn(model);
  expect(await rig.turn("Delegate")).toMatchObject({ stopReason: "end_turn" });
  expect(rig.ofType("tool_result").at(-1)).toMatchObject({ status: "failed" });
  expect(rig.ofType("tool_result").at(-1)?.text).toContain(
    "The sub-agent failed: fake refused the API key (401)",
  );
});

test("cancelling the turn ends every sub-agent and its tools within a second", async () => {
  let started = 0;
  let stopped = 0;
  const both = Promise.withResolvers<void>();
  const wait = defineTool({
    name: "wait",
    kind: "read",
    description: "Waits until it is stopped.",
    args: z.object({}),
    open: () => ({
      title: "Wait",
      access: { type: "none" },
      execute: ({ signal }) =>
        new Promise((resolve) => {
          signal.addEventListener("abort", () => {
            stopped += 1;
            resolve({ ok: false, text: "Stopped." });
          });
          started += 1;
          if (started === 2) both.resolve();
        }),
    }),
  });
  await using model = await fakeModel([], {
    fallback: (request) =>
      isChild(request) ? toolCall("wait") : calls([task("One"), task("Two")]),
  });
  await using rig = await rigOn(model, { tools: [agent, echo, wait] });
  const controller = new AbortController();
  const turn = rig.turn("Delegate", controller.signal);
  await both.promise;
  const at = performance.now();
  controller.abort();
  expect(await turn).toMatchObject({ stopReason: "cancelled" });
  expect(performance.now() - at).toBeLessThan(1_000);
  expect(stopped).toBe(2);
  const open = new Set(rig.ofType("tool_call").map(({ toolCallId }) => toolCallId));
  for (const { toolCallId, status } of rig.ofType("tool_result")) {
    expect(status).toBe("failed");
    open.delete(toolCallId);
  }
  expect([...open]).toEqual([]);
});

test("a sub-agent fills its window on its own and is compacted on its own", async () => {
  await using model = await fakeModel([], {
    fallback: (request) => {
      if (request.toolNames.length === 0) return text("Much was echoed.");
      if (!isChild(request)) return request.index === 0 ? calls([task("Echo much")]) : text("End.");
      const isFresh = request.messages.length < 3 && !request.raw.includes("Much was echoed.");
      return isFresh
        ? toolCall("echo", { text: "long words here ", times: 4_000 })
        : text("Child's end.");
    },
  });
  await using rig = await rigOn(model, { contextWindow: 8_000 });
  expect(await rig.turn("Delegate")).toMatchObject({ stopReason: "end_turn" });
  const child = model.requests.findLast(
    (request) => isChild(request) && request.toolNames.length > 0,
  );
  expect(String(child?.messages[1]?.["content"])).toEndWith("word for word:\nEcho much");
  expect(String(model.requests.at(-1)?.messages.at(-1)?.["content"])).toBe("Child's end.");
  // The session's own conversation was not touched.
  expect(rig.ofType("compaction")).toEqual([]);
  model.assertValid();
});

async function loaded(client: AcpClient, sessionId: string, cwd: string): Promise<Json[]> {
  await client.initialize();
  await client.request("session/load", { sessionId, cwd, mcpServers: [] });
  return client.toolCalls(sessionId);
}

test("sub-agents do not pollute the list, come back with a load, and stand in the export", async () => {
  await using project = await tempDir({ "main.tf": 'output "x" {\n  value = 1\n}\n' });
  await using home = await tempDir();
  await using model = await fakeModel([
    toolCall("agent", { prompt: "Read main.tf", description: "read it" }),
    toolCall("read_file", { path: "main.tf" }),
    text("It has one output."),
    text("Told."),
  ]);
  let sessionId: string;
  let parent: string;
  {
    await using client = await openAgent("stdio", { env: model.env(), home: home.path });
    answerPermissions(client, "allow_once");
    sessionId = await client.newSession(project.path);
    await client.prompt(sessionId, "Delegate");
    const list = (await client.request("session/list", {}))["sessions"] as Json[];
    expect(list.map((one) => one["sessionId"])).toEqual([sessionId]);
    parent = String(client.toolCalls(sessionId)[0]?.["toolCallId"]);
    // The id of a sub-agent's call is no session.
    const params = { sessionId: parent, cwd: project.path, mcpServers: [] };
    const refused = await client.request("session/load", params).catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: -32602 });
  }
  await using client = await openAgent("stdio", { env: model.env(), home: home.path });
  const shown = await loaded(client, sessionId, project.path);
  expect(shown.map(({ title, status, _meta }) => [title, status, _meta])).toEqual([
    ["Sub-agent: read it", "completed", undefined],
    ["Read main.tf", "completed", { "iac-code/parentToolCallId": parent }],
  ]);
  expect(JSON.stringify(shown[0]?.["content"])).toContain("It has one output.");
  const options = { home: home.path, cwd: project.path };
  const { out } = await runCli(["sessions", "export", sessionId], options);
  expect(out).toContain("### Sub-agent: read it\n\n#### Sub-agent: Task\n\nRead main.tf");
  expect(out).toContain("#### Sub-agent: Read main.tf\n\ncompleted:");
  expect(out).toContain("#### Sub-agent: Answer\n\nIt has one output.");
  const json = await runCli(["sessions", "export", sessionId, "--format", "json"], options);
  const { entries } = JSON.parse(json.out) as { entries: { parent?: string }[] };
  expect(entries.filter((entry) => entry.parent === parent).length).toBeGreaterThan(3);
  model.assertValid();
});
