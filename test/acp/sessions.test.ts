// new, load, resume, fork, list, close, delete, modes and options.

import { expect } from "bun:test";
import { chmod, writeFile } from "node:fs/promises";
import type { Json } from "../support/acp-client.ts";
import { answerPermissions } from "../support/acp-client.ts";
import { say, text, toolCall } from "../support/fake-model.ts";
import { failure, fieldsOf } from "./failure.ts";
import { verifies } from "./verifies.ts";

verifies("new/result", {}, async ({ client, project }) => {
  await client.initialize();
  const result = await client.request("session/new", { cwd: project.path, mcpServers: [] });
  expect(Object.keys(result).toSorted()).toEqual(["configOptions", "models", "modes", "sessionId"]);
  expect((result["modes"] as Json)["currentModeId"]).toBe("default");
  const models = result["models"] as {
    currentModelId: string;
    availableModels: { modelId: string }[];
  };
  expect(models.currentModelId).toBe("custom/fake-model");
  expect(models.availableModels.map(({ modelId }) => modelId)).toEqual([
    "custom/fake-model",
    "offline",
  ]);
  expect((result["configOptions"] as Json[]).map(({ id, category }) => [id, category])).toEqual([
    ["mode", "mode"],
    ["model", "model"],
  ]);
});

verifies("new/mcp-forms", {}, async ({ client, project }) => {
  await client.initialize();
  const forms = [
    undefined,
    null,
    [],
    {},
    [{ name: "a", command: "true", args: [], env: [] }],
    { b: { command: "true" }, c: { url: "http://127.0.0.1:9/" } },
  ];
  for (const mcpServers of forms) {
    const { sessionId } = await client.request("session/new", {
      cwd: project.path,
      ...(mcpServers === undefined ? {} : { mcpServers }),
    });
    expect(typeof sessionId).toBe("string");
  }
});

verifies("new/cwd", { files: { "a-file": "x", "closed/x": "y" } }, async ({ client, project }) => {
  await client.initialize();
  const cases = [
    ["relative/path", "absolute"],
    [project.file("missing"), "exist"],
    [project.file("a-file"), "directory"],
    ["d:\\x", "absolute"],
    ["/a\0b", "null"],
  ] as const;
  for (const [cwd, why] of cases) {
    const error = await failure(client.request("session/new", { cwd }));
    expect([error.code, fieldsOf(error)]).toEqual([-32602, ["cwd"]]);
    expect((error.data as { cwd: string }).cwd).toContain(why);
  }
  await chmod(project.file("closed"), 0o000);
  // A superuser reads everything; for anyone else the folder is closed.
  const closed = client.request("session/new", { cwd: project.file("closed") });
  if (process.getuid?.() === 0) await closed;
  else expect((await failure(closed)).code).toBe(-32602);
  await chmod(project.file("closed"), 0o700);
  const error = await failure(
    client.request("session/new", {
      cwd: project.path,
      additionalDirectories: [project.path, "nope"],
    }),
  );
  expect(fieldsOf(error)).toEqual(["additionalDirectories.1"]);
});

verifies("new/order", {}, async ({ client, project }) => {
  await client.initialize();
  const opened = await Promise.all(
    Array.from({ length: 200 }, () => client.request("session/new", { cwd: project.path })),
  );
  const ids = opened.map(({ sessionId }) => String(sessionId));
  await client.until(
    () => ids.every((id) => client.updates(id).length > 0),
    "commands of every session",
  );
  for (const id of ids) {
    const first = client.log.find(
      ({ from, message }) => from === "agent" && JSON.stringify(message).includes(id),
    );
    expect(first?.message).toHaveProperty("result");
  }
});

verifies("new/stored", {}, async ({ client, project, another }) => {
  const sessionId = await client.newSession(project.path);
  client.process.child.kill("SIGKILL");
  await client.process.child.exited;
  const second = await another();
  await second.initialize();
  await second.request("session/load", { sessionId, cwd: project.path, mcpServers: [] });
});

const conversation = [
  say({
    thought: "Let me look.",
    text: "I read it.",
    calls: [{ name: "read_file", args: { path: "main.tf" } }],
  }),
  toolCall("edit_file", { path: "main.tf", old_string: '"one"', new_string: '"two"' }),
  text("Done."),
];

/** What a person sees, without ids: text joined, calls with status and diffs. */
function seen(updates: readonly Json[]): Json[] {
  const rows: Json[] = [];
  const callRows = new Map<unknown, Json>();
  for (const update of updates) {
    const kind = String(update["sessionUpdate"]);
    const { text: words } = (update["content"] ?? {}) as { text?: string };
    if (kind === "tool_call") {
      const row = { kind, title: update["title"], status: update["status"] } as Json;
      callRows.set(update["toolCallId"], row);
      rows.push(row);
    } else if (kind === "tool_call_update") {
      const row = callRows.get(update["toolCallId"]) ?? {};
      row["status"] = update["status"];
      const diff = (update["content"] as Json[] | undefined)?.find(({ type }) => type === "diff");
      if (diff !== undefined) row["diff"] = diff;
    } else if (kind.endsWith("_chunk")) {
      const last = rows.at(-1);
      if (last?.["kind"] === kind) last["text"] = `${String(last["text"])}${words}`;
      else rows.push({ kind, text: words });
    }
  }
  return rows;
}

verifies("load/replay", { replies: conversation }, async ({ client, project, another }) => {
  const sessionId = await client.newSession(project.path);
  answerPermissions(client, "allow_once");
  await client.prompt(sessionId, "Change one to two");
  const live = seen(client.updates(sessionId));
  const second = await another();
  await second.initialize();
  await second.request("session/load", { sessionId, cwd: project.path, mcpServers: [] });
  const replayed = seen(
    second
      .updates(sessionId)
      .filter(({ sessionUpdate }) => sessionUpdate !== "available_commands_update"),
  );
  expect(replayed).toEqual([{ kind: "user_message_chunk", text: "Change one to two" }, ...live]);
  expect(live.map(({ kind, status }) => [kind, status])).toEqual([
    ["agent_thought_chunk", undefined],
    ["agent_message_chunk", undefined],
    ["tool_call", "completed"],
    ["tool_call", "completed"],
    ["agent_message_chunk", undefined],
  ]);
});

verifies(
  "load/order",
  { replies: Array.from({ length: 20 }, (_, n) => text(`Answer ${n}.`)) },
  async ({ client, project, another }) => {
    const sessionId = await client.newSession(project.path);
    for (let n = 0; n < 20; n += 1) await client.prompt(sessionId, `Question ${n}`);
    const second = await another();
    await second.initialize();
    await second.request("session/load", { sessionId, cwd: project.path, mcpServers: [] });
    await second.untilUpdate(
      sessionId,
      ({ sessionUpdate }) => sessionUpdate === "available_commands_update",
    );
    const answered = second.log.findIndex(
      ({ message }) => "result" in message && "modes" in (message["result"] as Json),
    );
    const after = second.log
      .slice(answered + 1)
      .map(
        ({ message }) =>
          ((message["params"] as Json | undefined)?.["update"] as Json | undefined)?.[
            "sessionUpdate"
          ],
      );
    expect(after).toEqual(["available_commands_update"]);
    expect(
      second
        .updates(sessionId)
        .filter(({ sessionUpdate }) => sessionUpdate === "user_message_chunk"),
    ).toHaveLength(20);
  },
);

verifies("load/read-only", { replies: [text("Hello.")] }, async ({ client, project, another }) => {
  const sessionId = await client.newSession(project.path);
  await client.prompt(sessionId, "Hi");
  const listed = async () =>
    JSON.stringify((await client.request("session/list", { cwd: project.path }))["sessions"]);
  const before = await listed();
  const second = await another();
  await second.initialize();
  const load = async () => {
    const from = second.updates(sessionId).length;
    await second.request("session/load", { sessionId, cwd: project.path, mcpServers: [] });
    return seen(second.updates(sessionId).slice(from));
  };
  const first = await load();
  expect(await load()).toEqual(first);
  expect(await listed()).toBe(before);
});

verifies("load/cwd", { files: { "other/x": "" } }, async ({ client, project }) => {
  const sessionId = await client.newSession(project.path);
  for (const method of ["session/load", "session/resume"]) {
    const error = await failure(
      client.request(method, { sessionId, cwd: project.file("other"), mcpServers: [] }),
    );
    expect(error.code).toBe(-32602);
    expect((error.data as { cwd: string }).cwd).toContain(project.path);
  }
});

verifies(
  "load/running",
  {
    replies: [
      say({
        text: "Working on it.",
        calls: [{ name: "bash", args: { command: "echo started; sleep 2; echo finished" } }],
      }),
      text("All done."),
    ],
  },
  async ({ client, project, another }) => {
    const sessionId = await client.newSession(project.path);
    answerPermissions(client, "allow_once");
    void client.prompt(sessionId, "Go").catch(() => undefined);
    await client.untilUpdate(sessionId, ({ status }) => status === "in_progress");
    const second = await another();
    await second.initialize();
    await second.request("session/load", { sessionId, cwd: project.path, mcpServers: [] });
    const replayed = second.updates(sessionId).map(({ sessionUpdate }) => sessionUpdate);
    expect(replayed.slice(0, 3)).toEqual([
      "user_message_chunk",
      "agent_message_chunk",
      "tool_call",
    ]);
    await second.until(
      () => second.text(sessionId).includes("All done."),
      "the live end of the turn",
    );
    expect(second.toolCalls(sessionId).map(({ status }) => status)).toEqual(["completed"]);
    expect(second.text(sessionId)).toBe("Working on it.All done.");
  },
);

verifies(
  "resume/no-replay",
  { replies: [text("Hello."), text("Again.")] },
  async ({ client, project, another, model }) => {
    const sessionId = await client.newSession(project.path);
    await client.prompt(sessionId, "Hi");
    const second = await another();
    await second.initialize();
    const result = await second.request("session/resume", {
      sessionId,
      cwd: project.path,
      mcpServers: [],
    });
    expect(Object.keys(result).toSorted()).toEqual(["configOptions", "models", "modes"]);
    expect(second.text(sessionId)).toBe("");
    await second.prompt(sessionId, "Once more");
    expect(second.text(sessionId)).toBe("Again.");
    expect(model.requests[1]?.messages.map(({ role }) => role)).toEqual([
      "system",
      "user",
      "assistant",
      "user",
    ]);
  },
);

verifies(
  "fork/independent",
  { replies: [text("First."), text("In the fork."), text("In the original.")] },
  async ({ client, project, model }) => {
    const sessionId = await client.newSession(project.path);
    await client.prompt(sessionId, "One");
    const forked = await client.request("session/fork", {
      sessionId,
      cwd: project.path,
      mcpServers: [],
    });
    const forkId = String(forked["sessionId"]);
    expect(forkId).not.toBe(sessionId);
    expect(client.text(forkId)).toBe("");
    await client.prompt(forkId, "Two");
    await client.prompt(sessionId, "Three");
    const told = (n: number) => model.requests[n]?.messages.slice(1).map(({ content }) => content);
    expect(told(1)).toEqual(["One", "First.", "Two"]);
    expect(told(2)).toEqual(["One", "First.", "Three"]);
  },
);

verifies(
  "list/pages",
  { replies: [text("a"), text("b"), text("c")], files: { "other/main.tf": "" } },
  async ({ client, project }) => {
    const unprompted = await client.newSession(project.path);
    const open = async (cwd: string) =>
      String((await client.request("session/new", { cwd, mcpServers: [] }))["sessionId"]);
    const older = await open(project.path);
    await client.prompt(older, "  Review\tthe network\nand more  ");
    const elsewhere = await open(project.file("other"));
    await client.prompt(elsewhere, "Elsewhere");
    const newer = await open(project.path);
    await client.prompt(newer, `Emoji ${"👩‍👩‍👧‍👦".repeat(20)}`);
    for (const method of ["session/list", "sessions/list"]) {
      const { sessions, nextCursor } = (await client.request(method, { cwd: project.path })) as {
        sessions: Json[];
        nextCursor?: string;
      };
      expect(sessions.map((one) => one["sessionId"])).toEqual([newer, older]);
      expect(nextCursor).toBeUndefined();
      expect(sessions[1]).toEqual({
        sessionId: older,
        cwd: project.path,
        title: "Review the network",
        updatedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      });
      expect(String(sessions[0]?.["title"]).length).toBeLessThanOrEqual(80);
    }
    const everywhere = (await client.request("session/list", {})) as { sessions: Json[] };
    expect(everywhere.sessions.map((one) => one["sessionId"])).toEqual([newer, elsewhere, older]);
    expect(JSON.stringify(everywhere)).not.toContain(unprompted);
  },
);

verifies("list/cursor", {}, async ({ client, project }) => {
  await client.initialize();
  for (const cursor of ["x", "", "e30=", "../../etc"]) {
    const error = await failure(client.request("session/list", { cwd: project.path, cursor }));
    expect([error.code, fieldsOf(error)]).toEqual([-32602, ["cursor"]]);
  }
});

verifies("close/any", { replies: [text("Hello."), text("Back.")] }, async ({ client, project }) => {
  const sessionId = await client.newSession(project.path);
  await client.prompt(sessionId, "Hi");
  expect(await client.request("session/close", { sessionId })).toEqual({});
  expect(await client.request("session/close", { sessionId: "never-there" })).toEqual({});
  await client.request("session/load", { sessionId, cwd: project.path, mcpServers: [] });
  await client.prompt(sessionId, "Again");
  expect(client.text(sessionId)).toContain("Back.");
});

verifies("close/prompt-after", { replies: [text("Hello.")] }, async ({ client, project }) => {
  const sessionId = await client.newSession(project.path);
  await client.prompt(sessionId, "Hi");
  await client.request("session/close", { sessionId });
  expect((await failure(client.prompt(sessionId, "Still there?"))).code).toBe(-32602);
});

verifies("delete/any", { replies: [text("Hello.")] }, async ({ client, project }) => {
  const sessionId = await client.newSession(project.path);
  await client.prompt(sessionId, "Hi");
  expect(await client.request("session/delete", { sessionId })).toEqual({});
  expect(await client.request("session/delete", { sessionId })).toEqual({});
  expect(
    (await failure(client.request("session/load", { sessionId, cwd: project.path }))).code,
  ).toBe(-32602);
  expect((await client.request("session/list", { cwd: project.path }))["sessions"]).toEqual([]);
});

verifies("access/own", { replies: [text("Hello.")] }, async ({ client, project, another }) => {
  const sessionId = await client.newSession(project.path);
  const second = await another();
  await second.initialize();
  const error = await failure(second.prompt(sessionId, "Mine?"));
  expect([error.code, error.data]).toEqual([
    -32602,
    { session_id: "Session not found", sessionId },
  ]);
  await second.request("session/resume", { sessionId, cwd: project.path });
  await second.prompt(sessionId, "Mine?");
});

verifies("mode/set", { replies: [text("x")] }, async ({ client, project }) => {
  const sessionId = await client.newSession(project.path);
  expect(await client.request("session/set_mode", { sessionId, modeId: "plan" })).toEqual({});
  await client.untilUpdate(
    sessionId,
    ({ sessionUpdate, currentModeId }) =>
      sessionUpdate === "current_mode_update" && currentModeId === "plan",
  );
  await client.untilUpdate(
    sessionId,
    ({ sessionUpdate, configOptions }) =>
      sessionUpdate === "config_option_update" &&
      JSON.stringify(configOptions).includes('"currentValue":"plan"'),
  );
  const loaded = await client.request("session/load", { sessionId, cwd: project.path });
  expect((loaded["modes"] as Json)["currentModeId"]).toBe("plan");
});

verifies("mode/unknown", {}, async ({ client, project }) => {
  const sessionId = await client.newSession(project.path);
  const error = await failure(client.request("session/set_mode", { sessionId, modeId: "yolo" }));
  expect(error.data).toEqual({ modeId: "must be one of: default, accept_edits, plan, auto" });
});

verifies("config/set", {}, async ({ client, project }) => {
  const sessionId = await client.newSession(project.path);
  for (const [method, value] of [
    ["session/set_config_option", "accept_edits"],
    ["config/set", "auto"],
  ] as const) {
    const { configOptions } = (await client.request(method, {
      sessionId,
      configId: "mode",
      value,
    })) as { configOptions: Json[] };
    expect(configOptions.find(({ id }) => id === "mode")?.["currentValue"]).toBe(value);
    await client.untilUpdate(
      sessionId,
      ({ sessionUpdate, currentModeId }) =>
        sessionUpdate === "current_mode_update" && currentModeId === value,
    );
  }
});

verifies("config/model", {}, async ({ client, project }) => {
  const sessionId = await client.newSession(project.path);
  await client.request("session/set_model", { sessionId, modelId: "offline" });
  const loaded = await client.request("session/load", { sessionId, cwd: project.path });
  expect((loaded["models"] as Json)["currentModelId"]).toBe("offline");
  const { configOptions } = (await client.request("session/set_config_option", {
    sessionId,
    configId: "model",
    value: "custom/fake-model",
  })) as { configOptions: Json[] };
  expect(configOptions.find(({ id }) => id === "model")?.["currentValue"]).toBe(
    "custom/fake-model",
  );
});

verifies("config/unknown", {}, async ({ client, project }) => {
  const sessionId = await client.newSession(project.path);
  const unknownOption = await failure(
    client.request("config/set", { sessionId, configId: "colour", value: "red" }),
  );
  expect(unknownOption.data).toEqual({ configId: "must be one of: mode, model" });
  for (const value of ["red", 5, null, { a: 1 }]) {
    const error = await failure(
      client.request("config/set", { sessionId, configId: "mode", value }),
    );
    expect([error.code, fieldsOf(error)]).toEqual([-32602, ["value"]]);
  }
});

verifies("auth/methods", { withoutModel: true }, async ({ client, project, model }) => {
  const { authMethods } = (await client.initialize()) as { authMethods: Json[] };
  expect(authMethods.map(({ id }) => id)).toEqual(["configuration"]);
  const error = await failure(client.request("authenticate", { methodId: "configuration" }));
  expect(error.code).toBe(-32000);
  expect((error.data as { reason: string }).reason).toContain("OPENAI_API_KEY");
  const { home } = client.process;
  await client.request("session/new", { cwd: project.path });
  await Bun.$`mkdir -p ${home}/.iac-code`.quiet();
  await writeFile(
    `${home}/.iac-code/config.json`,
    JSON.stringify({ baseUrl: model.url, apiKey: model.apiKey, model: "fake-model" }),
  );
  await client.request("authenticate", { methodId: "configuration" });
  model.push(text("Connected."));
  const { sessionId } = await client.request("session/new", { cwd: project.path });
  await client.prompt(String(sessionId), "Hi");
  expect(client.text(String(sessionId))).toBe("Connected.");
});

verifies("auth/unknown", {}, async ({ client }) => {
  await client.initialize();
  const error = await failure(client.request("authenticate", { methodId: "magic" }));
  expect([error.code, fieldsOf(error)]).toEqual([-32602, ["methodId"]]);
});

verifies("auth/logout", {}, async ({ client }) => {
  await client.initialize();
  expect(await client.request("logout", {})).toEqual({});
  expect(await client.request("logout")).toEqual({});
});
