// The WebSocket form of /acp on real sockets.

import { expect, test } from "bun:test";
import { connect } from "node:net";
import { OUTBOX_LIMITS } from "../../src/transports/outbox.ts";
import { toChunk } from "../support/echo-host.ts";
import { INITIALIZE, serve, type Served, until } from "./http-harness.ts";

type Client = {
  readonly socket: WebSocket;
  readonly say: (message: unknown) => void;
  readonly next: () => Promise<unknown>;
  readonly closed: Promise<CloseEvent>;
};

async function open(served: Served, headers: Record<string, string> = {}): Promise<Client> {
  const socket = new WebSocket(served.url.replace("http", "ws"), { headers });
  const queue: unknown[] = [];
  let wake: (() => void) | undefined;
  socket.addEventListener("message", ({ data }) => {
    queue.push(JSON.parse(String(data)));
    wake?.();
  });
  const closed = new Promise<CloseEvent>((resolve) => socket.addEventListener("close", resolve));
  await new Promise((resolve, reject) => {
    socket.addEventListener("open", resolve);
    socket.addEventListener("error", reject);
  });
  return {
    socket,
    say: (message) => socket.send(typeof message === "string" ? message : JSON.stringify(message)),
    next: async () => {
      while (queue.length === 0) await new Promise<void>((resolve) => (wake = resolve));
      return queue.shift();
    },
    closed,
  };
}

test("a socket carries the same messages as text frames, both ways", async () => {
  await using served = await serve();
  const client = await open(served);
  client.say(INITIALIZE);
  expect(await client.next()).toMatchObject({ id: 1, result: { protocolVersion: 1 } });
  const params = { sessionId: "s", prompt: [{ type: "text", text: "hi" }] };
  client.say({ jsonrpc: "2.0", id: "p", method: "session/prompt", params });
  expect(await client.next()).toMatchObject({ method: "session/update" });
  expect(await client.next()).toEqual({
    jsonrpc: "2.0",
    id: "p",
    result: { stopReason: "end_turn" },
  });
  client.socket.close(1000);
  await until(() => served.host.connections[0]?.events.length === 1);
  expect(served.host.connections[0]?.events).toEqual(["close: the client closed the socket"]);
});

test("rubbish on a socket is answered, and the socket goes on", async () => {
  await using served = await serve();
  const client = await open(served);
  const codes: unknown[] = [];
  for (const frame of ["{", "[]", "null", '{"jsonrpc":"2.0","id":4}']) {
    client.say(frame);
    codes.push(await client.next());
  }
  expect(codes).toMatchObject([
    { id: null, error: { code: -32700 } },
    { id: null, error: { code: -32600 } },
    { id: null, error: { code: -32600 } },
    { id: 4, error: { code: -32600 } },
  ]);
  client.say(INITIALIZE);
  expect(await client.next()).toMatchObject({ id: 1, result: {} });
  client.socket.send(new Uint8Array([1]));
  expect((await client.closed).code).toBe(1003);
});

test("a socket needs the token and an allowed origin, and counts as a connection", async () => {
  await using served = await serve({ token: "t", maxConnections: 1 });
  expect(open(served)).rejects.toBeDefined();
  const Authorization = "Bearer t";
  expect(open(served, { Authorization, Origin: "https://evil.example.com" })).rejects.toBeDefined();
  const client = await open(served, { Authorization });
  client.say(INITIALIZE);
  await client.next();
  expect(open(served, { Authorization })).rejects.toBeDefined();
  expect((await served.request("POST", {}, INITIALIZE)).status).toBe(503);
});

test("a socket on which initialize is not answered in time is closed", async () => {
  await using served = await serve({ initializeMs: 20 });
  const client = await open(served);
  expect((await client.closed).code).toBe(1008);
});

test("a socket that breaks leaves its running work alone until the grace ends", async () => {
  await using served = await serve({ graceMs: 40 });
  const client = await open(served);
  client.say(INITIALIZE);
  await client.next();
  client.say({ jsonrpc: "2.0", id: 2, method: "wait" });
  await until(() => served.host.connections[0]?.received.length === 2);
  client.socket.terminate();
  await until(() => (served.host.connections[0]?.events.length ?? 0) > 0);
  expect(served.host.connections[0]?.events).toEqual(["deny"]);
});

test("a flood larger than the limits arrives whole and in order at a socket that reads", async () => {
  await using served = await serve({ outbox: { ...OUTBOX_LIMITS, maxUnsentBytes: 500_000 } });
  const client = await open(served);
  client.say(INITIALIZE);
  await client.next();
  client.say({ jsonrpc: "2.0", id: 2, method: "flood", params: { count: 300, bytes: 20_000 } });
  for (let n = 0; n < 300; n += 1)
    expect(JSON.stringify(await client.next())).toContain(`"text":"${n} xxx`);
  expect(await client.next()).toMatchObject({ id: 2 });
});

test("disposing the listener closes its sockets", async () => {
  const served = await serve();
  const client = await open(served);
  client.say(INITIALIZE);
  await client.next();
  await served.listener[Symbol.asyncDispose]();
  expect([1001, 1006]).toContain((await client.closed).code);
});

test("a socket that reads nothing is cut after the unsent limit, and its work is not cancelled", async () => {
  await using served = await serve({ outbox: { ...OUTBOX_LIMITS, stallMs: 20 } });
  const { port, hostname } = new URL(served.url);
  const socket = connect(Number(port), hostname);
  const key = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13";
  socket.write(
    `GET /acp HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n${key}\r\n\r\n`,
  );
  await new Promise((resolve) => socket.once("data", resolve));
  socket.pause();
  const [side] = served.host.connections;
  for (let n = 0; n < 800; n += 1) await side?.send(toChunk("s", "x".repeat(64_000)));
  expect(side?.events).toEqual(["deny", "close: the client left too many bytes unread"]);
  socket.destroy();
});

test("a quiet socket gets a ping", async () => {
  await using served = await serve({ pingMs: 10 });
  const client = await open(served);
  client.say(INITIALIZE);
  await client.next();
  const pinged = Promise.withResolvers<void>();
  client.socket.addEventListener("ping", () => pinged.resolve());
  await pinged.promise;
});
