// What a turn says and how it ends.

import { expect } from "bun:test";
import { pathToFileURL } from "node:url";
import type { Json } from "../support/acp-client.ts";
import { chatEvent, chunks, say, status, text, thought, toolCall } from "../support/fake-model.ts";
import { failure } from "./failure.ts";
import { verifies } from "./verifies.ts";

const kinds = (updates: readonly Json[]) => updates.map(({ sessionUpdate }) => sessionUpdate);

verifies(
  "prompt/stream",
  { replies: [say({ thought: "Hmm.", text: "Hello there, friend.", deltas: 5 })] },
  async ({ client, project }) => {
    const sessionId = await client.newSession(project.path);
    expect((await client.prompt(sessionId, "Hi"))["stopReason"]).toBe("end_turn");
    expect(client.text(sessionId)).toBe("Hello there, friend.");
    expect(client.text(sessionId, "agent_thought_chunk")).toBe("Hmm.");
    const ids = (kind: string) =>
      new Set(
        client
          .updates(sessionId)
          .filter(({ sessionUpdate }) => sessionUpdate === kind)
          .map(({ messageId }) => messageId),
      );
    expect(ids("agent_message_chunk").size).toBe(1);
    expect(ids("agent_thought_chunk").size).toBe(1);
  },
);

verifies(
  "prompt/usage",
  {
    replies: [
      toolCall("read_file", { path: "main.tf" }, { usage: { input: 100, output: 20 } }),
      text("Read.", { usage: { input: 150, output: 5 } }),
    ],
  },
  async ({ client, project }) => {
    const sessionId = await client.newSession(project.path);
    const result = await client.prompt(sessionId, "Read it");
    expect(result).toEqual({
      stopReason: "end_turn",
      usage: { inputTokens: 250, outputTokens: 25, totalTokens: 275 },
    });
    const used = client
      .updates(sessionId)
      .filter(({ sessionUpdate }) => sessionUpdate === "usage_update");
    expect(used.map((update) => update["used"])).toEqual([120, 155]);
  },
);

verifies(
  "prompt/last",
  {
    replies: Array.from({ length: 10 }, (_, n) =>
      text(`Answer ${n} with its words.`, { deltas: 8 }),
    ),
  },
  async ({ client, project }) => {
    const sessionId = await client.newSession(project.path);
    for (let n = 0; n < 10; n += 1) await client.prompt(sessionId, `Question ${n}`);
    const rows = client.log
      .filter(({ from }) => from === "agent")
      .map(({ message }) =>
        "method" in message
          ? "update"
          : "stopReason" in ((message["result"] ?? {}) as Json)
            ? "response"
            : "other",
      );
    const responses = rows.flatMap((row, index) => (row === "response" ? [index] : []));
    expect(responses).toHaveLength(10);
    expect(responses.at(-1)).toBe(rows.length - 1);
    for (let n = 0; n < 10; n += 1)
      expect(client.text(sessionId)).toContain(`Answer ${n} with its words.`);
  },
);

verifies(
  "prompt/blocks",
  {
    replies: [text("All seen."), text("Link seen.")],
    files: { "main.tf": "# the linked file\n", "a b.tf": "# spaced\n" },
  },
  async ({ client, project, model }) => {
    const sessionId = await client.newSession(project.path);
    const prompt = [
      { type: "text", text: "Look:" },
      { type: "resource", resource: { uri: "file:///x/y.tf", text: "embedded words" } },
      {
        type: "resource",
        resource: { uri: "file:///x/z.bin", blob: "AAAA", mimeType: "image/png" },
      },
      { type: "image", data: "AAAA", mimeType: "image/png" },
      { type: "audio", data: "AAAA", mimeType: "audio/wav" },
      { type: "resource_link", uri: "https://example.com/doc", name: "doc" },
    ];
    await client.request("session/prompt", { sessionId, prompt });
    const told = String(model.requests[0]?.messages.at(-1)?.["content"]);
    for (const part of [
      "Look:",
      "embedded words",
      "[resource: image/png file:///x/z.bin]",
      "[image: image/png]",
      "[audio: audio/wav]",
      "https://example.com/doc",
    ]) {
      expect(told).toContain(part);
    }
    const links = [
      { type: "resource_link", uri: pathToFileURL(project.file("a b.tf")).href },
      { type: "resource_link", uri: "file:///etc/shadow", name: "shadow" },
    ];
    await client.request("session/prompt", { sessionId, prompt: links });
    const linked = String(model.requests[1]?.messages.at(-1)?.["content"]);
    expect(linked).toContain("# spaced");
    expect(linked).toContain("/etc/shadow");
    expect(linked).not.toContain("root:");
  },
);

verifies("prompt/bad-blocks", {}, async ({ client, project }) => {
  const sessionId = await client.newSession(project.path);
  const cases = [
    [],
    [{ type: "hologram" }],
    [{ type: "text" }],
    ["text"],
    [null],
    [
      { type: "text", text: "ok" },
      { type: "resource", resource: {} },
    ],
  ];
  for (const prompt of cases) {
    const error = await failure(client.request("session/prompt", { sessionId, prompt }));
    expect(error.code).toBe(-32602);
    expect(JSON.stringify(error.data)).toContain("prompt");
  }
});

verifies("prompt/queue", {}, async ({ client, project, model }) => {
  const full = Promise.withResolvers<void>();
  // The first turn ends only after the refusal: else a place may be free again when the last prompt arrives.
  model.push(
    () => full.promise.then(() => text("Answer 0.")),
    ...Array.from({ length: 8 }, (_, n) => text(`Answer ${n + 1}.`)),
  );
  const sessionId = await client.newSession(project.path);
  const prompts = Array.from({ length: 10 }, (_, n) => client.prompt(sessionId, `Question ${n}`));
  for (const prompt of prompts) void prompt.catch(() => full.resolve());
  const outcomes = await Promise.allSettled(prompts);
  const refused = outcomes.flatMap((outcome) =>
    outcome.status === "rejected" ? [outcome.reason as { data: Json }] : [],
  );
  expect(refused.map(({ data }) => data["kind"])).toEqual(["queue_full"]);
  const told = model.requests
    .at(-1)
    ?.messages.filter(({ role }) => role === "user")
    .map(({ content }) => content);
  expect(told).toHaveLength(9);
  expect(told).toEqual([...(told as string[])].toSorted());
});

verifies(
  "prompt/model-error",
  {
    replies: [
      status(
        401,
        {},
        { error: { message: "Incorrect API key provided: fake-key-0123456789abcdef" } },
      ),
      text("Fine now."),
    ],
  },
  async ({ client, project }) => {
    const sessionId = await client.newSession(project.path);
    const error = await failure(client.prompt(sessionId, "Hi"));
    expect([error.code, (error.data as Json)["kind"], (error.data as Json)["status"]]).toEqual([
      -32603,
      "model_error",
      401,
    ]);
    expect(client.text(sessionId)).toContain("401");
    expect(JSON.stringify(client.log)).not.toContain("0123456789abcdef");
    await client.prompt(sessionId, "And now?");
    expect(client.text(sessionId)).toContain("Fine now.");
  },
);

verifies(
  "prompt/empty-answer",
  { replies: [thought("Only thinking.")] },
  async ({ client, project }) => {
    const sessionId = await client.newSession(project.path);
    expect((await client.prompt(sessionId, "Hi"))["stopReason"]).toBe("end_turn");
    expect(client.text(sessionId)).toContain("no answer");
  },
);

verifies(
  "prompt/refusal",
  { replies: [text("I cannot.", { finish: "content_filter" })] },
  async ({ client, project }) => {
    const sessionId = await client.newSession(project.path);
    expect((await client.prompt(sessionId, "Bad thing"))["stopReason"]).toBe("refusal");
  },
);

verifies(
  "prompt/max-tokens",
  {
    replies: [
      text("Cut here", { finish: "length" }),
      ...Array.from({ length: 3 }, () =>
        toolCall("write_file", { path: "x.tf", content: "half" }, { finish: "length" }),
      ),
    ],
  },
  async ({ client, project }) => {
    const sessionId = await client.newSession(project.path);
    expect((await client.prompt(sessionId, "Long"))["stopReason"]).toBe("max_tokens");
    expect((await client.prompt(sessionId, "Write"))["stopReason"]).toBe("max_tokens");
    expect(client.toolCalls(sessionId).map((call) => call["status"])).toEqual([
      "failed",
      "failed",
      "failed",
    ]);
    expect(await Bun.file(project.file("x.tf")).exists()).toBe(false);
  },
);

const halfCall = chatEvent({
  tool_calls: [
    {
      index: 0,
      id: "a",
      function: { name: "write_file", arguments: '{"path":"x.tf","content":"x"}' },
    },
  ],
});

verifies(
  "prompt/broken-stream",
  { replies: [chunks([chatEvent({ content: "Half an ans" }), halfCall]), text("Whole.")] },
  async ({ client, project, model }) => {
    const sessionId = await client.newSession(project.path);
    const error = await failure(client.prompt(sessionId, "Hi"));
    expect((error.data as Json)["kind"]).toBe("model_error");
    expect(client.text(sessionId)).toContain("Half an ans");
    expect(client.text(sessionId)).toContain("cut off");
    expect(client.toolCalls(sessionId)).toEqual([]);
    await client.prompt(sessionId, "Again");
    expect(JSON.stringify(model.requests[1]?.messages)).toContain("Half an ans");
  },
);

verifies(
  "prompt/retry",
  { replies: [status(503), text("Back again.")] },
  async ({ client, project }) => {
    const sessionId = await client.newSession(project.path);
    expect((await client.prompt(sessionId, "Hi"))["stopReason"]).toBe("end_turn");
    expect(client.text(sessionId)).toBe("Back again.");
  },
);

verifies(
  "command/slash",
  { replies: [text("A path it is.")] },
  async ({ client, project, model }) => {
    const sessionId = await client.newSession(project.path);
    const announced = await client.untilUpdate(
      sessionId,
      ({ sessionUpdate }) => sessionUpdate === "available_commands_update",
    );
    const names = (announced["availableCommands"] as Json[]).map(({ name }) => String(name));
    expect(names).toContain("status");
    await client.prompt(sessionId, "/help");
    for (const name of names) expect(client.text(sessionId)).toContain(`/${name}`);
    await client.prompt(sessionId, "/nonsense now");
    expect(client.text(sessionId)).toContain("There is no command /nonsense");
    expect(model.requests).toHaveLength(0);
    await client.prompt(sessionId, "/etc/hosts is what?");
    expect(kinds(client.updates(sessionId))).toContain("usage_update");
    expect(model.requests[0]?.messages.map(({ role }) => role)).toEqual(["system", "user"]);
  },
);
