// What the session store costs: appends, checkpoints, a long load, the first page of a hundred thousand sessions.

import { openSqliteStore } from "../../src/stores/sqlite.ts";
import type { Store } from "../../src/stores/store.ts";
import { assistantMessage, recordOf, userMessage } from "../stores/samples.ts";
import { tempDir } from "../support/temp-dir.ts";
import { type Row, statsOf } from "./row.ts";

const SESSIONS = 100_000;
const LONG = 20_000;
const WARM_UP = 50;
const PAGES = 101;
const TEXT = "resource aws_s3_bucket logs { bucket = var.name } ".repeat(8);

async function perCall(times: number, call: (i: number) => Promise<unknown>): Promise<number> {
  const start = performance.now();
  for (let i = 0; i < times; i += 1) await call(i);
  return ((performance.now() - start) * 1000) / times;
}

async function timesOf(times: number, call: () => Promise<unknown>): Promise<number[]> {
  const taken: number[] = [];
  for (let i = 0; i < times; i += 1) taken.push(await perCall(1, call));
  return taken;
}

const median = async (times: number, call: () => Promise<unknown>): Promise<number> =>
  statsOf(await timesOf(times, call)).median;

/** Of every session, and of one directory. */
async function firstPages(store: Store): Promise<readonly [number[], number[]]> {
  const everywhere = () => store.listSessions({ limit: 50 });
  const inDirectory = () => store.listSessions({ limit: 50, cwd: "/srv/app" });
  await timesOf(WARM_UP, everywhere);
  await timesOf(WARM_UP, inDirectory);
  return [await timesOf(PAGES, everywhere), await timesOf(PAGES, inDirectory)];
}

/** A list is read through an index, so its first page costs the same however many sessions there are. */
function pageRow(where: string, large: readonly number[], small: readonly number[]): Row {
  return {
    name: `store: first page of 100,000 sessions${where}`,
    unit: "µs",
    ...statsOf(large),
    reference: { name: "of 100 sessions", median: statsOf(small).median },
    target: { kind: "at_most", ratio: 1.5 },
  };
}

/** Microseconds unless the unit says otherwise. Writes only to a temporary folder. */
export async function bench(): Promise<readonly Row[]> {
  await using dir = await tempDir();
  const path = dir.file("sessions.db");
  const found: Row[] = [];
  const add = (name: string, value: number, unit = "µs") => {
    found.push({ name: `store: ${name}`, unit, median: value, min: value, max: value });
  };
  {
    await using store = await openSqliteStore(path, { now: Date.now });
    const { id, ...rest } = recordOf();
    await store.createSession({ id, ...rest });
    const entry = { event: assistantMessage(TEXT) };
    add("append one entry", await perCall(2_000, () => store.append(id, [entry])));
    const twenty = Array.from({ length: 20 }, () => entry);
    const batched = await perCall((LONG - 2_000) / 20, () => store.append(id, twenty));
    add("append, per entry of 20", batched / 20);
    const full = { sync: "full" } as const;
    add("append and wait for the disk", await perCall(200, () => store.append(id, [entry], full)));
    const draft = { messageId: "m", text: TEXT.repeat(50), thought: "", model: "x" };
    add("checkpoint 20 kB", await perCall(500, () => store.checkpoint(id, draft)));
    add("load 20,000 entries", (await median(5, () => store.entries(id))) / 1000, "ms");
    const last = { afterSeq: LONG - 200 };
    add("load the last 200", (await median(5, () => store.entries(id, last))) / 1000, "ms");

    for (let i = 0; i < 100; i += 1) await store.createSession(recordOf({ prompts: 1 }));
    const [small, smallInDirectory] = await firstPages(store);
    const records = Array.from({ length: SESSIONS }, (_, i) =>
      recordOf({ prompts: 1, updatedAt: i }),
    );
    await Promise.all(records.map((record) => store.createSession(record)));
    await store.append(id, [{ event: userMessage("one more") }]);
    const [large, largeInDirectory] = await firstPages(store);
    found.push(pageRow("", large, small));
    found.push(pageRow(" of one directory", largeInDirectory, smallInDirectory));
  }
  const reopen = async () =>
    (await openSqliteStore(path, { now: Date.now }))[Symbol.asyncDispose]();
  add("open and close with 100,000 sessions", (await median(5, reopen)) / 1000, "ms");
  add("file size with 100,000 sessions", Bun.file(path).size / 1e6, "MB");
  return found;
}

if (import.meta.main) console.table(await bench());
