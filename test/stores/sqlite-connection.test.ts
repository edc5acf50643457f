// What writes that are asked for together have in common, and what not.

import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { newSessionId } from "../../src/lib/ids.ts";
import { openSqliteStore } from "../../src/stores/sqlite.ts";
import type { Store } from "../../src/stores/store.ts";
import { tempDir } from "../support/temp-dir.ts";
import { recordOf, userMessage } from "./samples.ts";

const WAL_HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
const FULL = { sync: "full" } as const;

/** Transactions in the write-ahead log: a frame that ends one says how large the database is then. https://sqlite.org/walformat.html */
function commitsIn(database: string): number {
  const wal = readFileSync(`${database}-wal`);
  const frameBytes = FRAME_HEADER_BYTES + wal.readUInt32BE(8);
  let commits = 0;
  for (let at = WAL_HEADER_BYTES; at + frameBytes <= wal.length; at += frameBytes)
    if (wal.readUInt32BE(at + 4) > 0) commits += 1;
  return commits;
}

const texts = async (store: Store, id: ReturnType<typeof newSessionId>): Promise<unknown[]> =>
  (await store.entries(id)).map(({ event }) => "text" in event && event.text);

test("appends that wait for the disk together wait once, and keep their order with those behind them", async () => {
  await using dir = await tempDir();
  const file = dir.file("sessions.db");
  await using store = await openSqliteStore(file, { now: Date.now });
  const records = Array.from({ length: 20 }, () => recordOf());
  for (const record of records) await store.createSession(record);
  const before = commitsIn(file);
  const stored = await Promise.all(
    records.flatMap(({ id }) => [
      store.append(id, [{ event: userMessage("first") }], FULL),
      store.append(id, [{ event: userMessage("second") }]),
    ]),
  );
  expect(commitsIn(file) - before).toBe(1);
  expect(stored.flat().map(({ seq }) => seq)).toEqual(records.flatMap(() => [1, 2]));
  for (const { id } of records) expect(await texts(store, id)).toEqual(["first", "second"]);
});

test("an append that fails takes none of those with it that share its transaction", async () => {
  await using dir = await tempDir();
  await using store = await openSqliteStore(dir.file("sessions.db"), { now: Date.now });
  const [first, last] = [recordOf(), recordOf()];
  await store.createSession(first);
  await store.createSession(last);
  const nobody = newSessionId();
  const results = await Promise.allSettled([
    store.append(first.id, [{ event: userMessage("one") }], FULL),
    store.append(nobody, [{ event: userMessage("lost") }], FULL),
    store.append(last.id, [{ event: userMessage("two") }], FULL),
  ]);
  expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  expect(await texts(store, first.id)).toEqual(["one"]);
  expect(await texts(store, last.id)).toEqual(["two"]);
});

test("what was asked for before the store is closed is stored, together or not", async () => {
  await using dir = await tempDir();
  const file = dir.file("sessions.db");
  const record = recordOf();
  const store = await openSqliteStore(file, { now: Date.now });
  await store.createSession(record);
  const appended = [
    store.append(record.id, [{ event: userMessage("alone") }]),
    store.append(record.id, [{ event: userMessage("waits") }], FULL),
    store.append(record.id, [{ event: userMessage("joins") }]),
  ];
  await store[Symbol.asyncDispose]();
  await Promise.all(appended);
  await using again = await openSqliteStore(file, { now: Date.now });
  expect(await texts(again, record.id)).toEqual(["alone", "waits", "joins"]);
});
