// stdio as a client sees it: a real process on real pipes.

import { expect, test } from "bun:test";
import { join } from "node:path";
import { must } from "../../src/lib/assert.ts";
import { LineWriter } from "../../src/transports/line-writer.ts";
import { openStdio } from "../../src/transports/stdio.ts";
import { createEchoHost } from "../support/echo-host.ts";
import { watchParent } from "../../src/transports/parent-watch.ts";
import { until } from "./http-harness.ts";

const AGENT = join(import.meta.dir, "../support/echo-host.ts");
const line = (message: object) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`;
const initialize = line({ id: 1, method: "initialize", params: { protocolVersion: 1 } });
const flood = (count: number, bytes: number) =>
  line({ id: 2, method: "flood", params: { count, bytes } });

const spawn = () => Bun.spawn(["bun", AGENT], { stdin: "pipe", stdout: "pipe", stderr: "pipe" });

test.concurrent("answers requests that came right before the end of stdin, cancels the rest, exits 0", async () => {
  await using agent = spawn();
  await agent.stdin.write(`Welcome back\n${initialize}${line({ id: 2, method: "wait" })}`);
  await agent.stdin.end();
  const [out, err] = await Promise.all([agent.stdout.text(), agent.stderr.text()]);
  expect(
    out
      .trim()
      .split("\n")
      .map((text): unknown => JSON.parse(text)),
  ).toMatchObject([
    { id: null, error: { code: -32700 } },
    { id: 1, result: { protocolVersion: 1 } },
    { id: 2, error: { code: -32800 } },
  ]);
  expect([await agent.exited, err]).toEqual([0, ""]);
});

test.concurrent("ends by itself when stdin is empty from the start", async () => {
  await using agent = Bun.spawn(["bun", AGENT], { stdin: "ignore", stdout: "pipe" });
  expect(await agent.stdout.text()).toBe("");
  expect(await agent.exited).toBe(0);
});

test.concurrent("a client that reads nothing costs bounded memory and gets everything once it reads", async () => {
  const script = `{ printf '%s' "$INPUT"; sleep 1.2; } | bun "$AGENT" | { sleep 1; cat; } | wc -l`;
  await using shell = Bun.spawn(["sh", "-c", script], {
    env: { ...process.env, AGENT, INPUT: initialize + flood(1_000, 20_000) },
    stdout: "pipe",
  });
  expect((await shell.stdout.text()).trim()).toBe("1002");
});

test.concurrent("a broken stdout ends the process once and silently", async () => {
  const script = `{ printf '%s' "$INPUT"; sleep 20; } | { bun "$AGENT"; echo "exit $?" >&2; } | head -c 10`;
  await using shell = Bun.spawn(["sh", "-c", script], {
    env: { ...process.env, AGENT, INPUT: initialize + flood(1_000, 20_000) },
    stdout: "pipe",
    stderr: "pipe",
    detached: true,
  });
  const reader = shell.stderr.getReader();
  const { value } = await reader.read();
  expect(new TextDecoder().decode(value)).toBe("exit 0\n");
  // The sleeping writer of the pipeline would outlive its shell.
  process.kill(-shell.pid, "SIGKILL");
});

test.concurrent("a vanished parent ends the process though stdin stays open", async () => {
  const script = `bun "$AGENT" 20 <&3 & echo started; wait`;
  await using shell = Bun.spawn(["sh", "-c", script], {
    env: { ...process.env, AGENT },
    stdio: ["ignore", "pipe", "inherit", "pipe"],
  });
  const input = Bun.file(must(shell.stdio[3])).writer();
  await input.write(initialize);
  await input.flush();
  const output = shell.stdout.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  while (!text.includes('"id":1')) text += (await output.read()).value ?? "";
  shell.kill("SIGKILL");
  // The agent holds the other end of this pipe: it ends when the agent does.
  while (!(await output.read()).done);
});

test.concurrent("a line of 10 MB in pieces of 1 kB comes back whole", async () => {
  await using agent = spawn();
  const text = "é".repeat(5_000_000);
  const bytes = new TextEncoder().encode(line({ id: 2, method: "echo", params: { text } }));
  const output = agent.stdout.text();
  for (let start = 0; start < bytes.length; start += 1_024)
    await agent.stdin.write(bytes.subarray(start, start + 1_024));
  await agent.stdin.end();
  expect(JSON.parse(await output)).toEqual({ jsonrpc: "2.0", id: 2, result: { text } });
});

test("LineWriter joins what a tick says, keeps the order, and makes a writer wait when too much is unsent", async () => {
  const written: string[] = [];
  const gate = Promise.withResolvers<number>();
  const sink = { write: (text: string) => written.push(text), flush: () => gate.promise };
  const writer = new LineWriter(sink, 10);
  expect(writer.write("a\n")).toBeUndefined();
  expect(writer.write("b\n")).toBeUndefined();
  const room = writer.write("c".repeat(20));
  await until(() => written.length === 1);
  expect(written).toEqual([`a\nb\n${"c".repeat(20)}`]);
  gate.resolve(0);
  await room;
  await writer.flushed(1_000);
  expect(writer.write("d\n")).toBeUndefined();
  await writer.flushed(1_000);
  expect(written).toHaveLength(2);
});

test("LineWriter stops for good at the first failure and lets nobody wait", async () => {
  let calls = 0;
  const sink = {
    write: () => {
      calls += 1;
      throw new Error("EPIPE");
    },
    flush: () => 0,
  };
  const writer = new LineWriter(sink, 1);
  await writer.write("a long line\n");
  await writer.broken;
  for (let n = 0; n < 100; n += 1) expect(writer.write("x\n")).toBeUndefined();
  await writer.flushed(1_000);
  expect(calls).toBe(1);
});

test("LineWriter gives a reader up that takes nothing while it is flushed", async () => {
  const writer = new LineWriter({ write: () => 0, flush: () => new Promise(() => undefined) });
  void writer.write("x\n");
  await writer.flushed(10);
});

test("watchParent calls once when the parent changes, and does not watch an orphan", async () => {
  let parent = 7;
  let calls = 0;
  using watching = watchParent(
    () => (calls += 1),
    1,
    () => parent,
  );
  parent = 1;
  await until(() => calls > 0);
  expect(watching).toBeDefined();
  using orphan = watchParent(
    () => (calls += 1),
    1,
    () => 1,
  );
  expect([orphan !== undefined, calls]).toEqual([true, 1]);
});

test("a peer that sends rubbish without end and reads nothing costs bounded memory", async () => {
  let reads = 0;
  const rubbish = new TextEncoder().encode("rubbish\n".repeat(1_000));
  const read = () => {
    reads += 1;
    return Promise.resolve({ value: rubbish, done: false });
  };
  const stdin = { read, cancel: () => Promise.resolve() };
  const stdout = { write: () => 0, flush: () => new Promise<number>(() => undefined) };
  await using stdio = openStdio({ flushStallMs: 10 }, createEchoHost(), { stdin, stdout });
  await new Promise((resolve) => setImmediate(resolve));
  const before = reads;
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  expect([reads, reads < 50, stdio.address]).toEqual([before, true, undefined]);
});

test("drain refuses new requests, lets running ones end, and ends when its signal aborts", async () => {
  const lines: string[] = [];
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const reader = readable.getReader();
  const stdin = { read: () => reader.read(), cancel: () => reader.cancel() };
  const stdout = {
    write: (text: string) => lines.push(...text.trim().split("\n")),
    flush: () => 0,
  };
  const host = createEchoHost();
  await using stdio = openStdio({}, host, { stdin, stdout });
  const input = writable.getWriter();
  const say = (message: object) => input.write(new TextEncoder().encode(line(message)));
  await say({ id: 1, method: "wait" });
  await until(() => host.connections[0]?.received.length === 1);
  const limit = new AbortController();
  const drained = stdio.drain(limit.signal);
  await say({ id: 2, method: "echo" });
  await until(() => lines.length === 1);
  expect(JSON.parse(lines[0] ?? "")).toMatchObject({ id: 2, error: { code: -32603 } });
  limit.abort();
  await drained;
  await say({ method: "session/cancel" });
  await stdio.drain(new AbortController().signal);
  await until(() => lines.length === 2);
  expect(JSON.parse(lines[1] ?? "")).toMatchObject({ id: 1, error: { code: -32800 } });
});
