// Another process at the same store. `child.ts <what> <database> [session] [holder]`; each line on stdout is something done.

import { Database } from "bun:sqlite";
import { rm, writeFile } from "node:fs/promises";
import { must } from "../../src/lib/assert.ts";
import { toSessionId } from "../../src/lib/ids.ts";
import { thisProcess } from "../../src/stores/leases.ts";
import { openSqliteStore } from "../../src/stores/sqlite.ts";
import { recordOf, userMessage } from "./samples.ts";

const LINE = "x".repeat(2_000);
const [what = "", path = "", session = "", holderId = ""] = process.argv.slice(2);
const id = toSessionId(session);
const say = (word: string | number) => process.stdout.write(`${word}\n`);

async function make(): Promise<void> {
  await using store = await openSqliteStore(path, { now: Date.now });
  await store.createSession(recordOf({ updatedAt: Date.now() }));
}

async function append(): Promise<void> {
  const store = await openSqliteStore(path, { now: Date.now });
  for (let i = 0; ; i += 1) {
    const portion = Array.from({ length: 1 + (i % 3) }, () => ({ event: userMessage(LINE) }));
    const stored = await store.append(id, portion, { sync: i % 5 === 0 ? "full" : "normal" });
    await store.checkpoint(id, { messageId: "m", text: LINE, thought: "", model: "x" });
    say(must(stored.at(-1)).seq);
  }
}

/** Appends to a session of its own, and under the lease to the shared one: `enter`, `leave`. */
async function contend(): Promise<void> {
  await using store = await openSqliteStore(path, { now: Date.now });
  const own = recordOf({ updatedAt: Date.now() });
  await store.createSession(own);
  const holder = { ...thisProcess(), holderId };
  for (let rounds = 0; rounds < 15;) {
    await store.append(own.id, [{ event: userMessage(LINE) }]);
    if (!(await store.acquireLease(id, holder))) continue;
    await store.append(id, [{ event: userMessage(`enter ${holderId}`) }]);
    await store.append(id, [{ event: userMessage(`leave ${holderId}`) }]);
    await store.releaseLease(id, holder);
    rounds += 1;
  }
  say(own.id);
}

async function lease(): Promise<void> {
  const store = await openSqliteStore(path, { now: Date.now });
  say((await store.acquireLease(id, { ...thisProcess(), holderId })) ? "held" : "refused");
  await Bun.sleep(60_000);
}

/** Keeps the write lock until stdin ends. */
async function lock(): Promise<void> {
  const db = new Database(path);
  db.run("BEGIN IMMEDIATE");
  say("locked");
  await Bun.stdin.text();
  db.run("ROLLBACK");
}

/** Appends until it fails, and tells the reason. */
async function fill(): Promise<void> {
  const store = await openSqliteStore(path, { now: Date.now });
  try {
    for (;;) {
      say(must((await store.append(id, [{ event: userMessage(LINE.repeat(20)) }])).at(-1)).seq);
    }
  } catch (error) {
    say(error instanceof Error ? error.message : "no error");
  }
}

/** Appends until the disk is full, makes room, goes on: the reason, then what was acknowledged and what is stored. */
async function fillDisk(): Promise<void> {
  const ballast = `${path}.ballast`;
  await writeFile(ballast, LINE.repeat(200));
  await using store = await openSqliteStore(path, { now: Date.now });
  const record = recordOf();
  await store.createSession(record);
  const add = () => store.append(record.id, [{ event: userMessage(LINE) }], { sync: "full" });
  let acknowledged = 0;
  const reason = await (async () => {
    for (;;) acknowledged = must((await add()).at(-1)).seq;
  })().catch(String);
  await rm(ballast);
  await add();
  say(reason);
  say(`${acknowledged + 1} acknowledged, ${(await store.entries(record.id)).length} stored`);
}

async function openOnly(): Promise<void> {
  say(await openSqliteStore(path, { now: Date.now }).then(() => "opened", String));
}

await must({ fillDisk, openOnly, make, append, contend, lease, lock, fill }[what])();
