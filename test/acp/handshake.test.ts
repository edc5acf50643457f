// initialize, errors and ids.

import { expect } from "bun:test";
import { text } from "../support/fake-model.ts";
import { failure } from "./failure.ts";
import { verifies } from "./verifies.ts";

verifies("init/version", {}, async ({ client }) => {
  const result = await client.request("initialize", {
    protocolVersion: 7,
    clientCapabilities: {},
    extra: { unknown: true },
  });
  expect(result["protocolVersion"]).toBe(1);
  const again = await client.request("initialize", { protocolVersion: 1 });
  expect(again["protocolVersion"]).toBe(1);
});

verifies("init/version-invalid", {}, async ({ client, transport }) => {
  for (const protocolVersion of ["1", 1.5, null, undefined, 0, -3]) {
    const error = await failure(client.request("initialize", { protocolVersion }));
    expect([error.code, Object.keys(error.data as object)]).toEqual([-32602, ["protocolVersion"]]);
  }
  if (transport !== "http" && transport !== "http-sessions") await client.initialize();
});

verifies("init/result", {}, async ({ client }) => {
  expect(await client.initialize()).toEqual({
    protocolVersion: 1,
    agentInfo: {
      name: "iac-code",
      title: "iac-code",
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
    },
    agentCapabilities: {
      loadSession: true,
      promptCapabilities: { embeddedContext: true, image: false, audio: false },
      mcpCapabilities: { http: true, sse: true },
      sessionCapabilities: {
        list: {},
        close: {},
        resume: {},
        fork: {},
        delete: {},
        additionalDirectories: {},
      },
      auth: { logout: {} },
    },
    authMethods: [],
  });
});

verifies("init/first", {}, async ({ client, project }) => {
  const error = await failure(client.request("session/new", { cwd: project.path }));
  expect(error.code).toBe(-32600);
  await client.newSession(project.path);
});

verifies("init/capabilities-true", {}, async ({ client, project }) => {
  const sessionId = await client.newSession(project.path);
  const params = { sessionId, cwd: project.path, mcpServers: [] };
  for (const method of [
    "session/load",
    "session/resume",
    "session/fork",
    "session/list",
    "session/close",
    "session/delete",
    "logout",
  ]) {
    await client.request(method, params);
  }
  for (const method of [
    "session/archive",
    "session/status",
    "session/set_title",
    "providers/list",
    "auth/status",
  ]) {
    expect((await failure(client.request(method, params))).code).toBe(-32601);
  }
});

verifies("init/foreign-capabilities", {}, async ({ client, project }) => {
  await client.request("initialize", {
    protocolVersion: 1,
    capabilities: { fs: { readTextFile: true }, terminal: true },
  });
  const { sessionId } = await client.request("session/new", { cwd: project.path });
  expect(typeof sessionId).toBe("string");
});

verifies("error/parse", {}, async ({ client }) => {
  for (const line of ["Welcome back", "{", '{"jsonrpc":"2.0","id":1,']) await client.send(line);
  await client.until(
    () =>
      client.log.filter(
        ({ from, message }) => from === "agent" && "error" in message && message["id"] === null,
      ).length === 3,
    "three parse errors",
  );
  const codes = client.log.flatMap(({ message }) =>
    "error" in message ? [(message["error"] as { code: number }).code] : [],
  );
  expect(codes).toEqual([-32700, -32700, -32700]);
  await client.initialize();
});

verifies("error/batch", {}, async ({ client }) => {
  await client.send(
    '[{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}]',
  );
  const answer = await client.until(() =>
    client.log.find(({ from, message }) => from === "agent" && "error" in message),
  );
  expect(answer.message).toMatchObject({ id: null, error: { code: -32600 } });
  await client.initialize();
});

verifies("error/unknown-method", {}, async ({ client, project }) => {
  await client.initialize();
  expect((await failure(client.request("session/dance", {}))).code).toBe(-32601);
  const before = client.log.length;
  await client.notify("session/dance", {});
  await client.notify("$/unknown", {});
  await client.request("session/new", { cwd: project.path });
  const answers = client.log
    .slice(before)
    .filter(({ from, message }) => from === "agent" && !("method" in message));
  expect(answers).toHaveLength(1);
});

verifies("error/params", {}, async ({ client, project }) => {
  const sessionId = await client.newSession(project.path);
  const cases: readonly (readonly [string, unknown, string])[] = [
    ["session/new", {}, "cwd"],
    ["session/new", { cwd: 5 }, "cwd"],
    ["session/load", { cwd: project.path }, "sessionId"],
    ["session/prompt", { sessionId }, "prompt"],
    ["session/prompt", { sessionId, prompt: "hello" }, "prompt"],
    ["session/set_mode", { sessionId }, "modeId"],
    ["session/set_config_option", { sessionId, value: "x" }, "configId"],
    ["authenticate", { authMethod: "x" }, "methodId"],
    ["session/new", { cwd: project.path, mcpServers: [{ name: "x" }] }, "mcpServers.0"],
  ];
  for (const [method, params, field] of cases) {
    const error = await failure(client.request(method, params));
    expect([method, error.code, Object.keys(error.data as object)]).toEqual([
      method,
      -32602,
      [field],
    ]);
  }
});

verifies("error/unknown-session", {}, async ({ client, project }) => {
  await client.initialize();
  for (const sessionId of [
    "does-not-exist",
    "",
    "../../etc/passwd",
    "a' OR 1=1--",
    "x".repeat(1_000_000),
  ]) {
    const params = {
      sessionId,
      cwd: project.path,
      modeId: "plan",
      configId: "mode",
      value: "plan",
      prompt: [{ type: "text", text: "x" }],
    };
    for (const method of [
      "session/load",
      "session/resume",
      "session/fork",
      "session/prompt",
      "session/set_mode",
      "session/set_config_option",
    ]) {
      const error = await failure(client.request(method, params));
      expect([method, error.code, (error.data as { session_id: string }).session_id]).toEqual([
        method,
        -32602,
        "Session not found",
      ]);
    }
  }
});

verifies("error/no-leak", {}, async ({ client, project }) => {
  await client.initialize();
  const seen: string[] = [];
  for (const params of [
    { cwd: `${project.path}/missing` },
    { cwd: "relative" },
    { cwd: [] },
    null,
    "x",
  ]) {
    const error = await failure(client.request("session/new", params));
    seen.push(JSON.stringify([error.message, error.data]));
  }
  expect(seen.filter((one) => /\.ts\b|node_modules|\bat [A-Za-z]+ \(/.test(one))).toEqual([]);
});

verifies("error/ids", { replies: [text("one")] }, async ({ client, project }) => {
  await client.initialize();
  for (const id of ["text", "", 0, -7, 3.5, Number.MAX_SAFE_INTEGER, null]) {
    await client.request("session/list", { cwd: project.path }, id);
  }
  const ids = client.log.flatMap(({ from, message }) =>
    from === "agent" && "result" in message ? [message["id"]] : [],
  );
  expect(ids.slice(1)).toEqual(["text", "", 0, -7, 3.5, Number.MAX_SAFE_INTEGER, null]);
  const { sessionId } = await client.request("session/new", { cwd: project.path });
  await client.prompt(String(sessionId), "hello");
});
