// Who may run a session: how a process is told from another, when a holder is dead, when a lease may be taken.
// Where leases are kept is each store's affair.

import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import type { LeaseHolder } from "./store.ts";

/** Everything of a holder but the id that each connection chooses. */
export type ProcessIdentity = Omit<LeaseHolder, "holderId">;
export type IsAlive = (holder: ProcessIdentity) => boolean;
/** What every kind of store is made with. */
export type StoreOptions = {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Default: asks the kernel. */
  readonly isAlive?: IsAlive;
};
export type Lease = { readonly holder: LeaseHolder; readonly expiresAt: number };

/** Clock ticks since boot stay below this for centuries; times since 1970 in milliseconds are above. */
const MAX_TICKS = 100_000_000_000;
/** Position of `starttime` in /proc/PID/stat, counted behind the parenthesised name: proc_pid_stat(5), field 22. */
const START_TIME_FIELD = 19;

/** Start of a process in clock ticks since boot; `undefined` where /proc does not tell. */
function startTicks(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    // The name may itself hold spaces and parentheses; the last one ends it.
    const ticks = Number(
      stat
        .slice(stat.lastIndexOf(")") + 2)
        .split(" ")
        .at(START_TIME_FIELD),
    );
    return Number.isInteger(ticks) ? ticks : undefined;
  } catch {
    // No /proc here, or the process is gone: the caller asks the kernel by signal 0.
    return undefined;
  }
}

/** Process ids mean something only within one pid namespace, so containers that share a disk count as hosts. */
function pidNamespace(): string {
  try {
    return readlinkSync("/proc/self/ns/pid");
  } catch {
    // Not Linux: one namespace for the machine.
    return "";
  }
}

/** This process as a lease names it. `startedAt` is in clock ticks since boot on Linux, else milliseconds since 1970. */
export function thisProcess(): ProcessIdentity {
  return {
    host: `${hostname()} ${pidNamespace()}`.trim(),
    pid: process.pid,
    startedAt: startTicks(process.pid) ?? Math.round(performance.timeOrigin),
  };
}

/**
 * Whether the process still runs. Its start is compared too, so that a reused process id does not keep a dead
 * holder's lease. Only meaningful on the holder's own host.
 */
export function isProcessAlive(holder: ProcessIdentity): boolean {
  try {
    process.kill(holder.pid, 0);
  } catch (error) {
    // EPERM: it runs, under another user. Anything else: there is no such process.
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
  const ticks = startTicks(holder.pid);
  return ticks === undefined || holder.startedAt > MAX_TICKS || ticks === holder.startedAt;
}

/** True when `holder` may have the lease: free, its own, run out, or its holder died on this host. */
export function mayTakeLease(
  lease: Lease | undefined,
  holder: LeaseHolder,
  at: { readonly now: number; readonly isAlive: IsAlive },
): boolean {
  if (lease === undefined || lease.holder.holderId === holder.holderId) return true;
  if (lease.expiresAt <= at.now) return true;
  return lease.holder.host === holder.host && !at.isAlive(lease.holder);
}
