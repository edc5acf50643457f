// Faults that other agents had, and that no other file of this folder proves away; see docs/faults.md.

import { afterAll, expect } from "bun:test";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Json, NO_ANSWER, answerPermissions } from "../support/acp-client.ts";
import { type FakeRequest, calls, status, text, toolCall } from "../support/fake-model.ts";
import { verifies } from "./verifies.ts";

/** A first run, with everything that tempts a program to print. */
const NOISY_HOME = mkdtempSync(join(tmpdir(), "iac-code-noisy-"));
writeFileSync(join(NOISY_HOME, "config.json"), '{ "unknownKey": true, "mode": 5, ');
afterAll(() => rmSync(NOISY_HOME, { recursive: true, force: true }));
const noisy = { IACCODE_HOME: NOISY_HOME, DEBUG: "*", IACCODE_LOG: "debug", NODE_DEBUG: "http" };

verifies("output/pure", { agent: { env: noisy } }, async ({ client, project }) => {
  const sessionId = await client.newSession(project.path);
  await client.send("rubbish");
  // The broken file stops the turn; what matters is that the answer is the only thing on stdout.
  await client.prompt(sessionId, "Hi").catch(() => undefined);
  expect(client.process.stderr()).not.toBe("");
  // The client parses every line of stdout; one that is no message would have ended it.
  await client.request("session/list", {});
});

const LONG = "A".repeat(300);

verifies(
  "order/segments",
  {
    replies: [
      toolCall("read_file", { path: "main.tf" }, { text: LONG }),
      text("B"),
      toolCall("read_file", { path: "main.tf" }, { text: "A" }),
      text("BB"),
    ],
  },
  async ({ client, project }) => {
    const sessionId = await client.newSession(project.path);
    await client.prompt(sessionId, "Long first");
    expect(client.text(sessionId)).toBe(`${LONG}B`);
    await client.prompt(sessionId, "Short first");
    expect(client.text(sessionId)).toBe(`${LONG}BABB`);
    const kinds = client
      .updates(sessionId)
      .map(({ sessionUpdate }) => String(sessionUpdate))
      .filter((kind) => kind === "agent_message_chunk" || kind === "tool_call");
    const borders = kinds.filter((kind, index) => kind !== kinds[index - 1]);
    expect(borders).toEqual([
      "agent_message_chunk",
      "tool_call",
      "agent_message_chunk",
      "tool_call",
      "agent_message_chunk",
    ]);
  },
);

verifies("order/told-again", { replies: [text("Yes.")] }, async ({ client, project }) => {
  const sessionId = await client.newSession(project.path);
  await client.untilUpdate(
    sessionId,
    ({ sessionUpdate }) => sessionUpdate === "available_commands_update",
  );
  const before = client.updates(sessionId).length;
  await client.prompt(sessionId, "Hi");
  const told = client.updates(sessionId).slice(before);
  expect(told.map(({ sessionUpdate }) => sessionUpdate)).toContain("available_commands_update");
});

const cancelsOn = (transport: string): number => (transport === "stdio" ? 100 : 10);
/** The widest moment after which a turn is cancelled. */
const MAX_DELAY_MS = 60;

verifies(
  "cancel/any-moment",
  {
    replies: Array.from(
      { length: 20 * cancelsOn("stdio") },
      () =>
        ({ messages }: FakeRequest) =>
          String(messages.at(-1)?.["content"]).endsWith("Alive?")
            ? text("Alive.")
            : calls([{ name: "read_file", args: { path: "main.tf" } }], {
                text: "One two three.",
                deltas: 3,
              }),
    ),
  },
  async ({ client, project, transport }) => {
    const sessionId = await client.newSession(project.path);
    const stops: unknown[] = [];
    for (let n = 0; n < cancelsOn(transport); n += 1) {
      const turn = client.prompt(sessionId, "Go");
      // Every moment is right: before the request, in its stream, in the tool, and long after.
      await Bun.sleep((n * MAX_DELAY_MS) / cancelsOn(transport));
      await client.notify("session/cancel", { sessionId });
      stops.push((await turn)["stopReason"]);
    }
    expect(new Set(stops)).toEqual(new Set(["cancelled"]));
    expect((await client.prompt(sessionId, "Alive?"))["stopReason"]).toBe("end_turn");
    const open = client
      .toolCalls(sessionId)
      .filter(({ status: at }) => at !== "failed" && at !== "completed");
    expect(open).toEqual([]);
  },
);

verifies(
  "cancel/three-open",
  {
    replies: [
      calls([
        { name: "bash", args: { command: "touch running; sleep 62.75" } },
        { name: "bash", args: { command: "touch asked" } },
        { name: "bash", args: { command: "touch never" } },
      ]),
    ],
  },
  async ({ client, project, another, transport }) => {
    const sessionId = await client.newSession(project.path);
    let asked = 0;
    client.handlers["session/request_permission"] = () => {
      asked += 1;
      return asked === 1 ? { outcome: { outcome: "selected", optionId: "allow_once" } } : NO_ANSWER;
    };
    const turn = client.prompt(sessionId, "Three");
    await client.until(() => existsSync(project.file("running")), "the command");
    await client.notify("session/cancel", { sessionId });
    expect((await turn)["stopReason"]).toBe("cancelled");
    const statuses = (list: Json[]) => list.map(({ status: at }) => at);
    expect(new Set(statuses(client.toolCalls(sessionId)))).toEqual(new Set(["failed"]));
    if (transport === "stdio") return;
    const second = await another();
    await second.initialize();
    await second.request("session/load", { sessionId, cwd: project.path, mcpServers: [] });
    expect(new Set(statuses(second.toolCalls(sessionId)))).toEqual(new Set(["failed"]));
  },
);

verifies(
  "cancel/retry-wait",
  { replies: [status(429, { "retry-after": "60" }), text("Back.")] },
  async ({ client, project, model }) => {
    const sessionId = await client.newSession(project.path);
    const turn = client.prompt(sessionId, "Go");
    await model.received(1);
    await client.until(
      () => client.text(sessionId, "agent_thought_chunk") !== "",
      "the news of it",
    );
    await client.notify("session/cancel", { sessionId });
    expect((await turn)["stopReason"]).toBe("cancelled");
    expect((await client.prompt(sessionId, "Again"))["stopReason"]).toBe("end_turn");
    expect(model.requests).toHaveLength(2);
  },
);

/** What a tool's output may cost on the wire, its live tail and its end together. */
const OUTPUT_CAP_BYTES = 30_000;

verifies(
  "output/no-repeats",
  {
    replies: [
      toolCall("bash", { command: "for i in $(seq 1 5); do seq 1 35000; sleep 0.3; done" }),
      text("Counted."),
    ],
  },
  async ({ client, project }) => {
    const sessionId = await client.newSession(project.path);
    answerPermissions(client, "allow_once");
    await client.prompt(sessionId, "Count");
    const sent = client
      .updates(sessionId)
      .filter(({ sessionUpdate }) => String(sessionUpdate).startsWith("tool_call"))
      .reduce((sum, update) => sum + JSON.stringify(update).length, 0);
    // 1.2 MB were printed.
    expect(sent).toBeGreaterThan(OUTPUT_CAP_BYTES / 2);
    expect(sent).toBeLessThan(10 * OUTPUT_CAP_BYTES);
  },
);
