// MCP servers of a session, through the program.

import { expect } from "bun:test";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { type AcpClient, type Json, answerPermissions } from "../support/acp-client.ts";
import { text, toolCall } from "../support/fake-model.ts";
import { MCP_SERVER } from "../support/mcp-servers.ts";
import { verifies } from "./verifies.ts";

const server = (how = "well", env: Record<string, string> = {}) => ({
  command: process.execPath,
  args: [MCP_SERVER, how],
  env: Object.entries(env).map(([name, value]) => ({ name, value })),
});
const toldLast = (messages: readonly Json[] | undefined) => String(messages?.at(-1)?.["content"]);

async function open(client: AcpClient, cwd: string, mcpServers: unknown): Promise<string> {
  await client.initialize();
  return String((await client.request("session/new", { cwd, mcpServers }))["sessionId"]);
}

function announced(client: AcpClient, sessionId: string): string[] {
  const last = client
    .updates(sessionId)
    .findLast(({ sessionUpdate }) => sessionUpdate === "available_commands_update");
  return ((last?.["availableCommands"] ?? []) as Json[]).map(({ name }) => String(name));
}

const status = (client: AcpClient, sessionId: string) =>
  client.toolCalls(sessionId).map((call) => call["status"]);

verifies(
  "mcp/tools",
  {
    replies: [
      toolCall("mcp__one__echo", { text: "hi" }),
      toolCall("mcp__two__echo", { text: "ho" }),
      toolCall("mcp__one__echo", { txt: 1 }),
      text("Done."),
    ],
  },
  async ({ client, project, model }) => {
    const { env: _, ...two } = server();
    const sessionId = await open(client, project.path, {
      one: { ...server(), env: { A: "b" } },
      two,
    });
    const asked = answerPermissions(client, "allow_once") as { toolCall: Json; options: Json[] }[];
    await client.prompt(sessionId, "Use them");
    expect(model.requests[0]?.toolNames).toContain("mcp__one__echo");
    expect(model.requests[0]?.toolNames).toContain("mcp__one__read_resource");
    expect(asked.map(({ toolCall: { title, rawInput } }) => [title, rawInput])).toEqual([
      ["echo (MCP server one)", { text: "hi" }],
      ["echo (MCP server two)", { text: "ho" }],
    ]);
    expect(String(asked[0]?.options[1]?.["name"])).toContain("mcp__one__echo");
    expect(toldLast(model.requests[1]?.messages)).toBe("echo: hi");
    expect(toldLast(model.requests[2]?.messages)).toBe("echo: ho");
    expect(toldLast(model.requests[3]?.messages)).toContain("text: is missing");
    expect(status(client, sessionId)).toEqual(["completed", "completed", "failed"]);
    // On a busy machine the servers may still be starting when the first turn begins, which is then said before.
    expect(client.text(sessionId)).toEndWith("Done.");
  },
);

verifies(
  "mcp/plan-mode",
  {
    replies: [
      toolCall("mcp__one__echo", { text: "x" }),
      toolCall("mcp__one__look"),
      toolCall("mcp__two__echo", { text: "x" }),
      text("Done."),
    ],
    config: { permissions: { deny: ["mcp__two__*"] } },
  },
  async ({ client, project, model }) => {
    const sessionId = await open(client, project.path, { one: server(), two: server() });
    const asked = answerPermissions(client, "allow_once");
    await client.request("session/set_mode", { sessionId, modeId: "plan" });
    await client.prompt(sessionId, "Use them");
    expect(asked).toHaveLength(1);
    expect(toldLast(model.requests[1]?.messages)).toContain("does not say that it only reads");
    expect(toldLast(model.requests[2]?.messages)).toContain("environment:");
    expect(toldLast(model.requests[3]?.messages)).toContain("The rule mcp__two__* forbids it.");
  },
);

verifies(
  "mcp/methods",
  { replies: [text("1"), text("2"), text("3"), text("4")] },
  async ({ client, project, model }) => {
    const cwd = project.path;
    const sessionId = await open(client, cwd, []);
    const told = () => model.requests.at(-1)?.toolNames.filter((name) => name.startsWith("mcp__"));
    await client.prompt(sessionId, "None");
    expect(told()).toEqual([]);
    await client.request("session/load", { sessionId, cwd, mcpServers: { one: server("plain") } });
    await client.prompt(sessionId, "One");
    expect(told()).toContain("mcp__one__echo");
    await client.request("session/resume", {
      sessionId,
      cwd,
      mcpServers: [{ name: "two", ...server("plain") }],
    });
    await client.prompt(sessionId, "Two");
    expect(told()).toContain("mcp__two__echo");
    expect(told()).not.toContain("mcp__one__echo");
    const forked = await client.request("session/fork", {
      sessionId,
      cwd,
      mcpServers: { three: server("plain") },
    });
    await client.prompt(String(forked["sessionId"]), "Three");
    expect(told()).toContain("mcp__three__echo");
    expect(told()).not.toContain("mcp__two__echo");
  },
);

verifies("mcp/slow", { replies: [text("Here.")] }, async ({ client, project }) => {
  using silent = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Promise(() => {}) });
  await client.initialize();
  const opening = performance.now();
  const created = await client.request("session/new", {
    cwd: project.path,
    mcpServers: [
      { type: "http", name: "silent", url: silent.url.href, headers: [] },
      { name: "sleeper", command: "sleep", args: ["600"], env: [] },
      { name: "missing", command: "no-such-program", args: [], env: [] },
    ],
  });
  // Far under the minute that a server is given; the exact budget is measured in test/mcp.
  expect(performance.now() - opening).toBeLessThan(10_000);
  const sessionId = String(created["sessionId"]);
  const asking = performance.now();
  expect((await client.prompt(sessionId, "Go"))["stopReason"]).toBe("end_turn");
  expect(performance.now() - asking).toBeLessThan(20_000);
  const said = client.text(sessionId);
  expect(said).toContain(
    "[MCP server missing did not start: the command no-such-program was not found or cannot be run.]",
  );
  for (const name of ["silent", "sleeper"])
    expect(said).toContain(`[MCP server ${name} is still starting;`);
  expect(said).toEndWith("Here.");
  const order = client.log.map(({ message }) => message["id"] ?? message["method"]);
  expect(order.at(-1)).not.toBe("session/update");
});

verifies(
  "mcp/crash",
  {
    replies: [toolCall("mcp__one__crash"), toolCall("mcp__one__echo", { text: "hi" }), text("Ok.")],
  },
  async ({ client, project, model }) => {
    const sessionId = await open(client, project.path, { one: server() });
    answerPermissions(client, "allow_once");
    await client.prompt(sessionId, "Crash");
    expect(toldLast(model.requests[1]?.messages)).toContain("MCP server one was lost");
    expect(toldLast(model.requests[2]?.messages)).toBe("echo: hi");
    expect(status(client, sessionId)).toEqual(["failed", "completed"]);
  },
);

verifies(
  "mcp/cancel",
  { replies: [toolCall("mcp__one__wait"), text("Next.")] },
  async ({ client, project }) => {
    const notes = project.file("notes");
    const sessionId = await open(client, project.path, {
      one: server("well", { MCP_NOTES: notes }),
    });
    answerPermissions(client, "allow_once");
    const turn = client.prompt(sessionId, "Wait");
    await client.untilUpdate(sessionId, (update) =>
      JSON.stringify(update["content"] ?? "").includes("still at it (1 of 3)"),
    );
    const began = performance.now();
    await client.notify("session/cancel", { sessionId });
    expect((await turn)["stopReason"]).toBe("cancelled");
    expect(performance.now() - began).toBeLessThan(1_000);
    expect(status(client, sessionId)).toEqual(["failed"]);
    await client.until(() => readFileSync(notes, "utf8").includes("cancelled"));
    expect((await client.prompt(sessionId, "Next"))["stopReason"]).toBe("end_turn");
  },
);

verifies("mcp/changes", { replies: [] }, async ({ client, project, model }) => {
  const sessionId = await open(client, project.path, { one: server() });
  answerPermissions(client, "allow_once");
  const isAnnounced = () => announced(client, sessionId).includes("mcp__one__grown-prompt");
  model.push(
    toolCall("mcp__one__grow"),
    async () => {
      await client.until(isAnnounced);
      return toolCall("mcp__one__echo", { text: "between" });
    },
    toolCall("mcp__one__grown"),
    text("Grown."),
  );
  await client.prompt(sessionId, "Grow");
  expect(model.requests[0]?.toolNames).not.toContain("mcp__one__grown");
  expect(model.requests[2]?.toolNames).toContain("mcp__one__grown");
  expect(toldLast(model.requests[3]?.messages)).toBe("yes, grown");
});

verifies("mcp/prompt", { replies: [text("Reviewed.")] }, async ({ client, project, model }) => {
  const sessionId = await open(client, project.path, { one: server() });
  await client.until(() => announced(client, sessionId).includes("mcp__one__review-it"));
  await client.prompt(sessionId, "/mcp__one__review-it");
  expect(client.text(sessionId)).toContain("Say `what`.");
  expect(model.requests).toEqual([]);
  await client.prompt(sessionId, "/mcp__one__review-it network deep");
  expect(toldLast(model.requests[0]?.messages)).toBe('Review {"what":"network","depth":"deep"}');
  expect(client.text(sessionId)).toEndWith("Reviewed.");
});

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

verifies(
  "mcp/secrets",
  {
    replies: [toolCall("mcp__one__look"), toolCall("mcp__one__crash"), text("Oh.")],
    agent: { env: { IACCODE_LOG: "debug" } },
  },
  async ({ client, project, model }) => {
    const secret = "very-secret-value-of-a-server";
    const notes = project.file("notes");
    const env = { MCP_TOKEN: secret, MCP_NOTES: notes };
    const sessionId = await open(client, project.path, {
      one: server("well", env),
      two: server("dying", env),
    });
    answerPermissions(client, "allow_once");
    await client.prompt(sessionId, "Crash");
    await client.prompt(sessionId, "/status");
    const pids = [...readFileSync(notes, "utf8").matchAll(/started (\d+)/g)].map(([, pid]) => pid);
    expect(pids.length).toBeGreaterThanOrEqual(2);
    await client.request("session/close", { sessionId });
    if (process.platform === "linux")
      await client.until(() => pids.every((pid) => !existsSync(`/proc/${pid}`)));
    const received = client.log.filter(({ from }) => from === "agent");
    expect(JSON.stringify(received)).toContain("MCP server two did not start");
    expect(JSON.stringify(received).includes(secret)).toBe(false);
    expect(client.process.stderr().includes(secret)).toBe(false);
    expect(toldLast(model.requests[1]?.messages)).toContain("MCP_TOKEN");
    for (const { raw } of model.requests) expect(raw.includes(secret)).toBe(false);
    for (const file of filesBelow(client.process.home))
      expect(readFileSync(file).includes(secret)).toBe(false);
  },
);

verifies(
  "ask/server",
  { replies: [toolCall("mcp__one__ask"), toolCall("mcp__one__ask"), text("Asked.")] },
  async ({ client, project, model }) => {
    const asked: Json[] = [];
    const answers = [{ action: "accept", content: { account: "main" } }, { action: "cancel" }];
    client.handlers["elicitation/create"] = (params) => {
      asked.push(params);
      return answers.shift();
    };
    await client.initialize({ elicitation: { form: {} } });
    const opened = await client.request("session/new", {
      cwd: project.path,
      mcpServers: { one: server() },
    });
    const sessionId = String(opened["sessionId"]);
    answerPermissions(client, "allow_once");
    await client.prompt(sessionId, "Ask");
    expect(asked[0]).toEqual({
      sessionId,
      mode: "form",
      message: "MCP server one asks: Which account?",
      requestedSchema: {
        type: "object",
        properties: { account: { type: "string" } },
        required: ["account"],
      },
    });
    expect(toldLast(model.requests[1]?.messages)).toBe(
      'answer: {"action":"accept","content":{"account":"main"}}',
    );
    expect(toldLast(model.requests[2]?.messages)).toBe('answer: {"action":"decline"}');
  },
);

verifies("mcp/end", { replies: [text("Ready.")] }, async ({ client, project }) => {
  const notes = project.file("notes");
  const sessionId = await open(client, project.path, {
    one: server("stubborn", { MCP_NOTES: notes }),
  });
  await client.prompt(sessionId, "Begin");
  const pids = [...readFileSync(notes, "utf8").matchAll(/started (\d+)/g)].map(([, pid]) => pid);
  expect(pids).toHaveLength(2);
  const { child } = client.process;
  child.kill("SIGTERM");
  expect(await child.exited).toBe(0);
  expect(readFileSync(notes, "utf8")).toContain("asked to end");
  if (process.platform === "linux")
    for (const pid of pids) expect(existsSync(`/proc/${pid}`)).toBe(false);
});

verifies(
  "mcp/subagent",
  {
    replies: [
      toolCall("agent", { prompt: "Say hi", description: "greet" }),
      toolCall("mcp__one__echo", { text: "hi" }),
      text("It said hi."),
      text("Done."),
    ],
  },
  async ({ client, project, model }) => {
    const sessionId = await open(client, project.path, { one: server() });
    const asked = answerPermissions(client, "allow_once") as {
      sessionId: string;
      toolCall: Json;
    }[];
    await client.prompt(sessionId, "Delegate");
    const parent = asked[0]?.toolCall["toolCallId"];
    expect(asked[1]).toMatchObject({
      sessionId,
      toolCall: { title: "echo (MCP server one)", _meta: { "iac-code/parentToolCallId": parent } },
    });
    expect(toldLast(model.requests[2]?.messages)).toBe("echo: hi");
  },
);

verifies(
  "mcp/config",
  {
    replies: [text("Seen.")],
    config: { mcpServers: { mine: { command: process.execPath, args: [MCP_SERVER, "plain"] } } },
    files: {
      ".iac-code/config.json": JSON.stringify({
        mcpServers: { evil: { command: process.execPath, args: [MCP_SERVER] } },
      }),
    },
  },
  async ({ client, project, model }) => {
    const sessionId = await open(client, project.path, undefined);
    await client.prompt(sessionId, "Look");
    const names = model.requests[0]?.toolNames.filter((name) => name.startsWith("mcp__"));
    expect(names).toContain("mcp__mine__echo");
    expect(names?.filter((name) => !name.startsWith("mcp__mine__"))).toEqual([]);
  },
);
