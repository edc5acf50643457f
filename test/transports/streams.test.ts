// The life of event streams: routing, replay, loss, grace, slow and dead readers, many clients.

import { heapStats } from "bun:jsc";
import { expect, test } from "bun:test";
import { connect, type Socket } from "node:net";
import { isRecord } from "../../src/lib/json.ts";
import { OUTBOX_LIMITS } from "../../src/transports/outbox.ts";
import { toChunk } from "../support/echo-host.ts";
import { isAnswer, serve, type Served, until } from "./http-harness.ts";

const SESSION = { "Acp-Session-Id": "s" };
const say = (n: number) => ({ id: n, method: "echo", params: { n } });

/** Opens a stream on a socket of its own, which then reads nothing. */
function openAndNeverRead(served: Served, id: string): Promise<Socket> {
  const { port, hostname } = new URL(served.url);
  const socket = connect(Number(port), hostname);
  socket.write(`GET /acp HTTP/1.1\r\nHost: localhost\r\nAcp-Connection-Id: ${id}\r\n\r\n`);
  return new Promise((resolve) =>
    socket.once("data", () => {
      socket.pause();
      resolve(socket);
    }),
  );
}

/** What is in use, without garbage: the memory of a process that runs other tests says nothing about this one. */
function heldBytes(): number {
  Bun.gc(true);
  return heapStats().heapSize;
}

test("a stream begins at once, forbids buffering, and is not compressed", async () => {
  await using served = await serve();
  const id = await served.connect();
  const stream = await served.stream(id, { "Accept-Encoding": "gzip, br" });
  await stream.untilText(": connected\n\n");
  expect(stream.headers.get("Content-Type")).toBe("text/event-stream");
  expect(stream.headers.get("Cache-Control")).toBe("no-cache, no-transform");
  expect(stream.headers.get("X-Accel-Buffering")).toBe("no");
  expect(stream.headers.get("Content-Encoding")).toBeNull();
});

test("a quiet stream gets a ping", async () => {
  await using served = await serve({ pingMs: 10 });
  const stream = await served.stream(await served.connect());
  await stream.untilText(": ping\n\n: ping\n\n");
});

test("a session's messages and answers go to its own stream once one is open, else to the connection's", async () => {
  await using served = await serve();
  const id = await served.connect();
  const main = await served.stream(id);
  const prompt = (n: number, sessionId: string) =>
    served.post(id, {
      id: n,
      method: "session/prompt",
      params: { sessionId, prompt: [{ type: "text", text: "hi" }] },
    });
  await prompt(2, "s");
  expect(await main.until(isAnswer(2))).toHaveLength(2);
  const own = await served.stream(id, SESSION);
  await prompt(3, "s");
  await prompt(4, "other");
  expect(await own.until(isAnswer(3))).toMatchObject([
    { id: "3", data: toChunk("s", "hi") },
    { id: "4", data: { id: 3, result: { stopReason: "end_turn" } } },
  ]);
  expect(await main.until(isAnswer(4))).toMatchObject([{ data: toChunk("other", "hi") }, {}]);
  own.drop();
  await prompt(5, "s");
  const back = await served.stream(id, { ...SESSION, "Last-Event-ID": "4" });
  expect(await back.until(isAnswer(5))).toHaveLength(2);
});

test("what was said before the first stream waits for it", async () => {
  await using served = await serve();
  const id = await served.connect();
  await served.post(id, say(2));
  const stream = await served.stream(id);
  expect(await stream.next()).toMatchObject({ data: { id: 2 } });
});

test("Last-Event-ID replays exactly the gap", async () => {
  await using served = await serve();
  const id = await served.connect();
  const first = await served.stream(id);
  for (let n = 2; n < 7; n += 1) await served.post(id, say(n));
  await first.until(isAnswer(6));
  first.drop();
  await served.post(id, say(7));
  const second = await served.stream(id, { "Last-Event-ID": "3" });
  expect((await second.until(isAnswer(7))).map((event) => event.id)).toEqual(["4", "5", "6"]);
});

test.each(["1", "77", "abc"])(
  "Last-Event-ID %s, too old, foreign or malformed, opens with one resync and goes on live",
  async (lastEventId) => {
    await using served = await serve({ outbox: { ...OUTBOX_LIMITS, ringEvents: 3 } });
    const id = await served.connect();
    const first = await served.stream(id);
    for (let n = 2; n < 8; n += 1) await served.post(id, say(n));
    await first.until(isAnswer(7));
    const stream = await served.stream(id, { "Last-Event-ID": lastEventId });
    expect(await stream.next()).toMatchObject({ event: "resync", id: "6", data: { oldest: 4 } });
    await served.post(id, say(8));
    expect(await stream.next()).toMatchObject({ event: "message", id: "7", data: { id: 8 } });
    const again = await served.stream(id, { "Last-Event-ID": "6" });
    expect(await again.next()).toMatchObject({ event: "message", id: "7", data: { id: 8 } });
  },
);

test("a newer stream replaces the older one, which is ended", async () => {
  await using served = await serve();
  const id = await served.connect();
  const older = await served.stream(id);
  const newer = await served.stream(id);
  expect(await older.next()).toBeUndefined();
  await served.post(id, say(2));
  expect(await newer.next()).toMatchObject({ data: { id: 2 } });
});

test("a question that was open when the stream broke is asked again, and its answer counts", async () => {
  await using served = await serve();
  const id = await served.connect();
  const first = await served.stream(id);
  await served.post(id, { id: 2, method: "ask", params: { sessionId: "s" } });
  const asked = await first.next();
  first.drop();
  await until(async () =>
    (await (await fetch(`${served.origin}/metrics`)).text()).includes("streams 0\n"),
  );
  const second = await served.stream(id);
  expect((await second.next())?.data).toEqual(asked?.data);
  const question = asked?.data;
  const questionId = isRecord(question) ? question["id"] : undefined;
  await served.post(id, {
    id: questionId,
    result: { outcome: { outcome: "selected", optionId: "yes" } },
  });
  expect(await second.until(isAnswer(2))).toHaveLength(1);
  expect(served.side(id).events).toEqual(["resend"]);
});

test("when the grace ends questions are denied, running work is not cancelled, and the id is gone", async () => {
  await using served = await serve({ graceMs: 40 });
  const id = await served.connect();
  const stream = await served.stream(id);
  await served.post(id, { id: 2, method: "ask", params: { sessionId: "s" } });
  await served.post(id, { id: 3, method: "wait" });
  await stream.next();
  stream.drop();
  await until(() => served.side(id).events.includes("deny"));
  expect(served.side(id).events).toEqual(["deny"]);
  expect((await served.post(id, say(4))).status).toBe(400);
});

test("a connection whose grace ended closes when its last request is answered", async () => {
  await using served = await serve({ graceMs: 40 });
  const id = await served.connect();
  const stream = await served.stream(id);
  stream.drop();
  await until(() => served.side(id).events.length === 2);
  expect(served.side(id).events).toEqual([
    "deny",
    "close: no stream was opened again within the grace",
  ]);
});

test("connections that nobody uses end after the idle time, and those with a stream stay", async () => {
  await using served = await serve({ idleMs: 40 });
  const used = await served.connect();
  const stream = await served.stream(used);
  const abandoned = await Promise.all(Array.from({ length: 50 }, () => served.connect()));
  await until(() => abandoned.every((id) => served.side(id).events.length > 0));
  expect(served.side(abandoned[0] ?? "").events).toEqual(["close: idle"]);
  await served.post(used, say(2));
  expect(await stream.next()).toMatchObject({ data: { id: 2 } });
});

test("a client that reads nothing is given up after 16 MiB, its turn goes on, and others do not notice", async () => {
  await using served = await serve({ outbox: { ...OUTBOX_LIMITS, stallMs: 20 } });
  const slow = await served.connect();
  const socket = await openAndNeverRead(served, slow);
  const fast = await served.connect();
  const stream = await served.stream(fast);
  const before = heldBytes();
  let most = before;
  for (let n = 0; n < 800; n += 1) {
    await served.side(slow).send(toChunk("s", `${n} ${"x".repeat(64_000)}`));
    if (n % 100 < 99) continue;
    await Bun.sleep(0);
    most = Math.max(most, heldBytes());
  }
  const start = performance.now();
  await served.post(fast, say(3));
  expect(await stream.next()).toMatchObject({ data: { id: 3 } });
  expect(performance.now() - start).toBeLessThan(3_000);
  await until(() => served.side(slow).events.length === 2);
  expect(served.side(slow).events).toEqual([
    "deny",
    "close: the client left too many bytes unread",
  ]);
  // Of 51 MB: what may be unread, and what may be asked for again.
  const { maxUnsentBytes, ringBytes } = OUTBOX_LIMITS;
  expect(most - before).toBeLessThan(maxUnsentBytes + 1.25 * ringBytes);
  expect((await served.post(slow, say(4))).status).toBe(400);
  socket.destroy();
});

test("a client that reads gets a replay far larger than the unsent limit, whole and in order", async () => {
  await using served = await serve({ outbox: { ...OUTBOX_LIMITS, maxUnsentBytes: 400_000 } });
  const id = await served.connect();
  const stream = await served.stream(id);
  await served.post(id, { id: 2, method: "flood", params: { count: 500, bytes: 20_000 } });
  const events = await stream.until(isAnswer(2));
  expect(events).toHaveLength(501);
  expect(events.map((event) => Number(event.id))).toEqual(
    Array.from({ length: 501 }, (_, n) => n + 1),
  );
  expect(served.side(id).events).toEqual([]);
});

test("one message of 20 MB passes in both directions", async () => {
  await using served = await serve();
  const id = await served.connect();
  const stream = await served.stream(id);
  const text = "ü".repeat(10_000_000);
  expect((await served.post(id, { id: 2, method: "echo", params: { text } })).status).toBe(202);
  const event = await stream.next();
  expect(event?.data).toEqual({ jsonrpc: "2.0", id: 2, result: { text } });
}, 30_000);

test("a hundred clients at once each get their own events and nobody else's", async () => {
  await using served = await serve();
  await Promise.all(
    Array.from({ length: 100 }, async (_, client) => {
      const id = await served.connect();
      const stream = await served.stream(id);
      await served.post(id, {
        id: client,
        method: "flood",
        params: { sessionId: `s${client}`, count: 20, bytes: 1 },
      });
      const events = await stream.until(isAnswer(client));
      const own = Array.from({ length: 20 }, (_, n) => toChunk(`s${client}`, `${n} x`));
      expect(events.slice(0, -1).map(({ data }) => data)).toEqual(own);
      stream.drop();
    }),
  );
});

test("a connection takes no more session streams than it may have lanes", async () => {
  await using served = await serve();
  const id = await served.connect();
  const statuses = new Set<number>();
  for (let n = 0; n < 256; n += 1) {
    const abort = new AbortController();
    const response = await fetch(served.url, {
      headers: { "Acp-Connection-Id": id, "Acp-Session-Id": `s${n}` },
      signal: abort.signal,
    });
    statuses.add(response.status);
    abort.abort();
  }
  expect([...statuses]).toEqual([200, 503]);
});
