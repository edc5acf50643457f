// The SQLite store against other processes: killed at any moment, many at once, holding the lock, dead with a lease.

import { join } from "node:path";
import { expect, test } from "bun:test";
import { must } from "../../src/lib/assert.ts";
import { toSessionId } from "../../src/lib/ids.ts";
import { thisProcess } from "../../src/stores/leases.ts";
import { openSqliteStore } from "../../src/stores/sqlite.ts";
import type { Store } from "../../src/stores/store.ts";
import { tempDir } from "../support/temp-dir.ts";
import { recordOf, userMessage } from "./samples.ts";

const CHILD = join(import.meta.dir, "child.ts");
const open = (path: string) => openSqliteStore(path, { now: Date.now });

function start(...args: readonly string[]) {
  return Bun.spawn([process.execPath, CHILD, ...args], { stdin: "pipe", stdout: "pipe" });
}

async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  let rest = "";
  const decoder = new TextDecoder();
  for await (const bytes of stream) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
}

async function makeSession(path: string) {
  await using store = await open(path);
  const record = recordOf({ updatedAt: Date.now() });
  await store.createSession(record);
  return record;
}

async function textsOf(store: Store, id: string): Promise<readonly string[]> {
  const entries = await store.entries(toSessionId(id));
  return entries.map(({ event }) => (event.type === "user_message" ? event.text : ""));
}

test("after kill -9 at any moment the store opens, lists and holds every acknowledged entry without a hole", async () => {
  await using dir = await tempDir();
  const path = dir.file("home/sessions.db");
  const { id } = await makeSession(path);
  let acknowledged = 0;
  for (const killAfter of [1, 2, 17, 40, 93]) {
    await using child = start("append", path, id);
    let seen = 0;
    for await (const line of linesOf(child.stdout)) {
      acknowledged = Math.max(acknowledged, Number(line));
      seen += 1;
      // Lines written before the signal arrives are read too, so that they count as acknowledged.
      if (seen === killAfter) child.kill("SIGKILL");
    }
    await child.exited;

    await using store = await open(path);
    const numbers = (await store.entries(id)).map(({ seq }) => seq);
    expect(numbers).toEqual(numbers.map((_, i) => i + 1));
    expect(numbers.length).toBeGreaterThanOrEqual(acknowledged);
    const record = must(await store.getSession(id));
    expect(record.prompts).toBe(numbers.length);
    expect(await store.listSessions({ limit: 5 })).toEqual({ ok: true, sessions: [record] });
    expect((await store.drafts(id)).length).toBeLessThanOrEqual(1);
  }
});

test("four processes at one file lose nothing, and one lease lets one in at a time", async () => {
  await using dir = await tempDir();
  const path = dir.file("sessions.db");
  const { id } = await makeSession(path);
  const children = ["a", "b", "c", "d"].map((holder) => start("contend", path, id, holder));
  const outputs = await Promise.all(children.map((child) => new Response(child.stdout).text()));
  expect(await Promise.all(children.map((child) => child.exited))).toEqual([0, 0, 0, 0]);

  await using store = await open(path);
  for (const own of outputs) expect((await textsOf(store, own.trim())).length).toBeGreaterThan(14);
  const visits = await textsOf(store, id);
  expect(visits).toHaveLength(4 * 15 * 2);
  for (let i = 0; i < visits.length; i += 2) {
    expect(visits[i + 1]).toBe(must(visits[i]).replace("enter", "leave"));
  }
});

test("several processes may make the same file at once", async () => {
  await using dir = await tempDir();
  const path = dir.file("new/home/sessions.db");
  const children = ["a", "b", "c"].map(() => start("make", path));
  const stores = await Promise.all(Array.from({ length: 4 }, () => open(path)));
  expect(await Promise.all(children.map((child) => child.exited))).toEqual([0, 0, 0]);
  for (const store of stores) await store[Symbol.asyncDispose]();
});

test("a process that holds the write lock delays an append without freezing this one, and reads go on", async () => {
  await using dir = await tempDir();
  const path = dir.file("sessions.db");
  await using store = await open(path);
  const record = recordOf();
  await store.createSession(record);
  await using child = start("lock", path);
  await linesOf(child.stdout).next();

  let last = performance.now();
  let longestMs = 0;
  let pulses = 0;
  const pulse = setInterval(() => {
    pulses += 1;
    longestMs = Math.max(longestMs, performance.now() - last);
    last = performance.now();
  }, 5);
  const order: string[] = [];
  const appends = ["first", "second"].map(async (text) => {
    await store.append(record.id, [{ event: userMessage(text) }], { sync: "full" });
    order.push(text);
  });
  expect(await store.entries(record.id)).toEqual([]);
  const heldUntil = performance.now() + 2_000;
  while (performance.now() < heldUntil) await Bun.sleep(20);
  expect(order).toEqual([]);
  await child.stdin.end();
  await Promise.all(appends);
  clearInterval(pulse);
  expect(await textsOf(store, record.id)).toEqual(["first", "second"]);
  expect(order).toEqual(["first", "second"]);
  // On average far below 250 ms; a single gap may also come from a busy machine, but never be the whole wait.
  expect(pulses).toBeGreaterThan(2_000 / 250);
  expect(longestMs).toBeLessThan(1_000);
});

test("a store that is closed while another process holds the lock closes in time and says what was not stored", async () => {
  await using dir = await tempDir();
  const path = dir.file("sessions.db");
  const store = await open(path);
  const { id, ...rest } = recordOf();
  await store.createSession({ id, ...rest });
  await using child = start("lock", path);
  await linesOf(child.stdout).next();
  const lost = store.append(id, [{ event: userMessage("late") }]).catch((error: unknown) => error);
  const closedAt = performance.now();
  await store[Symbol.asyncDispose]();
  expect(performance.now() - closedAt).toBeLessThan(6_000);
  expect(String(await lost)).toContain("stayed locked by another process");
  expect(store.getSession(id)).rejects.toThrow("is closed");
});

test("a session whose holder was killed is free at once for another process", async () => {
  await using dir = await tempDir();
  const path = dir.file("sessions.db");
  const { id } = await makeSession(path);
  await using child = start("lease", path, id, "theirs");
  expect((await linesOf(child.stdout).next()).value).toBe("held");

  await using store = await open(path);
  const ours = { ...thisProcess(), holderId: "ours" };
  expect(await store.acquireLease(id, ours)).toBe(false);
  child.kill("SIGKILL");
  await child.exited;
  expect(await store.acquireLease(id, ours)).toBe(true);
});

test.skipIf(process.platform === "win32")(
  "a write that the system refuses is an error in words, and what was acknowledged stays (POSIX limits)",
  async () => {
    await using dir = await tempDir();
    const path = dir.file("sessions.db");
    const { id } = await makeSession(path);
    // At most 400 blocks of 1024 bytes a file; without the trap the kernel would end the process.
    const command = `trap '' XFSZ; ulimit -f 400; exec "$0" "$@"`;
    await using child = Bun.spawn(
      ["bash", "-c", command, process.execPath, CHILD, "fill", path, id],
      { stdout: "pipe" },
    );
    const lines = (await new Response(child.stdout).text()).trim().split("\n");
    expect(lines.at(-1)).toMatch(/^The session store .*sessions\.db cannot/);
    expect(lines.length).toBeGreaterThan(2);

    await using store = await open(path);
    expect(await store.entries(id)).toHaveLength(lines.length - 1);
    await store.append(id, [{ event: userMessage("again") }]);
  },
);

const mountsItsOwn =
  process.platform === "linux" &&
  Bun.spawnSync(["unshare", "-rm", "mount", "-t", "tmpfs", "none", "/mnt"]).success;

test.skipIf(!mountsItsOwn)(
  "a full disk refuses in words, loses nothing and is used again once there is room; a read-only one refuses to open (needs unshare)",
  async () => {
    await using dir = await tempDir();
    const script = [
      `mount -t tmpfs -o size=2m none ${dir.path}`,
      `"$0" "$1" fillDisk ${dir.file("sessions.db")}`,
      `mount -o remount,ro ${dir.path}`,
      `"$0" "$1" openOnly ${dir.file("sessions.db")}`,
      `"$0" "$1" openOnly ${dir.file("new/sessions.db")}`,
    ].join(" && ");
    const command = ["unshare", "-rm", "bash", "-c", script, process.execPath, CHILD];
    await using child = Bun.spawn(command, { stdout: "pipe" });
    const lines = (await new Response(child.stdout).text()).trim().split("\n");
    expect(lines[0]).toContain("cannot grow: the disk is full; free some space (SQLITE_FULL)");
    expect(lines[1]).toMatch(/^(\d+) acknowledged, \1 stored$/);
    expect(lines[2]).toContain("cannot be made or written; check its folder");
    expect(lines[3]).toContain("cannot be made or written; check its folder");
  },
);
