// The order in which messages leave: nothing of a session before the response that names it, nothing of a turn after
// its response, and the updates of a session as they were made.

import { expect } from "bun:test";
import {
  type AcpClient,
  type Json,
  type TransportName,
  answerPermissions,
} from "../support/acp-client.ts";
import { DONE, chatEvent, chunks, say, text, toolCall } from "../support/fake-model.ts";
import { verifies } from "./verifies.ts";

/** Updates of the session that came while none of its turns ran, the ones after it was opened left out. */
function strayUpdates(client: AcpClient, sessionId: string): Json[] {
  const running = new Set<unknown>();
  let hasBegun = false;
  const strays: Json[] = [];
  for (const { from, message } of client.log) {
    const { method, id, params } = message as { method?: string; id?: unknown; params?: Json };
    if (from === "client") {
      if (method !== "session/prompt" || params?.["sessionId"] !== sessionId) continue;
      hasBegun = true;
      running.add(id);
    } else if (method === undefined) running.delete(id);
    else if (params?.["sessionId"] === sessionId && hasBegun && running.size === 0)
      strays.push(message);
  }
  return strays;
}

const SESSIONS = 10;
/** The order is made above the transports; their own part shows with fewer turns. */
const promptsEach = (transport: TransportName) => (transport === "stdio" ? 50 : 10);
const onePacket = (n: number) =>
  chunks([`${chatEvent({ content: `Answer ${n}.` })}${chatEvent({}, "stop")}${DONE}`]);

verifies(
  "order/one-packet",
  { replies: Array.from({ length: SESSIONS * promptsEach("stdio") }, (_, n) => onePacket(n)) },
  async ({ client, project, transport }) => {
    await client.initialize();
    const talk = async (): Promise<string> => {
      const { sessionId } = await client.request("session/new", { cwd: project.path });
      for (let n = 0; n < promptsEach(transport); n += 1)
        await client.prompt(String(sessionId), "Go");
      return String(sessionId);
    };
    const ids = await Promise.all(Array.from({ length: SESSIONS }, talk));
    // Whatever followed the last response would be here before the answer to a later request.
    await client.request("session/list", {});
    for (const id of ids) {
      expect(strayUpdates(client, id)).toEqual([]);
      expect(client.text(id).match(/Answer \d+\./g)).toHaveLength(promptsEach(transport));
    }
  },
);

verifies(
  "order/ends-on-tool",
  {
    replies: [
      toolCall("write_file", { path: "a.tf", content: "a" }),
      toolCall("read_file", { path: "main.tf" }),
      say({ text: "" }),
    ],
  },
  async ({ client, project }) => {
    const sessionId = await client.newSession(project.path);
    client.handlers["session/request_permission"] = () => ({ outcome: { outcome: "cancelled" } });
    expect((await client.prompt(sessionId, "Write"))["stopReason"]).toBe("cancelled");
    await client.prompt(sessionId, "Read");
    await client.request("session/list", {});
    expect(strayUpdates(client, sessionId)).toEqual([]);
    expect(client.toolCalls(sessionId).map(({ status }) => status)).toEqual([
      "failed",
      "completed",
    ]);
  },
);

const CHAINS = 4;
const chainOf = (transport: TransportName) => (transport === "stdio" ? 250 : 25);

verifies(
  "prompt/next-accepted",
  { replies: Array.from({ length: CHAINS * chainOf("stdio") }, () => text("Yes.")) },
  async ({ client, project, transport }) => {
    await client.initialize();
    const chain = async (): Promise<void> => {
      const { sessionId } = await client.request("session/new", { cwd: project.path });
      // Each goes out in the tick in which the response before it arrived.
      for (let n = 0; n < chainOf(transport); n += 1)
        expect((await client.prompt(String(sessionId), "Again"))["stopReason"]).toBe("end_turn");
    };
    await Promise.all(Array.from({ length: CHAINS }, chain));
  },
);

const PIECES = 2_000;
const numbered = (mark: string) => Array.from({ length: PIECES }, (_, n) => `${mark}${n} `);

verifies(
  "order/sequence",
  {
    replies: ["a", "b"].map((mark) => text(numbered(mark).join(""), { deltas: numbered(mark) })),
  },
  async ({ client, project }) => {
    await client.initialize();
    const talk = async (): Promise<string> => {
      const { sessionId } = await client.request("session/new", { cwd: project.path });
      await client.prompt(String(sessionId), "Count");
      return client.text(String(sessionId));
    };
    const texts = await Promise.all([talk(), talk()]);
    expect(texts.toSorted()).toEqual(["a", "b"].map((mark) => numbered(mark).join("")));
  },
);

verifies(
  "order/fork-load-resume",
  { replies: [toolCall("read_file", { path: "main.tf" }), text("Read.")] },
  async ({ client, project, another }) => {
    const sessionId = await client.newSession(project.path);
    answerPermissions(client, "allow_once");
    await client.prompt(sessionId, "Read");
    const params = { sessionId, cwd: project.path, mcpServers: [] };
    for (let n = 0; n < 20; n += 1) {
      const { sessionId: forkId } = await client.request("session/fork", params);
      const first = client.log.find(
        ({ from, message }) => from === "agent" && JSON.stringify(message).includes(String(forkId)),
      );
      expect(first?.message).toHaveProperty("result");
    }
    const second = await another();
    await second.initialize();
    for (const [method, replayed] of [
      ["session/resume", []],
      ["session/load", ["user_message_chunk", "tool_call", "tool_call_update"]],
    ] as const) {
      const begin = second.log.length;
      await second.request(method, params, method);
      await second.until(() =>
        second.log
          .slice(begin)
          .some(({ message }) => JSON.stringify(message).includes("available_commands_update")),
      );
      const rows = second.log.slice(begin).filter(({ from }) => from === "agent");
      const answered = rows.findIndex(({ message }) => message["id"] === method);
      const kinds = rows.map(({ message }) =>
        String(((message["params"] as Json | undefined)?.["update"] as Json)?.["sessionUpdate"]),
      );
      expect(kinds.slice(0, answered)).not.toContain("available_commands_update");
      expect([...new Set(kinds.slice(0, answered))]).toEqual(expect.arrayContaining([...replayed]));
      if (replayed.length === 0) expect(kinds.slice(0, answered)).toEqual([]);
      expect(new Set(kinds.slice(answered + 1))).toEqual(new Set(["available_commands_update"]));
    }
  },
);
