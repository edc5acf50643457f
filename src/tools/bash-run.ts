// Running a command here: in a process group of its own, its output kept and shown as it comes, stopped by the first of
// exit, time limit and cancel. What it may do was decided before.

import { readSync } from "node:fs";
import { fence } from "../lib/text.ts";
import { type GroupExit, type ProcessGroup, spawnGroup } from "../lib/process-group.ts";
import { EXIT_GRACE_MS, exitOrStop } from "../lib/process-run.ts";
import { stopGently, whenStateIsWritten } from "./bash-gentle.ts";
import { openLog, OutputKeeper } from "./bash-output.ts";
import type { ToolSession } from "./tool-session.ts";
import type { ToolContext } from "./tool.ts";

const FIRST_UPDATE_MS = 250;
/** A long command is shown less and less often: what is sent stays bounded by its length, not by its output. */
const MAX_UPDATE_MS = 5_000;
const UPDATE_GROWTH = 1.15;
const SHOWN_TAIL_LENGTH = 2_000;
const READ_BYTES = 64 * 1024;
const LEFT_BEHIND_LOOKS = 5;
const LEFT_BEHIND_WAIT_MS = 20;
const GONE_WATCH_MS = 5_000;

export type CommandPlan = {
  readonly command: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** No time limit; a cancel asks once and lets it finish. */
  readonly isGentle: boolean;
  /** Words before the shell's own: the cage it runs in. */
  readonly cage?: readonly string[];
};

type CommandEnd =
  | { readonly type: "exited"; readonly exit: GroupExit; readonly leftBehind: readonly number[] }
  | { readonly type: "timed_out" }
  | { readonly type: "cancelled"; readonly goesOn: boolean }
  | { readonly type: "not_started"; readonly reason: string };

export type CommandRun = {
  readonly end: CommandEnd;
  readonly output: string;
  readonly logPath?: string;
};

/** Never rejects. Answers at once after an abort; what must still be ended is in the session's `ending` or `stopping`. */
export async function runCommand(plan: CommandPlan, context: ToolContext): Promise<CommandRun> {
  try {
    return plan.isGentle ? await runGentle(plan, context) : await runPiped(plan, context);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { end: { type: "not_started", reason }, output: "" };
  }
}

export function shellCommand({ command, cage = [] }: CommandPlan): readonly string[] {
  return [...cage, Bun.which("bash") ?? "/bin/sh", "-c", command];
}

async function runPiped(plan: CommandPlan, context: ToolContext): Promise<CommandRun> {
  const keeper = new OutputKeeper(() => openLogQuietly(context.session));
  using live = showLive(keeper, context);
  const push = (stream: "stdout" | "stderr") => (chunk: Uint8Array) => {
    keeper.push(stream, chunk);
    live.touch();
  };
  const group = spawnGroup(shellCommand(plan), {
    cwd: plan.cwd,
    env: plan.env,
    output: { type: "pipes", onStdout: push("stdout"), onStderr: push("stderr") },
  });
  const first = await exitOrStop(group.exited, context.signal, plan.timeoutMs);
  const result = (end: CommandEnd): CommandRun => ({
    end,
    output: keeper.render(),
    ...(keeper.logPath === undefined ? {} : { logPath: keeper.logPath }),
  });
  if (first === "timed_out") {
    await Promise.all([group.terminate(), group.drained]);
    keeper.close();
    return result({ type: "timed_out" });
  }
  if (first === "cancelled") {
    endLater(group, context.session, () => keeper.close());
    return result({ type: "cancelled", goesOn: false });
  }
  await Promise.race([group.drained, Bun.sleep(EXIT_GRACE_MS)]);
  const leftBehind = await findLeftBehind(group);
  const run = result({ type: "exited", exit: first, leftBehind });
  if (leftBehind.length > 0) keepInBackground(group, plan, keeper, context.session);
  else {
    await group.closeOutput();
    keeper.close();
  }
  return run;
}

/** What still runs after the shell ended; what is just about to end does not count. */
async function findLeftBehind(group: ProcessGroup): Promise<readonly number[]> {
  for (let look = 0; look < LEFT_BEHIND_LOOKS && group.members().length > 0; look++)
    await Bun.sleep(LEFT_BEHIND_WAIT_MS);
  return group.members();
}

/** Processes that outlive their shell belong to the session: they are listed, and end with it. */
function keepInBackground(
  group: ProcessGroup,
  { command }: CommandPlan,
  keeper: OutputKeeper,
  session: ToolSession,
): void {
  const forget = () => {
    clearInterval(watch);
    keeper.close();
    session.background.delete(group.pid);
  };
  // A number that is kept after its process is gone may one day be another process's.
  const watch = setInterval(() => {
    if (group.members().length === 0) forget();
  }, GONE_WATCH_MS);
  watch.unref();
  session.background.set(group.pid, {
    pid: group.pid,
    command,
    logPath: keeper.logPath ?? "",
    stop: async () => {
      await group.terminate();
      await group.closeOutput();
      forget();
    },
  });
}

function endLater(group: ProcessGroup, session: ToolSession, finish: () => void): void {
  const ending = group
    .terminate()
    .then(() => group.closeOutput())
    .then(finish)
    .finally(() => session.ending.delete(ending));
  session.ending.add(ending);
}

function openLogQuietly(session: ToolSession): ReturnType<typeof openLog> | undefined {
  try {
    return openLog(session.outputDir);
  } catch {
    // No place for the whole output: the kept parts still reach the model, and no file is promised.
    return undefined;
  }
}

async function runGentle(plan: CommandPlan, context: ToolContext): Promise<CommandRun> {
  const log = openLog(context.session.outputDir);
  const keeper = new OutputKeeper(() => undefined);
  using live = showLive(keeper, context);
  const follow = followFile(log.fd, (chunk) => {
    keeper.push("stdout", chunk);
    live.touch();
  });
  const timer = setInterval(follow, FIRST_UPDATE_MS);
  try {
    const group = spawnGroup(shellCommand(plan), {
      cwd: plan.cwd,
      env: plan.env,
      output: { type: "file", fd: log.fd },
    });
    const first = await exitOrStop(whenStateIsWritten(group), context.signal, undefined);
    follow();
    const output = keeper.render();
    if (first === "cancelled" || first === "timed_out") {
      stopGently(group, { command: plan.command, logPath: log.path }, context.session);
      return { end: { type: "cancelled", goesOn: true }, output, logPath: log.path };
    }
    const leftBehind = await findLeftBehind(group);
    if (leftBehind.length > 0) keepInBackground(group, plan, keeper, context.session);
    return { end: { type: "exited", exit: first, leftBehind }, output, logPath: log.path };
  } finally {
    clearInterval(timer);
    log.close();
  }
}

/** Each call hands over what was written since the last one. */
export function followFile(fd: number, onChunk: (chunk: Uint8Array) => void): () => void {
  const buffer = new Uint8Array(READ_BYTES);
  let position = 0;
  return () => {
    try {
      for (;;) {
        const read = readSync(fd, buffer, 0, buffer.length, position);
        if (read === 0) return;
        position += read;
        onChunk(buffer.subarray(0, read));
      }
    } catch {
      // What cannot be shown must not take the watch off a command that changes infrastructure.
    }
  };
}

type Live = Disposable & { readonly touch: () => void };

/** Shows the end of the output: the first at once, then at most four times a second, later less often. */
function showLive(keeper: OutputKeeper, { progress }: ToolContext): Live {
  let waitMs = FIRST_UPDATE_MS;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let last = Number.NEGATIVE_INFINITY;
  const show = () => {
    timer = undefined;
    last = performance.now();
    waitMs = Math.min(waitMs * UPDATE_GROWTH, MAX_UPDATE_MS);
    progress([{ type: "text", text: fence(keeper.tail(SHOWN_TAIL_LENGTH)) }]);
  };
  return {
    touch: () => {
      timer ??= setTimeout(show, Math.max(0, last + waitMs - performance.now()));
    },
    [Symbol.dispose]: () => clearTimeout(timer),
  };
}
