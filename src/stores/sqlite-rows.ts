// Rows of the session database as the values of the contract, and the statements that read them in pages.

import type { Database } from "bun:sqlite";
import type { ThoughtLevel } from "../conversation/messages.ts";
import { toSessionId, toToolCallId } from "../lib/ids.ts";
import type { SessionId } from "../lib/ids.ts";
import { parseJson } from "../lib/json.ts";
import { log } from "../lib/log.ts";
import type { Position } from "./cursor.ts";
import type { SessionRecord, StoredEntry } from "./store.ts";
import { parseEvent } from "./stored-event.ts";

const SESSION_COLUMNS =
  "n, id, cwd, real_cwd, additional, title, created_at, updated_at, prompts, mode_id, model_id, thought_level";

/** STRICT tables guarantee the types of the columns. */
export type SessionRow = {
  readonly n: number;
  readonly id: string;
  readonly cwd: string;
  readonly real_cwd: string;
  readonly additional: string;
  readonly title: string | null;
  readonly created_at: number;
  readonly updated_at: number;
  readonly prompts: number;
  readonly mode_id: string;
  readonly model_id: string | null;
  readonly thought_level: string | null;
};

function isThoughtLevel(value: string | null): value is ThoughtLevel {
  return value === "off" || value === "low" || value === "medium" || value === "high";
}

function parseDirectories(text: string): readonly string[] {
  const value = parseJson(text);
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}

export function toRecord(row: SessionRow): SessionRecord {
  return {
    id: toSessionId(row.id),
    cwd: row.cwd,
    realCwd: row.real_cwd,
    additionalDirectories: parseDirectories(row.additional),
    ...(row.title === null ? {} : { title: row.title }),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    prompts: row.prompts,
    modeId: row.mode_id,
    ...(row.model_id === null ? {} : { modelId: row.model_id }),
    ...(isThoughtLevel(row.thought_level) ? { thoughtLevel: row.thought_level } : {}),
  };
}

export function findSession(db: Database, id: SessionId): SessionRow | undefined {
  const sql = `SELECT ${SESSION_COLUMNS} FROM sessions WHERE id = ?1`;
  return db.query<SessionRow, [string]>(sql).get(id) ?? undefined;
}

/** Throws when there is none: what must be stored has no place to go. */
export function mustFindSession(db: Database, id: SessionId): SessionRow {
  const row = findSession(db, id);
  if (row === undefined) throw new Error(`There is no session ${id} in the store`);
  return row;
}

/** One branch a directory column, each walking its own index and stopping at the limit; UNION drops what two branches found. */
export function listSql(columns: readonly string[]): string {
  const filters = columns.map((column, i) => `AND ${column} = ?${i + 4}`);
  const branches = (filters.length === 0 ? [""] : filters).map(
    (filter) =>
      `SELECT * FROM (SELECT ${SESSION_COLUMNS} FROM sessions
         WHERE prompts > 0 AND (updated_at, id) < (?1, ?2) ${filter}
         ORDER BY updated_at DESC, id DESC LIMIT ?3)`,
  );
  return `${branches.join(" UNION ")} ORDER BY updated_at DESC, id DESC LIMIT ?3`;
}

/** At most `limit` sessions behind `after`, of the directory as it was given or by its real path. */
export function listRows(
  db: Database,
  after: Position,
  limit: number,
  directory: { readonly asGiven: string; readonly real: string } | undefined,
): readonly SessionRow[] {
  const filters: (readonly [string, string])[] = [];
  if (directory !== undefined) {
    filters.push(["cwd", directory.asGiven], ["real_cwd", directory.real]);
    if (directory.real !== directory.asGiven) filters.push(["real_cwd", directory.asGiven]);
  }
  return db
    .query<SessionRow, (string | number)[]>(listSql(filters.map(([column]) => column)))
    .all(after.updatedAt, after.id, limit, ...filters.map(([, value]) => value));
}

type EntryRow = {
  readonly seq: number;
  readonly at: number;
  readonly parent: string | null;
  readonly event: string;
};

export type EntryPage = {
  readonly entries: readonly StoredEntry[];
  /** Of the last row read, readable or not; `undefined` when there was none. */
  readonly lastSeq: number | undefined;
};

/** Reads at most `limit` rows behind `afterSeq`. A damaged one is left out and logged by number, never by content. */
export function readEntries(
  db: Database,
  id: SessionId,
  afterSeq: number,
  limit: number,
): EntryPage {
  const rows = db
    .query<EntryRow, [string, number, number]>(
      `SELECT seq, at, parent, event FROM entries
       WHERE session = (SELECT n FROM sessions WHERE id = ?1) AND seq > ?2 ORDER BY seq LIMIT ?3`,
    )
    .all(id, afterSeq, limit);
  const entries: StoredEntry[] = [];
  for (const { seq, at, parent, event: text } of rows) {
    const event = parseEvent(text);
    if (event === undefined) log.warn(`Session ${id}: entry ${seq} is damaged and left out`);
    else if (parent === null) entries.push({ seq, at, event });
    else entries.push({ seq, at, event, parent: toToolCallId(parent) });
  }
  return { entries, lastSeq: rows.at(-1)?.seq };
}
