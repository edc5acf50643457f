// The tables of the session database, as numbered steps from empty to current. A step, once released, never changes.

import type { Database } from "bun:sqlite";

/** "iacc": tells our file from any other database that a path may name by mistake. */
const APPLICATION_ID = 0x69616363;

// `n` keeps the 37 characters of an id out of every entry. `is_prompt` lets a fork count its prompts without reading JSON.
// The list indexes are partial because sessions without a prompt are never listed.
const MIGRATIONS: readonly string[] = [
  `CREATE TABLE sessions (
     n INTEGER PRIMARY KEY,
     id TEXT NOT NULL UNIQUE,
     cwd TEXT NOT NULL,
     real_cwd TEXT NOT NULL,
     additional TEXT NOT NULL,
     title TEXT,
     created_at INTEGER NOT NULL,
     updated_at INTEGER NOT NULL,
     prompts INTEGER NOT NULL,
     mode_id TEXT NOT NULL,
     model_id TEXT,
     thought_level TEXT,
     last_seq INTEGER NOT NULL DEFAULT 0
   ) STRICT;
   CREATE INDEX sessions_by_time ON sessions (updated_at DESC, id DESC) WHERE prompts > 0;
   CREATE INDEX sessions_by_cwd ON sessions (cwd, updated_at DESC, id DESC) WHERE prompts > 0;
   CREATE INDEX sessions_by_real_cwd ON sessions (real_cwd, updated_at DESC, id DESC) WHERE prompts > 0;
   CREATE INDEX sessions_never_prompted ON sessions (updated_at) WHERE prompts = 0;
   CREATE TABLE entries (
     session INTEGER NOT NULL,
     seq INTEGER NOT NULL,
     at INTEGER NOT NULL,
     parent TEXT,
     is_prompt INTEGER NOT NULL,
     event TEXT NOT NULL,
     PRIMARY KEY (session, seq)
   ) STRICT;
   CREATE TABLE drafts (
     session INTEGER NOT NULL,
     parent TEXT NOT NULL,
     message_id TEXT NOT NULL,
     draft TEXT NOT NULL,
     PRIMARY KEY (session, parent)
   ) STRICT;
   CREATE TABLE leases (
     session INTEGER PRIMARY KEY,
     holder_id TEXT NOT NULL,
     host TEXT NOT NULL,
     pid INTEGER NOT NULL,
     started_at REAL NOT NULL,
     expires_at INTEGER NOT NULL
   ) STRICT;`,
];

/** The version that this program writes. */
export const SCHEMA_VERSION = MIGRATIONS.length;

/** An integer pragma or the single number of a query. */
function numberOf(db: Database, sql: string): number {
  return Number(Object.values(db.query<Record<string, unknown>, []>(sql).get() ?? {})[0] ?? 0);
}

/** True when the file is current; throws when it is newer than this program or another program's. */
function isMigrated(db: Database, path: string): boolean {
  const version = numberOf(db, "PRAGMA user_version");
  const isOurs = numberOf(db, "PRAGMA application_id") === APPLICATION_ID;
  if (!isOurs && (version !== 0 || numberOf(db, "SELECT count(*) FROM sqlite_schema") > 0)) {
    throw new Error(`${path} is a database of another program; name another folder (IACCODE_HOME)`);
  }
  if (version > SCHEMA_VERSION) {
    throw new Error(
      `${path} was written by a newer iac-code (store version ${version}, this one knows ${SCHEMA_VERSION}); ` +
        "update iac-code, or set IACCODE_HOME to another folder",
    );
  }
  return version === SCHEMA_VERSION;
}

/** Brings the file to the current version, one transaction a step. Another process may do the same meanwhile. */
export function migrate(db: Database, path: string): void {
  const step = db.transaction(() => {
    // Asked inside the transaction: whoever came first has done the step.
    if (isMigrated(db, path)) return;
    const version = numberOf(db, "PRAGMA user_version");
    db.run(MIGRATIONS[version] ?? "");
    db.run(`PRAGMA application_id = ${APPLICATION_ID}`);
    db.run(`PRAGMA user_version = ${version + 1}`);
  });
  while (!isMigrated(db, path)) step.immediate();
}
