// How fast and how lean the transports are, against the barest code that does the same on this runtime.
// Clients are another process, so that only the server's side is measured. `bun test/bench/transports.ts` prints rows.

import { type Socket, connect } from "node:net";
import { join } from "node:path";
import { must } from "../../src/lib/assert.ts";
import { openHttp } from "../../src/transports/http.ts";
import { createEchoHost, toChunk, type EchoHost } from "../support/echo-host.ts";
import { type Row, statsOf } from "./row.ts";
import { measureRoundTrip } from "./support-round-trip.ts";

const LAST = "the-last-event";
const TEXT = "resource aws_s3_bucket logs is public";
const INITIALIZE = { jsonrpc: "2.0", id: 1, method: "initialize", params: { protocolVersion: 1 } };
const MEMORY_CLIENTS = 2_000;
const STDIO_MESSAGES = 300_000;
/** Best of, since other work on the machine only ever slows a run down. */
const RUNS = 3;

type Clients = AsyncDisposable & { readonly next: (phase: string) => Promise<void> };

/** A process with `count` clients. Phases: `connected` (POST), `open` (GET), `done` (last event seen). */
function spawnClients(url: string, count: number): Clients {
  const child = Bun.spawn(
    ["bun", join(import.meta.dir, "transports.ts"), "clients", url, String(count)],
    {
      stdin: "pipe",
      stdout: "pipe",
    },
  );
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  return {
    next: async (phase) => {
      while (!text.includes(phase)) {
        const { value, done } = await reader.read();
        if (done) throw new Error(`The clients ended before ${phase}`);
        text += value;
      }
      await child.stdin.write("\n");
      await child.stdin.flush();
    },
    [Symbol.asyncDispose]: async () => {
      child.kill();
      await child.exited;
    },
  };
}

async function beClients(url: string, count: number): Promise<void> {
  const input = Bun.stdin.stream().getReader();
  const say = async (phase: string): Promise<void> => {
    process.stdout.write(`${phase}\n`);
    await input.read();
  };
  const ids: string[] = [];
  for (let n = 0; n < count; n += 1) {
    const headers = { "Content-Type": "application/json" };
    const response = await fetch(url, {
      method: "POST",
      headers,
      body: JSON.stringify(INITIALIZE),
    });
    await response.text();
    ids.push(response.headers.get("Acp-Connection-Id") ?? "");
  }
  await say("connected");
  const { port, hostname } = new URL(url);
  const ended: Promise<void>[] = [];
  for (const id of ids) {
    const socket = connect(Number(port), hostname);
    socket.write(`GET /acp HTTP/1.1\r\nHost: localhost\r\nAcp-Connection-Id: ${id}\r\n\r\n`);
    await new Promise((resolve) => socket.once("data", resolve));
    const { promise, resolve } = Promise.withResolvers<void>();
    ended.push(promise);
    let tail = "";
    socket.on("data", (data) => {
      const end = tail + data.toString("latin1", Math.max(0, data.length - 400));
      if (end.includes(LAST)) resolve();
      tail = end.slice(-LAST.length);
    });
  }
  await say("open");
  await Promise.all(ended);
  await say("done");
}

const chunkOf = (n: number, count: number) => toChunk("s", n === count - 1 ? LAST : TEXT);

/** Events a second over all clients; with `isOneStuck` beside one more that never reads what it is sent. */
async function measureSse(clients: number, each: number, isOneStuck = false): Promise<number> {
  const host = createEchoHost();
  await using listener = await openHttp({ port: 0, maxConnections: clients + 1 }, host);
  const url = must(listener.address);
  const stuck = isOneStuck ? await openStuck(url) : undefined;
  const [slow] = stuck === undefined ? [] : host.connections;
  const rate = await timed(url, clients, each, () => {
    // The turn of the stuck client says as much as all the others together.
    void (slow === undefined ? undefined : sendAll(slow.send, clients * each));
    const others = host.connections.filter((one) => one !== slow);
    return Promise.all(others.map(({ send }) => sendAll(send, each)));
  });
  stuck?.destroy();
  return rate;
}

/** A connection whose stream is open and is never read. */
async function openStuck(url: string): Promise<Socket> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(INITIALIZE),
  });
  await response.text();
  const { port, hostname } = new URL(url);
  const socket = connect(Number(port), hostname);
  const id = response.headers.get("Acp-Connection-Id") ?? "";
  socket.write(`GET /acp HTTP/1.1\r\nHost: localhost\r\nAcp-Connection-Id: ${id}\r\n\r\n`);
  await new Promise((resolve) => socket.once("data", resolve));
  socket.pause();
  return socket;
}

async function sendAll(send: EchoHost["connections"][number]["send"], each: number): Promise<void> {
  for (let n = 0; n < each; n += 1) await send(chunkOf(n, each));
}

/** The same with nothing but Bun.serve and a loop. */
async function measureBareSse(clients: number, each: number): Promise<number> {
  const go = Promise.withResolvers<void>();
  using server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    development: false,
    fetch: (request, self) => {
      if (request.method === "POST")
        return new Response("{}", { headers: { "Acp-Connection-Id": "x" } });
      self.timeout(request, 0);
      const body = new ReadableStream({
        type: "direct",
        pull: async (controller) => {
          await controller.write(": connected\n\n");
          await controller.flush();
          await go.promise;
          for (let n = 0; n < each; n += 1) {
            await controller.write(
              `event: message\nid: ${n}\ndata: ${JSON.stringify(chunkOf(n, each))}\n\n`,
            );
            await controller.flush();
          }
        },
      });
      return new Response(body, { headers: { "Content-Type": "text/event-stream" } });
    },
  });
  return await timed(`http://127.0.0.1:${server.port}/acp`, clients, each, () =>
    Promise.resolve(go.resolve()),
  );
}

async function timed(
  url: string,
  clients: number,
  each: number,
  start: () => Promise<unknown>,
): Promise<number> {
  await using other = spawnClients(url, clients);
  await other.next("connected");
  await other.next("open");
  const before = performance.now();
  const sending = start();
  await other.next("done");
  const elapsedMs = performance.now() - before;
  await sending;
  return (clients * each * 1000) / elapsedMs;
}

/** Bytes of resident memory for each idle connection, and for each open stream on top. */
async function measureMemory(): Promise<{ connection: number; stream: number }> {
  const resident = () => {
    Bun.gc(true);
    return process.memoryUsage().rss;
  };
  await using listener = await openHttp(
    { port: 0, maxConnections: 2 * MEMORY_CLIENTS },
    createEchoHost(),
  );
  // The first clients pay for code and pools that the later ones share.
  await using warm = spawnClients(must(listener.address), MEMORY_CLIENTS);
  await warm.next("connected");
  await warm.next("open");
  await using other = spawnClients(must(listener.address), MEMORY_CLIENTS);
  const empty = resident();
  await other.next("connected");
  const connected = resident();
  await other.next("open");
  const open = resident();
  return {
    connection: (connected - empty) / MEMORY_CLIENTS,
    stream: (open - connected) / MEMORY_CLIENTS,
  };
}

/** Messages a second that a process writes to its stdout. */
async function measureStdout(command: readonly string[], input: string): Promise<number> {
  await using child = Bun.spawn([...command], { stdin: "pipe", stdout: "pipe" });
  const reader = child.stdout.getReader();
  // The first line says that it has started.
  await child.stdin.write(`${JSON.stringify(INITIALIZE)}\n`);
  await child.stdin.flush();
  await reader.read();
  const before = performance.now();
  await child.stdin.write(input);
  await child.stdin.end();
  for (let isDone = false; !isDone;) isDone = (await reader.read()).done;
  return (STDIO_MESSAGES * 1000) / (performance.now() - before);
}

const BARE_WRITER = `
const sink = Bun.stdout.writer();
const input = Bun.stdin.stream().getReader();
await input.read();
sink.write("up\\n");
await sink.flush();
await input.read();
const message = ${JSON.stringify(toChunk("s", TEXT))};
for (let n = 0; n < ${STDIO_MESSAGES}; n += 1) {
  sink.write(JSON.stringify(message) + "\\n");
  if (n % 256 === 0) await sink.flush();
}
await sink.end();`;

/** In turns, so that what else the machine does meets both; the best run of each counts. */
async function compare(
  name: string,
  ours: () => Promise<number>,
  other: () => Promise<number>,
  judged: { readonly reference: string; readonly ratio?: number },
): Promise<Row> {
  const rates: number[] = [];
  const otherRates: number[] = [];
  for (let run = 0; run < RUNS; run += 1) {
    rates.push(await ours());
    otherRates.push(await other());
  }
  const { max, min } = statsOf(rates);
  const { ratio } = judged;
  return {
    name,
    unit: "messages/s",
    median: max,
    min,
    max,
    reference: { name: judged.reference, median: statsOf(otherRates).max },
    ...(ratio === undefined ? {} : { target: { kind: "at_least", ratio } }),
  };
}

/** Rates beside bare code, one stuck client's effect, the round trip, and bytes of memory. */
export async function bench(): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (const [clients, each] of [
    [1, 100_000],
    [100, 2_000],
    [1_000, 200],
  ] as const) {
    const row = compare(
      `sse, clients ${clients}`,
      () => measureSse(clients, each),
      () => measureBareSse(clients, each),
      { reference: "bare Bun.serve loop", ratio: 0.5 },
    );
    rows.push(await row);
  }
  const row = compare(
    "sse, clients 100, beside one that never reads",
    () => measureSse(100, 2_000, true),
    () => measureSse(100, 2_000),
    { reference: "without it", ratio: 0.5 },
  );
  rows.push(await row);
  const flood = { sessionId: "s", count: STDIO_MESSAGES, bytes: TEXT.length };
  const request = { jsonrpc: "2.0", id: 2, method: "flood", params: flood };
  const echo = ["bun", join(import.meta.dir, "../support/echo-host.ts"), "2000", "60000"];
  const stdio = compare(
    "stdio",
    () => measureStdout(echo, `${JSON.stringify(request)}\n`),
    () => measureStdout(["bun", "-e", BARE_WRITER], "go\n"),
    { reference: "bare writer", ratio: 0.3 },
  );
  rows.push(await stdio, await measureRoundTrip());
  const memory = await measureMemory();
  for (const [name, bytes, bound] of [
    ["memory of an idle connection", memory.connection, 40_000],
    ["memory of an open stream", memory.stream, 16_000],
  ] as const)
    rows.push({ name, unit: "B", median: bytes, min: bytes, max: bytes, bound });
  return rows;
}

if (import.meta.main) {
  const [mode, url, count] = process.argv.slice(2);
  if (mode === "clients") await beClients(must(url), Number(count));
  else for (const row of await bench()) console.log(JSON.stringify(row));
}
