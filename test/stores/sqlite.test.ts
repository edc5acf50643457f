// What only the SQLite store promises: modes, versions, damage, deletion from the disk, the cost of a list.

import { Database } from "bun:sqlite";
import { chmod, copyFile, mkdir, readdir, stat, writeFile } from "node:fs/promises";
import { expect, test } from "bun:test";
import fc from "fast-check";
import { must } from "../../src/lib/assert.ts";
import { SCHEMA_VERSION } from "../../src/stores/sqlite-migrations.ts";
import { listSql } from "../../src/stores/sqlite-rows.ts";
import { openSqliteStore } from "../../src/stores/sqlite.ts";
import { tempDir } from "../support/temp-dir.ts";
import { assistantMessage, recordOf, userMessage } from "./samples.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
const open = (path: string, now = Date.now) => openSqliteStore(path, { now });
const modeOf = async (path: string) => ((await stat(path)).mode & 0o777).toString(8);

function alter(path: string, ...statements: readonly string[]): void {
  const db = new Database(path);
  for (const statement of statements) db.run(statement);
  db.close();
}

test("the folder is 0700 and every file of the database 0600, whatever the umask or an older mode", async () => {
  await using dir = await tempDir();
  const path = dir.file("home/sessions/sessions.db");
  const before = process.umask(0o000);
  try {
    await using store = await open(path);
    await store.createSession(recordOf());
    expect(await modeOf(dir.file("home"))).toBe("700");
    expect(await modeOf(dir.file("home/sessions"))).toBe("700");
    for (const name of await readdir(dir.file("home/sessions"))) {
      expect([name, await modeOf(dir.file(`home/sessions/${name}`))]).toEqual([name, "600"]);
    }
  } finally {
    process.umask(before);
  }
  await chmod(path, 0o644);
  await using _ = await open(path);
  expect(await modeOf(path)).toBe("600");
});

test("closing leaves one file, which opens again with all that was stored", async () => {
  await using dir = await tempDir();
  const path = dir.file("sessions.db");
  const record = recordOf({ prompts: 1 });
  {
    await using store = await open(path);
    await store.createSession(record);
  }
  expect(await readdir(dir.path)).toEqual(["sessions.db"]);
  await using store = await open(path);
  expect(await store.getSession(record.id)).toEqual(record);
});

test("a database of a newer version is refused and not changed", async () => {
  await using dir = await tempDir();
  const path = dir.file("sessions.db");
  await (await open(path))[Symbol.asyncDispose]();
  alter(path, `PRAGMA user_version = ${SCHEMA_VERSION + 1}`);
  expect(open(path)).rejects.toThrow(
    `was written by a newer iac-code (store version ${SCHEMA_VERSION + 1}`,
  );
});

test("another program's database, a damaged file and a folder are refused in words", async () => {
  await using dir = await tempDir({ "damaged.db": "no database at all ".repeat(300) });
  await mkdir(dir.file("folder.db"));
  await writeFile(dir.file("file"), "");
  alter(dir.file("other.db"), "CREATE TABLE songs (title TEXT)");
  expect(open(dir.file("other.db"))).rejects.toThrow("a database of another program");
  expect(open(dir.file("damaged.db"))).rejects.toThrow("is damaged or no database");
  expect(open(dir.file("folder.db"))).rejects.toThrow("cannot be made or written");
  expect(open(dir.file("file/sessions.db"))).rejects.toThrow("cannot be made or written");
});

test("a damaged row costs that row and nothing else", async () => {
  await using dir = await tempDir();
  const path = dir.file("sessions.db");
  const record = recordOf({ additionalDirectories: ["/x"] });
  await using store = await open(path);
  await store.createSession(record);
  await store.append(record.id, [
    { event: userMessage("one") },
    { event: assistantMessage("two") },
    { event: userMessage("three") },
    { event: userMessage("four") },
  ]);
  await store.checkpoint(record.id, { messageId: "m", text: "", thought: "", model: "x" });
  alter(
    path,
    `UPDATE entries SET event = '{"type":"assistant_message","text":7}' WHERE seq = 2`,
    "UPDATE entries SET event = substr(event, 1, 20) WHERE seq = 3",
    "UPDATE drafts SET draft = '{'",
    "UPDATE sessions SET additional = '[\"/x\", 3', thought_level = 'colossal'",
  );
  expect((await store.entries(record.id)).map(({ seq }) => seq)).toEqual([1, 4]);
  expect(await store.drafts(record.id)).toEqual([]);
  const loaded = must(await store.getSession(record.id));
  expect([loaded.additionalDirectories, loaded.thoughtLevel]).toEqual([[], undefined]);
  const fork = recordOf();
  await store.forkSession(record.id, fork, 3);
  expect((await store.getSession(fork.id))?.prompts).toBe(2);
});

test("a log that was cut anywhere opens with the entries of whole appends, in order", async () => {
  await using dir = await tempDir();
  await mkdir(dir.file("live"));
  await using store = await open(dir.file("live/sessions.db"));
  const { id, ...rest } = recordOf();
  await store.createSession({ id, ...rest });
  for (let i = 0; i < 30; i += 1) {
    const pair = [{ event: userMessage("a".repeat(500)) }, { event: userMessage("b") }];
    await store.append(id, pair, { sync: "full" });
  }
  const whole = await Bun.file(dir.file("live/sessions.db-wal")).bytes();
  await fc.assert(
    fc.asyncProperty(fc.nat(whole.length), fc.uuid(), async (length, name) => {
      await mkdir(dir.file(name));
      const path = dir.file(`${name}/sessions.db`);
      await copyFile(dir.file("live/sessions.db"), path);
      await writeFile(`${path}-wal`, whole.slice(0, length));
      await using copy = await open(path);
      const numbers = (await copy.entries(id)).map(({ seq }) => seq);
      expect(numbers).toEqual(numbers.map((_, i) => i + 1));
      expect(numbers.length % 2).toBe(0);
      expect((await copy.listSessions({ limit: 5 })).ok).toBe(true);
    }),
    { numRuns: 25, seed: 7 },
  );
});

test("a deleted session's text is nowhere on the disk, and its space is given back", async () => {
  await using dir = await tempDir();
  const path = dir.file("sessions.db");
  await using store = await open(path);
  const record = recordOf();
  await store.createSession(record);
  const secret = "correct-horse-battery-staple";
  for (let i = 0; i < 50; i += 1) {
    await store.append(record.id, [{ event: userMessage(`${secret} ${"x".repeat(50_000)}`) }]);
  }
  await store.checkpoint(record.id, { messageId: "m", text: secret, thought: "", model: "x" });
  await store.deleteSession(record.id);
  for (const name of await readdir(dir.path)) {
    const content = Buffer.from(await Bun.file(dir.file(name)).bytes());
    expect([name, content.includes(secret)]).toEqual([name, false]);
  }
  expect((await stat(path)).size).toBeLessThan(200_000);
});

test("closing forgets sessions that nobody prompted for a month, and no other", async () => {
  await using dir = await tempDir();
  const path = dir.file("sessions.db");
  const now = 100 * DAY_MS;
  const old = recordOf({ updatedAt: now - 31 * DAY_MS });
  const prompted = recordOf({ updatedAt: now - 99 * DAY_MS, prompts: 1 });
  const recent = recordOf({ updatedAt: now - 29 * DAY_MS });
  {
    await using store = await open(path, () => now);
    for (const record of [old, prompted, recent]) await store.createSession(record);
  }
  await using store = await open(path, () => now);
  const kept = [];
  for (const { id } of [old, prompted, recent])
    kept.push((await store.getSession(id)) !== undefined);
  expect(kept).toEqual([false, true, true]);
});

test("a page of the list is searched in an index, with and without a directory", async () => {
  await using dir = await tempDir();
  const path = dir.file("sessions.db");
  await (await open(path))[Symbol.asyncDispose]();
  using db = new Database(path);
  for (const columns of [[], ["cwd"], ["cwd", "real_cwd"]]) {
    const plan = db.query<{ detail: string }, []>(`EXPLAIN QUERY PLAN ${listSql(columns)}`).all();
    const details = plan.map(({ detail }) => detail);
    const searches = details.filter((detail) => /sessions/.test(detail));
    expect(searches.length).toBe(Math.max(1, columns.length));
    for (const detail of searches) expect(detail).toMatch(/SEARCH sessions USING INDEX/);
  }
});
