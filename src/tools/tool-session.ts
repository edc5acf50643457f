// What the tools of one session remember between calls: files seen, processes left running, things the next turn
// must be told. Lives and dies with the session in memory; nothing here is stored.

import { rm } from "node:fs/promises";
import type { PathAccess } from "../conversation/access.ts";
import type { PlanCard, StateMark } from "../iac/plan/card.ts";
import { Checkpoints } from "./checkpoints.ts";
import { probeSandbox, type Sandbox } from "./sandbox.ts";

/** A file as this session last saw it. */
export type FileStamp = {
  /**
   * SHA-256 of its bytes, hex. A file too large to be hashed on every read has `stat:` with inode and mtime
   * in nanoseconds instead (file-stamp.ts names the limit).
   */
  readonly hash: string;
  readonly size: number;
};

/** A process that goes on after the call that started it. */
type BackgroundRun = {
  /** Also the id of its process group. */
  readonly pid: number;
  readonly command: string;
  /** Where its output goes. */
  readonly logPath: string;
  /** TERM, 5 s, KILL; resolves when nothing of it is left. */
  readonly stop: () => Promise<void>;
};

/** A command that changes infrastructure and was told to stop: it is given time to write its state. */
export type GentleRun = {
  readonly pid: number;
  readonly command: string;
  readonly logPath: string;
  /** Milliseconds since 1970. */
  readonly interruptedAtMs: number;
  /** Resolves when it has ended by itself or its time was up; says how, in a sentence. */
  readonly ended: Promise<string>;
  /** Ends it at once, state written or not. Only a person may ask for this. */
  readonly kill: () => Promise<void>;
};

/** What a plan was asked for; also how it is checked again after its apply. */
export type PlanRequest = {
  /** Where it runs. */
  readonly directory: PathAccess;
  readonly targets: readonly string[];
  /** Absolute. */
  readonly varFiles: readonly string[];
  readonly isDestroy: boolean;
  readonly isRefreshOnly: boolean;
  /** As asked for; absent: the one that is selected. */
  readonly workspace?: string;
};

/** A plan that was made here, and what must still hold when it is applied. */
export type StoredPlan = {
  /** SHA-256, hex. */
  readonly planId: string;
  readonly request: PlanRequest;
  readonly status: "ready" | "applied";
  /** The binary file, mode 0600; it may hold secrets. */
  readonly planFile: string;
  /** Absolute path of terraform or tofu. */
  readonly binary: string;
  readonly workspace: string;
  readonly card: PlanCard;
  /** Milliseconds since 1970. */
  readonly plannedAtMs: number;
  /** Absent where the state could not be read. */
  readonly state?: StateMark | "empty";
  /** SHA-256 of the code and settings it was made from. */
  readonly codeHash: string;
};

export type ToolSession = {
  /** By real path: what this session read or wrote, for refusing to overwrite what changed since. */
  readonly files: Map<string, FileStamp>;
  /** Where whole command outputs are kept; made on first use, mode 0700. */
  readonly outputDir: string;
  /** What the turns' files held before. */
  readonly checkpoints: Checkpoints;
  /** Whether commands can be caged here; tried once. */
  readonly sandbox: () => Promise<Sandbox>;
  /** By pid. All of it ends with the session. */
  readonly background: Map<number, BackgroundRun>;
  /** By pid. Never ended by the session: a half-done apply is worse than a late one. */
  readonly stopping: Map<number, GentleRun>;
  /** By id, oldest first. */
  readonly plans: Map<string, StoredPlan>;
  /** Process groups that are being ended while their call has already answered. */
  readonly ending: Set<Promise<void>>;
  /** Sentences for the next turn, oldest first; whoever starts the turn takes them out. */
  readonly notices: string[];
};

/** Beside the outputs, not among them: outputs are read unasked, and what files held may be secret. */
const undoDir = (outputDir: string): string => `${outputDir}-undo`;

/** Removes what a session left on disk besides its history. */
export async function removeToolFiles(outputDir: string): Promise<void> {
  for (const folder of [outputDir, undoDir(outputDir)])
    await rm(folder, { recursive: true, force: true });
}

export function createToolSession(outputDir: string): ToolSession {
  let sandbox: Promise<Sandbox> | undefined;
  return {
    files: new Map(),
    outputDir,
    checkpoints: new Checkpoints(undoDir(outputDir)),
    sandbox: () => (sandbox ??= probeSandbox()),
    background: new Map(),
    stopping: new Map(),
    plans: new Map(),
    ending: new Set(),
    notices: [],
  };
}

/** Stops what the session left running and waits for it. Commands in `stopping` are left to finish by themselves. */
export async function disposeToolSession(session: ToolSession): Promise<void> {
  const runs = [...session.background.values()];
  await Promise.all([...runs.map((run) => run.stop()), ...session.ending]);
  session.background.clear();
  // Nobody knows their ids any more, and they may hold secrets. One that is being applied was read long ago.
  const plans = [...session.plans.values()];
  await Promise.all(plans.map(({ planFile }) => rm(planFile, { force: true })));
  session.plans.clear();
}

/** A cancel that comes sooner after the first is a doubled key press, not an order to kill. */
const SECOND_CANCEL_MS = 2_000;

/** A person's second cancel: ends at once what was interrupted before and still runs. How it ended becomes a notice. */
export function killStopping(session: ToolSession): void {
  for (const run of session.stopping.values())
    if (Date.now() - run.interruptedAtMs >= SECOND_CANCEL_MS) void run.kill();
}

/** Takes the notices out, for the turn that begins. */
export function takeNotices(session: ToolSession): string[] {
  return session.notices.splice(0);
}
