// Whole sessions as rows: made, changed, copied, removed, forgotten.

import type { Database } from "bun:sqlite";
import { toSessionId } from "../lib/ids.ts";
import type { SessionId } from "../lib/ids.ts";
import { findSession, mustFindSession, toRecord } from "./sqlite-rows.ts";
import type { SessionPatch, SessionRecord } from "./store.ts";

/** A session that never got a prompt is not listed; after this long nobody comes back for it. */
const NEVER_PROMPTED_KEPT_MS = 30 * 24 * 60 * 60 * 1000;
const FORGOTTEN_AT_ONCE = 200;
/** 8 MB of freed pages go back to the disk at a time, a few milliseconds' work. */
const VACUUM_PAGES = 2_000;

/** Throws when the id is taken. */
export function insertSession(db: Database, record: SessionRecord): number {
  const row = db
    .query<{ n: number }, (string | number | null)[]>(
      `INSERT INTO sessions (id, cwd, real_cwd, additional, title, created_at, updated_at, prompts,
         mode_id, model_id, thought_level)
       VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11) ON CONFLICT (id) DO NOTHING RETURNING n`,
    )
    .get(
      record.id,
      record.cwd,
      record.realCwd,
      JSON.stringify(record.additionalDirectories),
      record.title ?? null,
      record.createdAt,
      record.updatedAt,
      record.prompts,
      record.modeId,
      record.modelId ?? null,
      record.thoughtLevel ?? null,
    );
  if (row === null) throw new Error(`There is already a session ${record.id} in the store`);
  return row.n;
}

export function updateSession(db: Database, id: SessionId, patch: SessionPatch): void {
  const next = { ...toRecord(mustFindSession(db, id)), ...patch };
  db.query(
    `UPDATE sessions SET title = ?2, mode_id = ?3, model_id = ?4, thought_level = ?5, updated_at = ?6,
       additional = ?7 WHERE id = ?1`,
  ).run(
    id,
    next.title ?? null,
    next.modeId,
    next.modelId ?? null,
    next.thoughtLevel ?? null,
    next.updatedAt,
    JSON.stringify(next.additionalDirectories),
  );
}

/** Counts prompts and numbers from what was copied, so that the new record cannot disagree with its entries. */
export function forkSession(
  db: Database,
  from: SessionId,
  to: SessionRecord,
  upToSeq: number,
): void {
  const source = mustFindSession(db, from).n;
  const target = insertSession(db, to);
  db.query(
    `INSERT INTO entries (session, seq, at, parent, is_prompt, event)
     SELECT ?2, seq, at, parent, is_prompt, event FROM entries WHERE session = ?1 AND seq <= ?3`,
  ).run(source, target, upToSeq);
  db.query(
    `UPDATE sessions SET (last_seq, prompts) =
       (SELECT ifnull(max(seq), 0), ifnull(sum(is_prompt), 0) FROM entries WHERE session = ?1)
     WHERE n = ?1`,
  ).run(target);
}

/** False when there was none. */
export function removeSession(db: Database, id: SessionId): boolean {
  const row = findSession(db, id);
  if (row === undefined) return false;
  for (const table of ["entries", "drafts", "leases"]) {
    db.query(`DELETE FROM ${table} WHERE session = ?1`).run(row.n);
  }
  db.query("DELETE FROM sessions WHERE n = ?1").run(row.n);
  return true;
}

/** Removes sessions that nobody ever prompted, a bounded number at a time. */
export function forgetNeverPrompted(db: Database, now: number): void {
  const old = db
    .query<{ id: string }, [number, number]>(
      "SELECT id FROM sessions WHERE prompts = 0 AND updated_at < ?1 LIMIT ?2",
    )
    .all(now - NEVER_PROMPTED_KEPT_MS, FORGOTTEN_AT_ONCE);
  for (const { id } of old) removeSession(db, toSessionId(id));
}

/** Gives freed pages back and empties the log, where deleted text would otherwise stay readable. Not in a transaction. */
export function shrink(db: Database): void {
  db.query(`PRAGMA incremental_vacuum(${VACUUM_PAGES})`).all();
  db.query("PRAGMA wal_checkpoint(TRUNCATE)").all();
}
