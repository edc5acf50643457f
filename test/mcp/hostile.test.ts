// Servers that are slow, wrong, huge or dead: the session goes on, and says in words what is the matter.

import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { CONNECT_LIMIT_MS } from "../../src/mcp/connection.ts";
import { MAX_TOOLS, START_BUDGET_MS } from "../../src/mcp/servers.ts";
import { processesWith } from "../support/processes.ts";
import { tempDir } from "../support/temp-dir.ts";
import { NEVER, openServers, stdio, until } from "./servers.ts";

const linux = process.platform === "linux";

test.concurrent("servers that are mute, missing or dying cost the first turn the budget and no more", async () => {
  using silent = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Promise(() => {}) });
  const url = `http://127.0.0.1:${silent.port}/?key=topsecretkey`;
  const began = performance.now();
  await using session = await openServers([
    stdio("good"),
    stdio("mute", "mute"),
    { type: "stdio", name: "sleeper", command: "sleep", args: ["600.25"], env: {} },
    { type: "stdio", name: "missing", command: "no-such-program", args: ["--key", "x"], env: {} },
    stdio("dying", "dying", { MCP_TOKEN: "topsecretkey" }),
    { type: "http", name: "silent", url, headers: { Authorization: "Bearer topsecretkey" } },
    { type: "sse", name: "silent-sse", url, headers: {} },
    { type: "http", name: "refused", url: "http://127.0.0.1:9/", headers: {} },
    { type: "http", name: "odd", url: "file:///etc/passwd", headers: {} },
  ]);
  const took = performance.now() - began;
  expect(took).toBeGreaterThan(START_BUDGET_MS * 0.9);
  expect(took).toBeLessThan(START_BUDGET_MS + 8_000);
  const { servers } = session;
  const states = Object.fromEntries(servers.status().map(({ name, state }) => [name, state]));
  expect(states).toMatchObject({
    "good (stdio)": "ready: 10 tools, 1 prompt, resources",
    "mute (stdio)": "starting",
    "sleeper (stdio)": "starting",
    "silent (http)": "starting",
    "silent-sse (sse)": "starting",
    "missing (stdio)": "failed: the command no-such-program was not found or cannot be run",
    "dying (stdio)": "failed: it ended with exit code 1: Error: no access with «hidden»",
    "odd (http)": "failed: its url is no http or https address",
  });
  const reports = servers.takeReports();
  for (const name of ["mute", "sleeper", "silent", "silent-sse"])
    expect(reports).toContain(
      `MCP server ${name} is still starting; its tools can be used once it is ready.`,
    );
  expect(reports.join("\n")).toContain("MCP server missing did not start");
  expect(reports.join("\n")).not.toContain("topsecretkey");
  expect(servers.takeReports()).toEqual([]);
  // The budget is used up: no further turn waits, and nobody is told twice.
  const again = performance.now();
  await servers.settle(NEVER);
  expect(performance.now() - again).toBeLessThan(2_500);
  expect(servers.takeReports()).toEqual([]);
  await servers.dispose();
  if (linux) expect(processesWith("600.25")).toEqual([]);
  expect(CONNECT_LIMIT_MS).toBeGreaterThan(START_BUDGET_MS);
}, 30_000);

test.concurrent("a server that dies during a call is started again once, then left dead", async () => {
  await using home = await tempDir();
  const notes = home.file("notes");
  const env = { MCP_TOKEN: "topsecretkey", MCP_NOTES: notes };
  await using session = await openServers([stdio("one", "well", env)]);
  const lost = await session.call("mcp__one__crash");
  expect(lost.ok).toBe(false);
  expect(lost.text).toContain("MCP server one was lost during the call");
  expect(lost.text).toContain("exit code 3: Error: out of memory at «hidden»");
  expect(lost.text).toContain("It is being started again");
  // A call that comes meanwhile waits for it.
  expect(await session.call("mcp__one__echo", { text: "hi" })).toEqual({
    ok: true,
    text: "echo: hi",
  });
  expect((await session.call("mcp__one__crash")).text).toContain("It is not started again.");
  expect((await session.call("mcp__one__echo", { text: "hi" })).text).toContain(
    "MCP server one cannot be used: it was lost twice",
  );
  expect(session.servers.takeReports()).toHaveLength(1);
  expect(readFileSync(notes, "utf8").match(/started/g)).toHaveLength(2);
  // Opening the session again is a fresh start.
  session.servers.use([stdio("one", "well", env)]);
  await session.servers.settle(NEVER);
  expect((await session.call("mcp__one__echo", { text: "hi" })).ok).toBe(true);
}, 30_000);

test.concurrent("huge results are cut with a note, a message without end ends the server", async () => {
  await using session = await openServers([stdio("one")]);
  const { text } = await session.call("mcp__one__huge");
  expect(text).toStartWith("begin xxx");
  expect(text.length).toBeLessThan(101_000);
  expect(text).toContain("more characters of this result were left out");
  const flood = await session.call("mcp__one__flood");
  expect(flood.ok).toBe(false);
  expect(flood.text).toContain("it sent a message over 16 MiB");
}, 30_000);

test.concurrent("content that a model cannot take becomes a marker", async () => {
  await using session = await openServers([stdio("one")]);
  expect((await session.call("mcp__one__show")).text).toMatchInlineSnapshot(`
"[image: image/png, 3 kB, not shown]
[audio: audio/wav, 3 B, not shown]
[resource: note://one]
\`\`\`\`
\`\`\`
fenced
\`\`\`
\`\`\`\`
[resource: a/b note://two, 3 B, not shown]
[resource: three (note://three)]
[content of a kind that is not understood]"
`);
  expect(await session.call("mcp__one__fail")).toEqual({ ok: false, text: "it is broken" });
  expect((await session.call("mcp__one__list_resources")).text).toBe(
    "- note://one – one; text/plain",
  );
  expect((await session.call("mcp__one__read_resource", { uri: "note://one" })).text).toBe(
    "[resource: note://one]\n```\nthe note\n```",
  );
}, 30_000);

test.concurrent("tools that are described wrongly cost themselves alone", async () => {
  await using session = await openServers([stdio("one", "badly")]);
  const { servers } = session;
  const tools = new Map(servers.tools().map((tool) => [tool.name, tool]));
  for (const tool of tools.values()) {
    expect(tool.name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
    expect(tool.parameters["type"]).toBe("object");
    expect(JSON.stringify(tool.parameters).length).toBeLessThan(33_000);
  }
  expect(servers.takeReports()).toEqual([
    "MCP server one: 2 tools of it cannot be used: described wrongly, or twice.",
  ]);
  expect([...tools.keys()].filter((name) => name.startsWith("mcp__one__a_b"))).toHaveLength(2);
  expect([...tools.keys()].filter((name) => name.startsWith("mcp__one__xxxx"))).toHaveLength(1);
  expect((await session.call("mcp__one__echo", { text: 5 })).text).toStartWith(
    "Invalid arguments for mcp__one__echo: text: must be string. Nothing was run.",
  );
  expect((await session.call("mcp__one__echo", {})).text).toContain("text: is missing");
}, 30_000);

test.concurrent("more tools than a model endpoint takes are left out, and the user is told", async () => {
  await using session = await openServers([stdio("one", "many")]);
  expect(session.servers.takeReports()).toEqual([
    "MCP server one: it offers more than 256 tools; the rest is left out.",
    "The MCP servers offer 258 tools; only the first 100 are used. Leave servers out to have the others.",
  ]);
  expect(session.servers.tools()).toHaveLength(MAX_TOOLS);
}, 30_000);

test.concurrent("a call whose server is taken away ends at once and says so", async () => {
  await using session = await openServers([stdio("one")]);
  const waiting = Promise.withResolvers<string>();
  const running = session.call("mcp__one__wait", {}, { onProgress: waiting.resolve });
  await waiting.promise;
  session.servers.use([]);
  expect(await running).toEqual({
    ok: false,
    text: "MCP server one cannot be used: the session does not use it any more.",
  });
}, 30_000);

test.concurrent("rubbish on stdout is passed over", async () => {
  await using session = await openServers([stdio("one", "chatty")]);
  expect((await session.call("mcp__one__echo", { text: "hi" })).text).toBe("echo: hi");
}, 30_000);

test.concurrent("a call that is cancelled ends at once, and the server is told", async () => {
  await using home = await tempDir();
  const notes = home.file("notes");
  await using session = await openServers([stdio("one", "well", { MCP_NOTES: notes })]);
  const controller = new AbortController();
  const progress = Promise.withResolvers<string>();
  const running = session.call(
    "mcp__one__wait",
    {},
    { signal: controller.signal, onProgress: progress.resolve },
  );
  expect(await progress.promise).toBe("still at it (1 of 3)");
  const began = performance.now();
  controller.abort();
  expect(await running).toEqual({ ok: false, text: "Cancelled." });
  expect(performance.now() - began).toBeLessThan(3_000);
  await until(() => readFileSync(notes, "utf8").includes("cancelled"));
  expect((await session.call("mcp__one__echo", { text: "hi" })).ok).toBe(true);
}, 30_000);

test.concurrent("lists that change are read again", async () => {
  await using session = await openServers([stdio("one")]);
  let changes = 0;
  session.servers.onChange = () => void (changes += 1);
  await session.call("mcp__one__grow");
  await until(() => session.servers.tools().some(({ name }) => name === "mcp__one__grown"));
  await until(() =>
    session.servers.prompts().some(({ name }) => name === "mcp__one__grown-prompt"),
  );
  expect(changes).toBeGreaterThan(0);
  expect((await session.call("mcp__one__grown")).text).toBe("yes, grown");
}, 30_000);

test.concurrent("a server gets its own settings and none of our keys, and ends with the session", async () => {
  process.env["OPENAI_API_KEY"] = "our-own-key";
  await using home = await tempDir();
  const notes = home.file("notes");
  const session = await openServers([
    stdio("one", "well", { MCP_TOKEN: "its-own-key", MCP_NOTES: notes }),
  ]);
  const { text } = await session.call("mcp__one__look");
  delete process.env["OPENAI_API_KEY"];
  expect(text).toContain("its-own-key");
  expect(text).not.toContain("our-own-key");
  const pid = Number(/started (\d+)/.exec(readFileSync(notes, "utf8"))?.[1]);
  await session[Symbol.asyncDispose]();
  expect(readFileSync(notes, "utf8")).toContain("left");
  if (linux) expect(existsSync(`/proc/${pid}`)).toBe(false);
}, 30_000);

test.concurrent("the client's server replaces the user's of that name; what is not named any more ends", async () => {
  await using session = await openServers([stdio("two", "plain")], [stdio("one"), stdio("two")]);
  const { servers } = session;
  expect(servers.status().map(({ name, state }) => [name, state])).toEqual([
    ["one (stdio)", "ready: 10 tools, 1 prompt, resources"],
    ["two (stdio)", "ready: 10 tools, 1 prompt"],
  ]);
  const before = servers.tools();
  servers.use([stdio("two", "plain")]);
  await servers.settle(NEVER);
  expect(servers.tools().map(({ name }) => name)).toEqual(before.map(({ name }) => name));
  servers.use([stdio("three"), stdio("three", "plain")]);
  await servers.settle(NEVER);
  expect(servers.status().map(({ name }) => name)).toEqual([
    "one (stdio)",
    "two (stdio)",
    "three (stdio)",
  ]);
  expect(servers.takeReports()).toEqual([
    "Two MCP servers are named three; only the last one is used.",
  ]);
}, 30_000);

test.concurrent("a prompt takes its arguments by place and by name", async () => {
  await using session = await openServers([stdio("One!")]);
  const prompt = session.servers.prompts()[0];
  expect(prompt).toMatchObject({ name: "mcp__one___review-it", hint: "<what> [depth]" });
  expect(await prompt?.expand(["network", "very", "deep"], NEVER)).toEqual({
    ok: true,
    value: 'Review {"what":"network","depth":"very deep"}',
  });
  expect(await prompt?.expand(["depth=2", "all"], NEVER)).toEqual({
    ok: true,
    value: 'Review {"depth":"2","what":"all"}',
  });
  expect(await prompt?.expand([], NEVER)).toEqual({
    ok: false,
    text: "Say `what`. Write `/mcp__one___review-it <what> [depth]`.",
  });
}, 30_000);
