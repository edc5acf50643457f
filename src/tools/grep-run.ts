// Hands the walk's files to search processes, a few where there is much to search, and passes on what they find in the
// order of the walk.

import type { GrepQuery } from "./grep-match.ts";
import { type GrepOutcome, GrepProcess } from "./grep-process.ts";
import type { GrepReply } from "./grep-worker.ts";
import { SearchPool } from "./search-process.ts";

const MAX_PROCESSES = 4;
/** Batches for each process: some 25 ms of work. */
const WAITING_BATCHES = 4;

export type GrepEnd =
  | { readonly type: "done" }
  | { readonly type: "cancelled" }
  | Exclude<GrepOutcome, { readonly type: "found" }>;

export type GrepRun = {
  readonly batches: AsyncIterable<readonly string[]>;
  readonly query: GrepQuery;
  /** Matches that are still wanted; 0 ends the search. */
  readonly wanted: () => number;
  /** In the order of the batches. Batches ahead were asked for as many matches as were wanted when they began. */
  readonly onReply: (reply: GrepReply) => void;
  readonly signal: AbortSignal;
  /** Default 5 s. */
  readonly stallMs?: number;
  /** Search processes at most. Default: one a core, up to 4. */
  readonly maxProcesses?: number;
};

/** Never rejects for what files or expressions do. The search processes have ended when it resolves. */
export async function runGrep(run: GrepRun): Promise<GrepEnd> {
  if (run.signal.aborted) return { type: "cancelled" };
  const { promise: aborted, resolve } = Promise.withResolvers<GrepEnd>();
  const onAbort = () => resolve({ type: "cancelled" });
  run.signal.addEventListener("abort", onAbort, { once: true });
  const size = run.maxProcesses ?? Math.min(MAX_PROCESSES, navigator.hardwareConcurrency);
  const pool = new SearchPool(() => new GrepProcess(run.query, run.stallMs), size, WAITING_BATCHES);
  // Before anything is walked: it takes longer to start than most folders take to read.
  pool.pick();
  try {
    return await searchInOrder(run, pool, aborted);
  } finally {
    run.signal.removeEventListener("abort", onAbort);
    await pool.close();
  }
}

async function searchInOrder(
  run: GrepRun,
  pool: SearchPool<GrepProcess>,
  aborted: Promise<GrepEnd>,
): Promise<GrepEnd> {
  const ahead: Promise<GrepOutcome>[] = [];
  /** Passes on the oldest answers until no more than `left` are outstanding. */
  const passOn = async (left: number): Promise<GrepEnd | undefined> => {
    while (ahead.length > left) {
      const outcome = await Promise.race([aborted, ahead.shift()]);
      if (outcome?.type !== "found") return outcome;
      run.onReply(outcome.reply);
      if (run.wanted() <= 0) return { type: "done" };
    }
    return undefined;
  };
  for await (const paths of run.batches) {
    if (paths.length > 0) ahead.push(pool.pick().search({ paths, maxMatches: run.wanted() }));
    const end = await passOn(pool.capacity - 1);
    if (end) return end;
  }
  return (await passOn(0)) ?? { type: "done" };
}
