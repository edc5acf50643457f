// Commands that change infrastructure through terraform and its kin are never killed by us: they are asked to stop
// with one SIGINT and given time to write their state. Their output goes straight to a file, so that they also survive
// the end of this program.

import { closeSync, openSync, readSync } from "node:fs";
import { basename } from "node:path";
import type { CommandAnalysis } from "../conversation/access.ts";
import type { GroupExit, ProcessGroup } from "../lib/process-group.ts";
import { commandLineOf, parentOf, sendSignal } from "../lib/process-members.ts";
import type { GentleRun, ToolSession } from "./tool-session.ts";

/** How long an interrupted apply may take before the session stops watching it. */
const MAX_STOP_MS = 10 * 60 * 1_000;
const POLL_MS = 100;
const MAX_ANCESTORS = 32;
const LOOKS = 3;
const STATE_PROGRAMS = new Set(["terraform", "tofu", "terragrunt"]);
/** For lines that could not be parsed: better gentle once too often. */
const STATE_CHANGE =
  /\b(terraform|tofu|terragrunt)\b[^|;&\n]*\b(apply|destroy|import|refresh|taint|untaint|state|up)\b/;
/** Bytes of output that the notice about the end quotes. */
const QUOTED_BYTES = 2_000;

/** True when the command changes infrastructure through a program that keeps a state. */
export function isGentle(command: string, analysis: CommandAnalysis): boolean {
  const changes = analysis.commands.some(
    ({ argv, class: of }) =>
      (of === "mutate" || of === "destroy") && STATE_PROGRAMS.has(basename(argv[0] ?? "")),
  );
  return changes || (analysis.class === "unknown" && STATE_CHANGE.test(command));
}

/** Asks it to stop and watches it to its end, which the next turn is told. Answers at once. */
export function stopGently(
  group: ProcessGroup,
  about: { readonly command: string; readonly logPath: string },
  session: ToolSession,
): void {
  const ended = watch(group, about);
  const run: GentleRun = {
    pid: group.pid,
    ...about,
    interruptedAtMs: Date.now(),
    ended,
    kill: () => group.terminate(0),
  };
  session.stopping.set(group.pid, run);
  group.unref();
  void ended.then((sentence) => {
    session.stopping.delete(group.pid);
    session.notices.push(sentence);
  });
}

async function watch(
  group: ProcessGroup,
  { command, logPath }: { readonly command: string; readonly logPath: string },
): Promise<string> {
  const deadline = Date.now() + MAX_STOP_MS;
  let exit: GroupExit | undefined;
  void whenStateIsWritten(group).then((found) => {
    exit = found;
  });
  const interrupted = new Set<number>();
  // Where it cannot be told apart (no /proc, a wrapper of another name) everybody gets it, as with Ctrl-C.
  const isAlone = interruptOutermost(group, interrupted);
  if (!isAlone) group.signal("SIGINT");
  while (!exit || (!isAlone && group.members().length > 0)) {
    if (Date.now() > deadline)
      return `\`${command}\` was interrupted 10 minutes ago and still runs (pid ${group.pid}). It is left to finish by itself; its output is in ${logPath}. Until it has ended, do not touch its state.`;
    await unrefSleep(POLL_MS);
    // A line such as `apply a; apply b` must not get to its next part after the interrupt.
    if (isAlone && !interruptOutermost(group, interrupted)) break;
  }
  // What is left is the shell around it, or plugins that lost their parent.
  if (isAlone) await group.terminate();
  const { exitCode, signal } = exit ?? (await group.exited);
  const how = signal === undefined ? `exit code ${exitCode ?? "unknown"}` : `signal ${signal}`;
  return `\`${command}\` was interrupted by the user's cancel and has ended (${how}). Its output is in ${logPath} and ends with:\n${endOf(logPath)}\nCheck with a plan what was applied. If the state is still locked: \`terraform force-unlock\`, once nothing else uses it.`;
}

/** The end of the shell and of every program that keeps a state, also one that was put behind with `&`. */
export async function whenStateIsWritten(group: ProcessGroup): Promise<GroupExit> {
  const exit = await group.exited;
  // A child that was only just forked still bears the shell's name: it must be missed several times in a row.
  for (let missed = 0; missed < LOOKS && group.members().length > 0; missed++) {
    if (statePrograms(group).size > 0) missed = -1;
    await unrefSleep(POLL_MS);
  }
  return exit;
}

function statePrograms(group: ProcessGroup): ReadonlySet<number> {
  const isStateProgram = (word: string) => STATE_PROGRAMS.has(basename(word));
  return new Set(
    group.members().filter((pid) => commandLineOf(pid).slice(0, 2).some(isStateProgram)),
  );
}

/**
 * One SIGINT to each program that keeps a state: terraform takes a second one as an order to drop everything, so one
 * that runs under another (terragrunt) is left to that one. False when there is none.
 */
function interruptOutermost(group: ProcessGroup, interrupted: Set<number>): boolean {
  const found = statePrograms(group);
  for (const pid of found) {
    if (interrupted.has(pid) || hasAncestorIn(pid, found)) continue;
    interrupted.add(pid);
    sendSignal(pid, "SIGINT");
  }
  return found.size > 0;
}

function hasAncestorIn(pid: number, others: ReadonlySet<number>): boolean {
  let parent = parentOf(pid);
  for (let depth = 0; parent !== undefined && parent > 1 && depth < MAX_ANCESTORS; depth++) {
    if (others.has(parent)) return true;
    parent = parentOf(parent);
  }
  return false;
}

function unrefSleep(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms).unref();
  });
}

function endOf(path: string): string {
  try {
    const file = openSync(path, "r");
    try {
      const size = Bun.file(path).size;
      const bytes = new Uint8Array(QUOTED_BYTES);
      const read = readSync(file, bytes, 0, bytes.length, Math.max(0, size - QUOTED_BYTES));
      return new TextDecoder().decode(bytes.subarray(0, read)).trimEnd();
    } finally {
      closeSync(file);
    }
  } catch {
    // Somebody removed the file; the rest of the notice still holds.
    return "(not readable)";
  }
}
