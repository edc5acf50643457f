// Clients that mean harm or do not care, against the real program over HTTP and WebSocket: unread streams, half-open
// requests, floods of connections, and a store that cannot be opened.

import { afterAll, expect, test } from "bun:test";
import { type Socket, connect } from "node:net";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AcpClient, type Json } from "../support/acp-client.ts";
import { type AgentProcess, spawnAgent } from "../support/agent-process.ts";
import { fakeModel, text } from "../support/fake-model.ts";
import { runCli } from "../support/run-cli.ts";
import { residentMib } from "../support/shell-rig.ts";
import { storeSession } from "../support/stored-session.ts";
import { tempDir } from "../support/temp-dir.ts";
import { httpClient, isAnswer, until } from "../transports/http-harness.ts";
import { failure } from "./failure.ts";
import { verifies } from "./verifies.ts";

const TEST_MS = 60_000;
/** Far more than the 16 MiB that a connection may leave unread. */
const MUCH = { messages: 500, bytesEach: 100_000 };
const MAX_GROWTH_MIB = 250;

/** A raw socket that has sent `head` and got the first byte of an answer; from then on it reads nothing. */
function openUnread({ url }: AgentProcess, head: string): Promise<Socket> {
  const { port, hostname } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.on("error", () => undefined);
  socket.write(head);
  return new Promise((resolve) =>
    socket.once("data", () => {
      socket.pause();
      resolve(socket);
    }),
  );
}

/** A masked text frame. https://www.rfc-editor.org/rfc/rfc6455#section-5.2 */
function frame(message: object): Buffer {
  const payload = Buffer.from(JSON.stringify(message));
  const head = Buffer.alloc(8);
  head[0] = 0x81;
  head[1] = 0x80 | 126;
  head.writeUInt16BE(payload.length, 2);
  return Buffer.concat([head, payload]);
}

const UPGRADE =
  "GET /acp HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n" +
  "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n";

for (const kind of ["stream", "socket"] as const) {
  test.concurrent(
    `a ${kind} that is never read costs bounded memory, is given up, and delays nobody else`,
    async () => {
      await using project = await tempDir();
      await using model = await fakeModel([text("Quick.")]);
      await using agent = await spawnAgent("http", { env: model.env() });
      await using other = await AcpClient.open("http", agent);
      const sessionId = await other.newSession(project.path);
      const stored = await storeSession(agent.home, project.path, MUCH);
      const load = {
        jsonrpc: "2.0",
        id: 2,
        method: "session/load",
        params: { sessionId: stored, cwd: project.path, mcpServers: [] },
      };
      const before = residentMib(agent.child.pid);
      const http = httpClient(agent.url);
      const metric = async (name: string) => {
        const metrics = await (await fetch(`${http.origin}/metrics`)).text();
        return Number(new RegExp(`^iac_code_${name} (\\d+)$`, "m").exec(metrics)?.[1]);
      };
      let socket: Socket;
      if (kind === "stream") {
        const id = await http.connect();
        socket = await openUnread(
          agent,
          `GET /acp HTTP/1.1\r\nHost: localhost\r\nAcp-Connection-Id: ${id}\r\n\r\n`,
        );
        await http.post(id, load);
      } else {
        socket = await openUnread(agent, UPGRADE);
        const params = { protocolVersion: 1, clientCapabilities: {} };
        socket.write(frame({ jsonrpc: "2.0", id: 1, method: "initialize", params }));
        socket.write(frame(load));
      }
      // Meanwhile the other client has a whole turn.
      expect((await other.prompt(sessionId, "Quick?"))["stopReason"]).toBe("end_turn");
      let peak = before;
      await until(async () => {
        peak = Math.max(peak, residentMib(agent.child.pid));
        return (await metric("connections")) === 1;
      }, TEST_MS);
      expect(peak - before).toBeLessThan(MAX_GROWTH_MIB);
      socket.destroy();
    },
    TEST_MS,
  );
}

test.concurrent(
  "a thousand half-open requests cost little, delay nobody and are cut",
  async () => {
    await using agent = await spawnAgent("http");
    const http = httpClient(agent.url);
    await http.connect();
    const before = residentMib(agent.child.pid);
    const { port, hostname } = new URL(agent.url);
    let closed = 0;
    const sockets = Array.from({ length: 1_000 }, (_, n) => {
      const socket = connect(Number(port), hostname);
      socket.on("error", () => undefined);
      socket.on("close", () => (closed += 1));
      // Half of a request line, half of the headers, or nothing.
      const parts = ["POST /a", "POST /acp HTTP/1.1\r\nHost: localhost\r\nX: ", ""];
      socket.write(parts[n % parts.length] ?? "");
      return socket;
    });
    for (let n = 0; n < 20; n += 1) await http.connect();
    expect(residentMib(agent.child.pid) - before).toBeLessThan(MAX_GROWTH_MIB);
    await until(() => closed === sockets.length, 40_000);
  },
  TEST_MS,
);

test.concurrent(
  "connections that are opened and left are bounded by --max-connections, and ends make room",
  async () => {
    await using agent = await spawnAgent("http", { args: ["--max-connections", "50"] });
    const http = httpClient(agent.url);
    const answers = await Promise.all(
      Array.from({ length: 80 }, () =>
        http.connect().then(
          (id) => id,
          () => undefined,
        ),
      ),
    );
    const ids = answers.filter((id) => id !== undefined);
    expect(ids).toHaveLength(50);
    await http.request("DELETE", { "Acp-Connection-Id": ids[0] ?? "" });
    const id = await http.connect();
    const stream = await http.stream(id);
    await http.post(id, { id: 2, method: "session/list", params: {} });
    await stream.until(isAnswer(2));
  },
  TEST_MS,
);

test.concurrent(
  "an address beyond loopback without a token is refused: exit 1, and what to do",
  async () => {
    for (const host of ["0.0.0.0", "::"]) {
      const started = await runCli(["acp", "--transport", "http", "--host", host, "--port", "0"]);
      expect([host, started.code, started.out]).toEqual([host, 1, ""]);
      expect(started.err).toStartWith(`iac-code: Cannot listen on ${host} without a token`);
      expect(started.err).toContain("IACCODE_ACP_HTTP_TOKEN");
      expect(started.err.trim().split("\n")).toHaveLength(1);
    }
  },
  TEST_MS,
);

/** A state folder whose store cannot be opened, whoever runs the test: a file stands where a folder must. */
const BLOCKED_HOME = mkdtempSync(join(tmpdir(), "iac-code-blocked-"));
writeFileSync(join(BLOCKED_HOME, "sessions"), "not a folder");
afterAll(() => rmSync(BLOCKED_HOME, { recursive: true, force: true }));

/** Our source, its stack, the system's error and any path. */
const LEAK = /\.ts\b|node_modules|\bat [A-Za-z.]+ \(|\bE[A-Z]{4,}\b|\/\w+\//;

verifies(
  "error/internal-no-leak",
  { agent: { env: { IACCODE_HOME: BLOCKED_HOME } } },
  async ({ client, project }) => {
    await client.initialize();
    for (const method of ["session/new", "session/load", "session/list"]) {
      const params = { cwd: project.path, sessionId: "sess_1", mcpServers: [] };
      const error = await failure(client.request(method, params));
      const { kind } = (error.data ?? {}) as Json;
      expect([method, error.code, kind]).toEqual([method, -32603, "storage_error"]);
      expect(`${error.message} ${JSON.stringify(error.data)}`).not.toMatch(LEAK);
    }
    // The log says what the wire does not.
    await client.until(
      () => client.process.stderr().includes("The session store cannot be opened"),
      "the log",
    );
  },
);
