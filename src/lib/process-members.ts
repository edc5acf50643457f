// Who belongs to a process group. On Linux read from /proc, so that zombies do not count and descendants that made a
// group of their own are found by a mark in their environment. Elsewhere the kernel is asked about the group only.

import { readdirSync, readFileSync } from "node:fs";

/** Live processes of group `groupId`, and those that carry `mark` (`NAME=value`) in their environment. */
export function findMembers(groupId: number, mark: string): readonly number[] {
  if (process.platform !== "linux") return isGroupAlive(groupId) ? [groupId] : [];
  const members: number[] = [];
  for (const name of readdirSync("/proc")) {
    const pid = Number(name);
    if (!Number.isInteger(pid) || pid === process.pid) continue;
    const stat = readStat(pid);
    if (!stat || stat.isDead) continue;
    if (stat.groupId === groupId || hasMark(pid, mark)) members.push(pid);
  }
  return members;
}

/** Sends `name` to the group and to each of `members`; what is gone is skipped. */
export function signalAll(groupId: number, members: readonly number[], name: NodeJS.Signals): void {
  sendSignal(-groupId, name);
  for (const pid of members) if (!isInGroup(pid, groupId)) sendSignal(pid, name);
}

/** Sends `name` to one process, or to a group when `pid` is negative; silence when it is gone. */
export function sendSignal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // Gone already, or not ours to signal: in both cases there is nothing left to do.
  }
}

/** The words a process was started with; empty where that cannot be read. */
export function commandLineOf(pid: number): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
  } catch {
    // It ended between the look and the read, or there is no /proc.
    return [];
  }
}

function isGroupAlive(groupId: number): boolean {
  try {
    process.kill(-groupId, 0);
    return true;
  } catch {
    // No such group.
    return false;
  }
}

function isInGroup(pid: number, groupId: number): boolean {
  return process.platform !== "linux" || readStat(pid)?.groupId === groupId;
}

/** The process that started it; `undefined` where that cannot be read. */
export function parentOf(pid: number): number | undefined {
  return readStat(pid)?.parentId;
}

type Stat = {
  readonly parentId: number;
  readonly groupId: number;
  readonly isDead: boolean;
};

/** https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html: the name in parentheses may hold spaces and parentheses. */
function readStat(pid: number): Stat | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "latin1");
    const [state = "", parentId = "", groupId = ""] = text
      .slice(text.lastIndexOf(")") + 2)
      .split(" ");
    return {
      parentId: Number(parentId),
      groupId: Number(groupId),
      isDead: state === "Z" || state === "X",
    };
  } catch {
    // It ended between the look and the read.
    return undefined;
  }
}

function hasMark(pid: number, mark: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/environ`, "latin1").split("\0").includes(mark);
  } catch {
    // Ended, or another user's: not ours.
    return false;
  }
}
