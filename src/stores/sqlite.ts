// The session store on one SQLite file, shared by several processes. The lock and its waits are in sqlite-connection.ts,
// the tables in sqlite-migrations.ts, rows and paging in sqlite-rows.ts.

import type { Database } from "bun:sqlite";
import type { SessionId } from "../lib/ids.ts";
import { log } from "../lib/log.ts";
import { decodeCursor, encodeCursor, START } from "./cursor.ts";
import { isProcessAlive } from "./leases.ts";
import type { StoreOptions } from "./leases.ts";
import { resolveDirectory } from "./list-directory.ts";
import { checkpoint, readDrafts } from "./sqlite-drafts.ts";
import { acquireLease, releaseLease } from "./sqlite-leases.ts";
import { migrate } from "./sqlite-migrations.ts";
import { openConnection } from "./sqlite-connection.ts";
import type { Connection } from "./sqlite-connection.ts";
import { findSession, listRows, mustFindSession, readEntries, toRecord } from "./sqlite-rows.ts";
import {
  forgetNeverPrompted,
  forkSession,
  insertSession,
  removeSession,
  shrink,
  updateSession,
} from "./sqlite-sessions.ts";
import { countsAsPrompt } from "./store.ts";
import type { ListPage, ListQuery, NewEntry, Store, StoredEntry } from "./store.ts";

/** Long reads give way to other work after each page; a page of large tool outputs stays within some megabytes. */
const READ_PAGE_ROWS = 250;

/**
 * Opens or makes the store. Rejects with a readable Error: a newer version's file, another program's, damaged, not
 * writable, locked for long.
 */
export async function openSqliteStore(path: string, options: StoreOptions): Promise<Store> {
  const { now, isAlive = isProcessAlive } = options;
  const connection = await openConnection(path, {
    setUp: migrate,
    tidy: (db) => {
      db.transaction(() => forgetNeverPrompted(db, now())).immediate();
      shrink(db);
    },
  });
  return {
    createSession: (record) => connection.write((db) => void insertSession(db, record)),
    getSession: (id) =>
      connection.read((db) => {
        const row = findSession(db, id);
        return row === undefined ? undefined : toRecord(row);
      }),
    updateSession: (id, patch) => connection.write((db) => updateSession(db, id, patch)),
    append: async (id, entries, { sync } = {}) =>
      entries.length === 0 ? [] : connection.write((db) => append(db, id, entries, now()), sync),
    entries: (id, { afterSeq = 0, limit = Number.MAX_SAFE_INTEGER } = {}) =>
      readInPages(connection, id, afterSeq, limit),
    forkSession: (from, to, upToSeq) =>
      connection.write((db) => forkSession(db, from, to, upToSeq)),
    deleteSession: (id) => deleteSession(connection, id),
    listSessions: (query) => listSessions(connection, query),
    checkpoint: (id, draft, parent) => connection.write((db) => checkpoint(db, id, draft, parent)),
    drafts: (id) => connection.read((db) => readDrafts(db, id)),
    acquireLease: (id, holder) =>
      connection.write((db) => acquireLease(db, id, holder, { now: now(), isAlive })),
    releaseLease: (id, holder) => connection.write((db) => releaseLease(db, id, holder)),
    [Symbol.asyncDispose]: () => connection[Symbol.asyncDispose](),
  };
}

function append(
  db: Database,
  id: SessionId,
  entries: readonly NewEntry[],
  at: number,
): readonly StoredEntry[] {
  const { n } = mustFindSession(db, id);
  const session = db
    .query<{ last_seq: number }, number[]>(
      `UPDATE sessions SET last_seq = last_seq + ?2, prompts = prompts + ?3, updated_at = ?4
       WHERE n = ?1 RETURNING last_seq`,
    )
    .get(n, entries.length, entries.filter(countsAsPrompt).length, at);
  const first = (session?.last_seq ?? 0) - entries.length + 1;
  const insert = db.query(
    "INSERT INTO entries (session, seq, at, parent, is_prompt, event) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
  );
  return entries.map((entry, i) => {
    const { event, parent = null } = entry;
    insert.run(n, first + i, at, parent, Number(countsAsPrompt(entry)), JSON.stringify(event));
    if (event.type === "assistant_message") {
      db.query("DELETE FROM drafts WHERE session = ?1 AND message_id = ?2").run(n, event.messageId);
    }
    return { ...entry, seq: first + i, at };
  });
}

/** Entries are only ever appended, so pages read one after another fit together without a transaction. */
async function readInPages(
  connection: Connection,
  id: SessionId,
  afterSeq: number,
  limit: number,
): Promise<readonly StoredEntry[]> {
  const found: StoredEntry[] = [];
  for (let after = afterSeq, left = limit; left > 0; left -= READ_PAGE_ROWS) {
    const rows = Math.min(left, READ_PAGE_ROWS);
    const page = await connection.read((db) => readEntries(db, id, after, rows));
    found.push(...page.entries);
    if (page.lastSeq === undefined) break;
    after = page.lastSeq;
    await new Promise<void>((resume) => void setImmediate(resume));
  }
  return found;
}

async function deleteSession(connection: Connection, id: SessionId): Promise<boolean> {
  const existed = await connection.write((db) => removeSession(db, id));
  if (!existed) return false;
  try {
    await connection.maintain(shrink);
  } catch (error) {
    // The rows are gone all the same; the next checkpoint of any process does the rest.
    log.debug("The session store could not be shrunk", error);
  }
  return true;
}

async function listSessions(connection: Connection, query: ListQuery): Promise<ListPage> {
  const { cwd, cursor, limit } = query;
  const after = cursor === undefined ? START : decodeCursor(cursor, cwd);
  if (after === undefined) return { ok: false };
  const directory = cwd === undefined ? undefined : await resolveDirectory(cwd);
  // One more than asked tells whether a further page has anything.
  const rows = await connection.read((db) => listRows(db, after, limit + 1, directory));
  const sessions = rows.slice(0, limit).map(toRecord);
  const last = sessions.at(-1);
  if (rows.length <= limit || last === undefined) return { ok: true, sessions };
  return { ok: true, sessions, nextCursor: encodeCursor(last, cwd) };
}
