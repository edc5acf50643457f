// Whatever a client may put on the wire: it is answered or passed over, and the connection goes on.

import { expect } from "bun:test";
import { readFileSync } from "node:fs";
import type { AcpClient, Json } from "../support/acp-client.ts";
import { text } from "../support/fake-model.ts";
import { failure } from "./failure.ts";
import { verifies } from "./verifies.ts";

const INITIALIZE =
  '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1,"clientInfo":{"name":"Zürich 🏔️","version":"1"}}}';

/** Answers of the agent that are errors without an id. */
const orphanErrors = ({ log }: AcpClient): number[] =>
  log.flatMap(({ from, message }) =>
    from === "agent" && "error" in message && message["id"] === null
      ? [(message["error"] as { code: number }).code]
      : [],
  );

const answersTo = ({ log }: AcpClient, id: unknown): Json[] =>
  log.flatMap(({ from, message }) =>
    from === "agent" && !("method" in message) && message["id"] === id ? [message] : [],
  );

async function writeBytes(client: AcpClient, bytes: Uint8Array, step: number): Promise<void> {
  const { stdin } = client.process.child;
  for (let start = 0; start < bytes.length; start += step) {
    void stdin.write(bytes.subarray(start, start + step));
    await stdin.flush();
  }
}

verifies("input/rubbish", {}, async ({ client, transport }) => {
  const rubbish = [
    "Welcome back",
    "null",
    '"x"',
    "[]",
    "{}",
    '{"jsonrpc":"1.0","id":null,"method":"initialize"}',
    '{"jsonrpc":"2.0","id":{"a":1},"method":"initialize"}',
    '{"jsonrpc":"2.0","id":12345678901234567890,"method":"initialize"}',
    "\u0000\u0001\uFFFD",
  ];
  for (const line of rubbish) await client.send(line);
  await client.until(() => orphanErrors(client).length === rubbish.length, "an error for each");
  expect(new Set(orphanErrors(client))).toEqual(new Set([-32700, -32600]));
  // Answers to nothing are passed over: an error about an error could go on for ever.
  if (transport === "stdio" || transport === "websocket") {
    await client.send(
      '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}',
    );
    await client.send('{"jsonrpc":"2.0","id":"nope","result":{}}');
    if (transport === "stdio") await client.send("\r\n");
  }
  await client.initialize();
  expect(orphanErrors(client)).toHaveLength(rubbish.length);
});

verifies("input/bytes", {}, async ({ client }) => {
  // Every character of the line is cut, the four bytes of the mountain too.
  await writeBytes(client, new TextEncoder().encode(`${INITIALIZE}\r\n`), 1);
  await client.until(() => answersTo(client, 1).length === 1, "the answer");
  expect(answersTo(client, 1)[0]).toHaveProperty("result.protocolVersion", 1);
});

verifies("input/half-line", {}, async ({ client }) => {
  const { stdin } = client.process.child;
  const [first, second] = [INITIALIZE.slice(0, 40), INITIALIZE.slice(40)];
  void stdin.write(`${INITIALIZE}\n${first}`);
  await stdin.flush();
  await client.until(() => answersTo(client, 1).length === 1, "the first answer");
  void stdin.write(second);
  // The last line has no line end.
  await stdin.end();
  expect(await client.process.child.exited).toBe(0);
  await client.until(() => answersTo(client, 1).length === 2, "the second answer");
});

/** Bytes of resident memory of the agent. */
function residentBytes({ process }: AcpClient): number {
  const status = readFileSync(`/proc/${process.child.pid}/status`, "utf8");
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? 0) * 1024;
}

const MIB = 1024 * 1024;
const PIECE = new Uint8Array(4 * MIB).fill(0x78);

/** Sends a line of that many bytes; resolves with the most memory that was seen meanwhile. */
async function sendLongLine(client: AcpClient, bytes: number): Promise<number> {
  let peak = residentBytes(client);
  for (let sent = 0; sent < bytes; sent += PIECE.length) {
    await writeBytes(client, PIECE, PIECE.length);
    peak = Math.max(peak, residentBytes(client));
  }
  await client.send("");
  return peak;
}

/** What a line of the limit may cost, with the copies of a growing buffer and garbage not collected yet. */
const MEMORY_BOUND = 6 * 64 * MIB;

verifies("input/too-long-line", {}, async ({ client }) => {
  await client.initialize();
  const before = residentBytes(client);
  for (const [count, size] of [100, 600].entries()) {
    const peak = await sendLongLine(client, size * MIB);
    await client.until(() => orphanErrors(client).length === count + 1, "the error");
    expect(peak - before).toBeLessThan(MEMORY_BOUND);
  }
  expect(orphanErrors(client)).toEqual([-32600, -32600]);
  await client.request("session/list", {});
});

verifies("input/too-long-body", {}, async ({ client }) => {
  await client.initialize();
  await client.send(`"${"x".repeat(33 * MIB)}"`);
  expect(client.log.at(-1)?.message).toMatchObject({ id: null, error: { code: -32600 } });
  await client.request("session/list", {});
});

verifies("input/too-long-frame", {}, async ({ client, another }) => {
  await client.initialize();
  await client.send(`"${"x".repeat(33 * MIB)}"`);
  await client.until(() => client.isEnded, "the end of the socket").catch(() => undefined);
  expect(client.isEnded).toBe(true);
  await (await another()).initialize();
});

verifies("input/long-message", { replies: [text("Long.")] }, async ({ client, project, model }) => {
  const sessionId = await client.newSession(project.path);
  const image = { type: "image", mimeType: "image/png", data: "A".repeat(8 * MIB) };
  const prompt = [{ type: "text", text: "ü".repeat(50_000) }, image];
  expect((await client.request("session/prompt", { sessionId, prompt }))["stopReason"]).toBe(
    "end_turn",
  );
  expect(String(model.requests[0]?.messages.at(-1)?.["content"])).toContain("ü".repeat(50_000));
});

verifies(
  "input/unknown-members",
  { replies: [text("Fine.")] },
  async ({ client, project, model }) => {
    const extra = { "x-unknown": { deep: [1, { y: null }] }, _meta: { trace: "1" } };
    const request = async (method: string, params: Json) => {
      const id = `with extras ${method}`;
      const answer = client.until(() => answersTo(client, id)[0], method);
      await client.send({ jsonrpc: "2.0", id, method, params: { ...params, ...extra }, ...extra });
      return ((await answer)["result"] ?? {}) as Json;
    };
    await request("initialize", {
      protocolVersion: 1,
      clientCapabilities: { fs: { readTextFile: false, ...extra }, ...extra },
      clientInfo: { name: "x", version: "1", ...extra },
    });
    const { sessionId } = await request("session/new", {
      cwd: project.path,
      mcpServers: [],
    });
    const block = { type: "text", text: "Hello", annotations: { priority: 1 }, ...extra };
    const result = await request("session/prompt", { sessionId, prompt: [block] });
    expect(result["stopReason"]).toBe("end_turn");
    expect(model.requests[0]?.raw).not.toContain("x-unknown");
  },
);

verifies("input/duplicate-ids", {}, async ({ client, project }) => {
  await client.initialize();
  const send = (method: string, params: Json) =>
    client.send({ jsonrpc: "2.0", id: "same", method, params });
  await Promise.all([
    send("session/list", { cwd: project.path }),
    send("session/new", { cwd: project.path }),
    send("session/dance", {}),
  ]);
  const answers = await client.until(() => {
    const all = answersTo(client, "same");
    return all.length === 3 ? all : undefined;
  }, "three answers");
  const kinds = answers.map(({ result, error }) =>
    Object.keys((result ?? error) as Json).includes("sessions")
      ? "list"
      : result === undefined
        ? "error"
        : "new",
  );
  expect(kinds.toSorted()).toEqual(["error", "list", "new"]);
});

verifies("input/initialize-again", { replies: [text("On.")] }, async ({ client, project }) => {
  const sessionId = await client.newSession(project.path);
  expect((await client.initialize())["protocolVersion"]).toBe(1);
  const error = await failure(client.request("initialize", { protocolVersion: "new" }));
  expect(error.code).toBe(-32602);
  expect((await client.prompt(sessionId, "Still there?"))["stopReason"]).toBe("end_turn");
});
