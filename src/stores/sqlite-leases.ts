// Leases as rows. When one may be taken is decided in leases.ts.

import type { Database } from "bun:sqlite";
import type { SessionId } from "../lib/ids.ts";
import { mayTakeLease } from "./leases.ts";
import type { IsAlive, Lease } from "./leases.ts";
import { mustFindSession } from "./sqlite-rows.ts";
import { LEASE_MS } from "./store.ts";
import type { LeaseHolder } from "./store.ts";

type LeaseRow = {
  readonly holder_id: string;
  readonly host: string;
  readonly pid: number;
  readonly started_at: number;
  readonly expires_at: number;
};

function readLease(db: Database, session: number): Lease | undefined {
  const row = db
    .query<LeaseRow, [number]>(
      "SELECT holder_id, host, pid, started_at, expires_at FROM leases WHERE session = ?1",
    )
    .get(session);
  if (row === null) return undefined;
  const { holder_id: holderId, host, pid, started_at: startedAt, expires_at: expiresAt } = row;
  return { holder: { holderId, host, pid, startedAt }, expiresAt };
}

export function acquireLease(
  db: Database,
  id: SessionId,
  holder: LeaseHolder,
  at: { readonly now: number; readonly isAlive: IsAlive },
): boolean {
  const { n } = mustFindSession(db, id);
  if (!mayTakeLease(readLease(db, n), holder, at)) return false;
  db.query(
    `INSERT OR REPLACE INTO leases (session, holder_id, host, pid, started_at, expires_at)
     VALUES (?1, ?2, ?3, ?4, ?5, ?6)`,
  ).run(n, holder.holderId, holder.host, holder.pid, holder.startedAt, at.now + LEASE_MS);
  return true;
}

export function releaseLease(db: Database, id: SessionId, holder: LeaseHolder): void {
  db.query(
    "DELETE FROM leases WHERE session = (SELECT n FROM sessions WHERE id = ?1) AND holder_id = ?2",
  ).run(id, holder.holderId);
}
