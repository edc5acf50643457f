// One command as a process group of its own: started without a terminal and with an empty stdin, its output read from
// the first byte, signalled and ended as a whole. Knows nothing of what the command means.

import { newUuid } from "./ids.ts";
import { findMembers, signalAll } from "./process-members.ts";

/** From TERM to KILL. */
const TERMINATE_GRACE_MS = 5_000;
/** How long KILL may take before the rest is given up as unkillable (a process in the kernel's hands). */
const KILL_WAIT_MS = 2_000;
const POLL_MS = 25;
/** The environment variable by which descendants are found that left the group. */
const MARK_NAME = "IACCODE_GROUP";

/** Exactly one of the two is set, except when the system tells neither. */
export type GroupExit = { readonly exitCode?: number; readonly signal?: string };

type GroupOutput =
  | {
      readonly type: "pipes";
      readonly onStdout: (chunk: Uint8Array) => void;
      readonly onStderr: (chunk: Uint8Array) => void;
    }
  /** Both streams go straight to an open file, so that the command survives the end of this program. */
  | { readonly type: "file"; readonly fd: number };

export type GroupOptions = {
  readonly cwd: string;
  /** The whole environment; nothing is inherited besides. */
  readonly env: Readonly<Record<string, string>>;
  readonly output: GroupOutput;
  /** Default: stdin is empty. */
  readonly stdin?: "pipe";
};

export type ProcessGroup = {
  readonly pid: number;
  /** The first process ended; others of the group may go on. */
  readonly exited: Promise<GroupExit>;
  /** Both pipes were closed by everybody; at once for output to a file. */
  readonly drained: Promise<void>;
  /** Stops reading; who still writes gets SIGPIPE. */
  readonly closeOutput: () => Promise<void>;
  /** Live processes of it, also those that left the group (on Linux). */
  readonly members: () => readonly number[];
  /** To the whole group; silence when it is gone. */
  readonly signal: (name: NodeJS.Signals) => void;
  /** TERM, `graceMs` (default 5 s), KILL, to the group and to descendants that left it; resolves when all are gone. */
  readonly terminate: (graceMs?: number) => Promise<void>;
  /** This program may end before the command does. */
  readonly unref: () => void;
  /** Stdin, where it is a pipe. Writing throws when nobody reads any more. */
  readonly input?: { readonly write: (text: string) => void; readonly close: () => void };
};

/** Starts `argv` in a session of its own (setsid). Throws when the program or `cwd` is not there. */
export function spawnGroup(argv: readonly string[], options: GroupOptions): ProcessGroup {
  const mark = newUuid();
  const { output } = options;
  const child = Bun.spawn([...argv], {
    cwd: options.cwd,
    env: { ...options.env, [MARK_NAME]: mark },
    detached: true,
    stdin: options.stdin ?? "ignore",
    stdout: output.type === "file" ? output.fd : "pipe",
    stderr: output.type === "file" ? output.fd : "pipe",
  });
  const { pid } = child;
  const readers =
    output.type === "file"
      ? []
      : [readAll(child.stdout, output.onStdout), readAll(child.stderr, output.onStderr)];
  const members = () => findMembers(pid, `${MARK_NAME}=${mark}`);
  let ending: Promise<void> | undefined;
  return {
    pid,
    exited: child.exited.then(() => ({
      ...(child.exitCode === null ? {} : { exitCode: child.exitCode }),
      ...(child.signalCode === null ? {} : { signal: String(child.signalCode) }),
    })),
    drained: Promise.all(readers.map((reader) => reader.done)).then(() => undefined),
    closeOutput: async () => {
      await Promise.all(readers.map((reader) => reader.cancel()));
    },
    members,
    signal: (name) => signalAll(pid, [], name),
    terminate: (graceMs = TERMINATE_GRACE_MS) =>
      (ending ??= terminateGroup(pid, members, graceMs).then(async () => {
        await child.exited;
      })),
    unref: () => child.unref(),
    ...(child.stdin === undefined || typeof child.stdin === "number"
      ? {}
      : { input: inputOf(child.stdin) }),
  };
}

function inputOf(sink: Bun.FileSink): NonNullable<ProcessGroup["input"]> {
  // Who reads may end at any time; the exit tells, so a write that comes too late is no fault of its own.
  const settle = (result: unknown): void => {
    if (result instanceof Promise) result.catch(() => undefined);
  };
  return {
    write: (text) => {
      settle(sink.write(text));
      settle(sink.flush());
    },
    close: () => settle(sink.end()),
  };
}

async function terminateGroup(
  pid: number,
  members: () => readonly number[],
  graceMs: number,
): Promise<void> {
  signalAll(pid, members(), "SIGTERM");
  if (await areGone(members, graceMs)) return;
  const deadline = Date.now() + KILL_WAIT_MS;
  // A member may fork between the look and the signal: look again until nothing is left.
  while (Date.now() < deadline) {
    signalAll(pid, members(), "SIGKILL");
    if (await areGone(members, POLL_MS * 4)) return;
  }
}

async function areGone(members: () => readonly number[], withinMs: number): Promise<boolean> {
  const deadline = Date.now() + withinMs;
  for (;;) {
    if (members().length === 0) return true;
    if (Date.now() >= deadline) return false;
    await Bun.sleep(POLL_MS);
  }
}

type PipeReader = { readonly done: Promise<void>; readonly cancel: () => Promise<void> };

/** Reads at once and for ever: a pipe without a reader is buffered without bound. */
function readAll(
  stream: ReadableStream<Uint8Array> | number | undefined,
  onChunk: (chunk: Uint8Array) => void,
): PipeReader {
  if (typeof stream !== "object") {
    return { done: Promise.resolve(), cancel: async () => undefined };
  }
  const reader = stream.getReader();
  const pump = async () => {
    try {
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return;
        onChunk(value);
      }
    } catch {
      // A pipe that breaks is a pipe that ended; the exit code tells the rest.
    }
  };
  return {
    done: pump(),
    // Cancelling an already closed stream is no fault.
    cancel: () => reader.cancel().catch(() => undefined),
  };
}
