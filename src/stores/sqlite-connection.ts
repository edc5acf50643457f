// One SQLite file as a connection that never freezes the process: short busy waits, repeated asynchronously; writes one
// after another, in immediate transactions; errors in words. It knows nothing of what is stored.

import { Database, SQLiteError } from "bun:sqlite";
import { chmod, mkdir, open } from "node:fs/promises";
import { dirname } from "node:path";
import { log } from "../lib/log.ts";

export type Connection = AsyncDisposable & {
  /** Runs `work` at once; it must not write. */
  readonly read: <T>(work: (db: Database) => T) => Promise<T>;
  /**
   * Runs `work` in a transaction, after every write asked for before. `full` waits for the disk, and does it once for all
   * that was asked for meanwhile; each of those still succeeds or fails by itself.
   */
  readonly write: <T>(work: (db: Database) => T, sync?: "normal" | "full") => Promise<T>;
  /** Runs `work` in the order of writes but outside a transaction, for pragmas that demand it. */
  readonly maintain: (work: (db: Database) => void) => Promise<void>;
};

export type ConnectionHooks = {
  /** Makes the tables; runs again from its start when another process was in the way. */
  readonly setUp: (db: Database, path: string) => void;
  /** Housekeeping before the file is closed. */
  readonly tidy: (db: Database) => void;
};

/** The event loop stands still for at most this long when another process writes. */
const BUSY_TIMEOUT_MS = 50;
/** From the moment a write is asked for, the time behind other writes included. A lock held for 10 s is outlived. */
const LOCKED_LIMIT_MS = 12_000;
/** While closing, waiting for a foreign lock must leave time for the rest of an orderly end. */
const CLOSE_LIMIT_MS = 4_000;
const FIRST_PAUSE_MS = 5;
const MAX_PAUSE_MS = 100;
/** What the write-ahead log shrinks back to after a burst. */
const WAL_SIZE_LIMIT_BYTES = 16 * 1024 * 1024;

const EXPLANATIONS: readonly (readonly [RegExp, string])[] = [
  [/^SQLITE_(BUSY|LOCKED|PROTOCOL)/, "stayed locked by another process; end it or try again"],
  [/^SQLITE_FULL/, "cannot grow: the disk is full; free some space"],
  [/^SQLITE_(READONLY|PERM)/, "cannot be written: the file, its folder or its disk is read-only"],
  [/^SQLITE_CANTOPEN/, "cannot be opened; its folder must exist and be writable"],
  [/^SQLITE_IOERR/, "cannot be read or written: the disk is full, gone or damaged"],
  [
    /^SQLITE_(CORRUPT|NOTADB)/,
    "is damaged or no database; move it away with its -wal and -shm files and start again",
  ],
];

function isBusy(error: unknown): boolean {
  return error instanceof SQLiteError && /^SQLITE_(BUSY|LOCKED|PROTOCOL)/.test(error.code ?? "");
}

/** SQLite's errors with the file and what to do about it; any other error unchanged. */
function toReadable(error: unknown, path: string): unknown {
  if (!(error instanceof SQLiteError)) return error;
  const code = error.code ?? "SQLITE_ERROR";
  const explanation = EXPLANATIONS.find(([pattern]) => pattern.test(code))?.[1] ?? "failed";
  return new Error(`The session store ${path} ${explanation} (${code})`, { cause: error });
}

/** Repeats `attempt` while another process holds the lock, until `deadline()` on the monotonic clock. */
async function whenFree<T>(
  path: string,
  attempt: () => T,
  deadline: () => number = deadlineFromNow(),
): Promise<T> {
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS)) {
    try {
      return attempt();
    } catch (error) {
      if (!isBusy(error) || performance.now() >= deadline()) throw toReadable(error, path);
    }
    // Spread, so that many waiting processes do not knock in step.
    await Bun.sleep(pauseMs * (0.5 + Math.random()));
  }
}

function deadlineFromNow(): () => number {
  const end = performance.now() + LOCKED_LIMIT_MS;
  return () => end;
}

/**
 * The file exists and only its owner may open it; SQLite gives -wal and -shm the same mode. True when it is empty.
 */
async function makePrivateFile(path: string): Promise<boolean> {
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await using file = await open(path, "a", 0o600);
    for (const name of [path, `${path}-wal`, `${path}-shm`]) await chmodIfThere(name);
    return (await file.stat()).size === 0;
  } catch (cause) {
    throw new Error(
      `The session store ${path} cannot be made or written; check its folder, or set IACCODE_HOME`,
      { cause },
    );
  }
}

async function chmodIfThere(file: string): Promise<void> {
  try {
    await chmod(file, 0o600);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error;
  }
}

function prepare(db: Database, path: string, isNew: boolean): void {
  db.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
  // Making a file waits for the disk half a dozen times, and nothing is in it yet that could be lost: see `settle`.
  db.run(`PRAGMA synchronous = ${isNew ? "OFF" : "NORMAL"}`);
  // Only counts for a file without tables, and only before it becomes a WAL file.
  db.run("PRAGMA auto_vacuum = INCREMENTAL");
  const mode = db.query<{ journal_mode: string }, []>("PRAGMA journal_mode = WAL").get();
  if (mode?.journal_mode !== "wal") {
    log.warn(`${path}: write-ahead logging is not possible here; several processes may wait`);
  }
  db.run(`PRAGMA journal_size_limit = ${WAL_SIZE_LIMIT_BYTES}`);
  // A deleted session is overwritten, not only unlinked.
  db.run("PRAGMA secure_delete = ON");
}

/** Opens or makes the file (0600, folders 0700). Rejects in words: no rights, damaged, locked for long. */
export async function openConnection(path: string, hooks: ConnectionHooks): Promise<Connection> {
  const isNew = await makePrivateFile(path);
  const db = await whenFree(path, () => new Database(path, { strict: true }));
  try {
    await whenFree(path, () => prepare(db, path, isNew));
    await whenFree(path, () => hooks.setUp(db, path));
    await whenFree(path, () => db.run("PRAGMA synchronous = NORMAL"));
  } catch (error) {
    db.close();
    throw error;
  }
  const connection = connectionOf(db, path, hooks.tidy);
  if (isNew) setImmediate(() => void settle(connection, path));
  return connection;
}

/** Brings the tables of a new file to the disk, once nobody waits for the file any more. */
async function settle(connection: Connection, path: string): Promise<void> {
  try {
    await connection.maintain((db) => db.run("PRAGMA wal_checkpoint"));
  } catch (error) {
    // Closed already, which does the same; or the disk fails, which the next write tells in words.
    log.debug(`${path} was not brought to the disk at once`, error);
  }
}

type Sync = "normal" | "full";
type Work = (db: Database) => unknown;
type Settled = { readonly value: unknown } | { readonly error: unknown };

/** Writes that share a transaction. `endMs`: when the last of them was asked for, and the limit. */
type Group = { readonly works: Work[]; readonly done: Promise<readonly Settled[]>; endMs: number };

function inTransaction<T>(db: Database, sync: Sync, work: () => T): T {
  if (sync === "full") db.run("PRAGMA synchronous = FULL");
  try {
    return db.transaction(work).immediate();
  } finally {
    if (sync === "full") db.run("PRAGMA synchronous = NORMAL");
  }
}

/** Runs each in a savepoint of its own, unless there is but one. Throws when the transaction as a whole is lost. */
function settleAll(db: Database, works: readonly Work[]): readonly Settled[] {
  const [only] = works;
  if (only !== undefined && works.length === 1) return [{ value: only(db) }];
  return works.map((work) => {
    try {
      return { value: db.transaction(() => work(db))() };
    } catch (error) {
      // A full disk or a lock ends more than the savepoint.
      if (!db.inTransaction || isBusy(error)) throw error;
      return { error };
    }
  });
}

function connectionOf(db: Database, path: string, tidy: (db: Database) => void): Connection {
  let tail: Promise<unknown> = Promise.resolve();
  /** The next to wait for the disk; it takes in whatever is asked for before it begins. */
  let gathering: Group | undefined;
  let closing: { readonly deadline: number; readonly done: Promise<void> } | undefined;

  function refuseWhenClosing(): void {
    if (closing !== undefined) throw new Error(`The session store ${path} is closed`);
  }

  /** First in, first out: a caller's appends keep their order even when the first had to wait. */
  function enqueue<T>(begin: () => Promise<T>): Promise<T> {
    const result = tail.then(begin);
    // The caller sees the failure; whoever is next in line starts all the same.
    tail = result.catch(() => undefined);
    return result;
  }

  /** `endMs` is asked each time, since it may move. */
  const untilFree = <T>(attempt: () => T, endMs: () => number): Promise<T> =>
    whenFree(path, attempt, () => Math.min(endMs(), closing?.deadline ?? Infinity));

  function enqueueAlone<T>(attempt: () => T): Promise<T> {
    const end = deadlineFromNow();
    return enqueue(() => untilFree(attempt, end));
  }

  function openGroup(): Group {
    const works: Work[] = [];
    const done = enqueue(async () => {
      // Turns that end together are all heard in one round of the event loop.
      await new Promise<void>((resume) => void setImmediate(resume));
      if (gathering === group) gathering = undefined;
      const settle = () => inTransaction(db, "full", () => settleAll(db, works));
      return untilFree(settle, () => group.endMs);
    });
    const group: Group = { works, done, endMs: 0 };
    return group;
  }

  async function join(group: Group, work: Work): Promise<unknown> {
    group.endMs = performance.now() + LOCKED_LIMIT_MS;
    const index = group.works.push(work) - 1;
    const settled = (await group.done)[index];
    if (settled === undefined) throw new Error(`A write to ${path} was lost`);
    if ("error" in settled) throw toReadable(settled.error, path);
    return settled.value;
  }

  async function close(): Promise<void> {
    await tail;
    try {
      tidy(db);
    } catch (error) {
      // Housekeeping only, tried once: what was promised is stored, and the next close tries again.
      log.debug(`${path} was closed without housekeeping`, error);
    }
    // Closing folds the log into the file where no other process uses it.
    db.close();
  }

  return {
    read: async (work) => {
      refuseWhenClosing();
      return whenFree(path, () => work(db));
    },
    write: async <T>(work: (db: Database) => T, sync: Sync = "normal") => {
      refuseWhenClosing();
      if (sync === "full") gathering ??= openGroup();
      if (gathering !== undefined) return (await join(gathering, work)) as T;
      return enqueueAlone(() => inTransaction(db, sync, () => work(db)));
    },
    maintain: async (work) => {
      refuseWhenClosing();
      // What is asked for later comes later.
      gathering = undefined;
      return enqueueAlone(() => work(db));
    },
    [Symbol.asyncDispose]: () => {
      closing ??= { deadline: performance.now() + CLOSE_LIMIT_MS, done: close() };
      return closing.done;
    },
  };
}
