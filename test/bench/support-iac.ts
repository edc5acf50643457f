// How the map of a project is measured, wherever a table has that row: what the tool iac_map does for a user in a program
// that has been running for a while. The code is warm; the files are walked, read and parsed anew in each run.

import { iacMap } from "../../src/tools/iac-map.ts";
import { toolContext } from "../support/tool-context.ts";
import { type Row, statsOf } from "./row.ts";

const WARM_UP_RUNS = 10;
const RUNS = 25;
/** The promise, in milliseconds. */
const MAP_LIMIT_MS = 100;

/** `project` holds 5,000 blocks; a real path. */
export async function measureMap(project: string): Promise<Row> {
  await using tools = await toolContext(project);
  const times: number[] = [];
  for (let run = -WARM_UP_RUNS; run < RUNS; run += 1) {
    // What the last run left is not this run's work.
    Bun.gc(true);
    const start = performance.now();
    const { ok, text } = await tools.run(iacMap, { query: "summary" });
    const took = performance.now() - start;
    if (!ok) throw new Error(text);
    if (run >= 0) times.push(took);
  }
  return { name: "map of 5,000 blocks", unit: "ms", bound: MAP_LIMIT_MS, ...statsOf(times) };
}
