// Runs one program to its end and keeps what it said, stdout and stderr apart, in bounded memory. For programs whose
// answer is read by us; what a person watches live is the bash tool's business.

import { type GroupExit, spawnGroup } from "./process-group.ts";

/** Per stream; what comes after is counted, not kept. */
const DEFAULT_MAX_BYTES = 16 * 1024 * 1024;
/** A child of the program may hold the pipes open; its output is not waited for longer than this. */
export const EXIT_GRACE_MS = 200;

export type RunOptions = {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  readonly maxBytes?: number;
};

type RunEnd =
  | { readonly type: "exited"; readonly exit: GroupExit }
  | { readonly type: "timed_out" }
  | { readonly type: "cancelled" }
  /** It could not be started: not installed, or no such folder. */
  | { readonly type: "not_started"; readonly reason: string };

export type RunResult = {
  readonly end: RunEnd;
  readonly stdout: Uint8Array;
  readonly stderr: Uint8Array;
  /** Bytes of either stream that were not kept. */
  readonly omittedBytes: number;
};

/** Never rejects. After an abort or the time limit the whole group is ended (TERM, 5 s, KILL) before it resolves. */
export async function runToEnd(argv: readonly string[], options: RunOptions): Promise<RunResult> {
  const stdout = new BoundedBytes(options.maxBytes ?? DEFAULT_MAX_BYTES);
  const stderr = new BoundedBytes(options.maxBytes ?? DEFAULT_MAX_BYTES);
  const result = (end: RunEnd): RunResult => ({
    end,
    stdout: stdout.bytes(),
    stderr: stderr.bytes(),
    omittedBytes: stdout.omitted + stderr.omitted,
  });
  if (options.signal.aborted) return result({ type: "cancelled" });
  try {
    const group = spawnGroup(argv, {
      cwd: options.cwd,
      env: options.env,
      output: {
        type: "pipes",
        onStdout: (chunk) => stdout.push(chunk),
        onStderr: (chunk) => stderr.push(chunk),
      },
    });
    const first = await exitOrStop(group.exited, options.signal, options.timeoutMs);
    const isStopped = first === "timed_out" || first === "cancelled";
    if (isStopped) await group.terminate();
    else await Promise.race([group.drained, Bun.sleep(EXIT_GRACE_MS)]);
    await group.closeOutput();
    return result(isStopped ? { type: first } : { type: "exited", exit: first });
  } catch (error) {
    return result({ type: "not_started", reason: String(error) });
  }
}

/** Whatever comes first: the exit, the abort, or the time limit; one of `undefined` never comes. */
export async function exitOrStop(
  exited: Promise<GroupExit>,
  signal: AbortSignal,
  timeoutMs: number | undefined,
): Promise<GroupExit | "timed_out" | "cancelled"> {
  const { promise, resolve } = Promise.withResolvers<"timed_out" | "cancelled">();
  const onAbort = () => resolve("cancelled");
  const timer =
    timeoutMs === undefined ? undefined : setTimeout(() => resolve("timed_out"), timeoutMs);
  signal.addEventListener("abort", onAbort, { once: true });
  if (signal.aborted) onAbort();
  try {
    return await Promise.race([exited, promise]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", onAbort);
  }
}

class BoundedBytes {
  readonly #chunks: Uint8Array[] = [];
  readonly #maxBytes: number;
  #size = 0;
  omitted = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  push(chunk: Uint8Array): void {
    const room = this.#maxBytes - this.#size;
    const kept = chunk.byteLength <= room ? chunk : chunk.slice(0, Math.max(0, room));
    this.#size += kept.byteLength;
    this.omitted += chunk.byteLength - kept.byteLength;
    if (kept.byteLength > 0) this.#chunks.push(kept);
  }

  bytes(): Uint8Array {
    return Buffer.concat(this.#chunks);
  }
}
