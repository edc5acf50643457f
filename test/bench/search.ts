// How long glob and grep take over 50,000 files, beside ripgrep in the same run where it is installed.

import { glob } from "../../src/tools/glob.ts";
import { grep } from "../../src/tools/grep.ts";
import { makeSearchTree } from "../support/search-tree.ts";
import { tempDir } from "../support/temp-dir.ts";
import { toolContext } from "../support/tool-context.ts";
import { type Row, statsOf } from "./row.ts";

const RUNS = 7;

async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

type Pair = {
  readonly name: string;
  readonly own: () => Promise<unknown>;
  readonly rg: readonly string[];
};

/** Both by turns, so that the disk's cache favours neither. */
async function compare({ name, own, rg }: Pair, root: string): Promise<Row> {
  const ours: number[] = [];
  const theirs: number[] = [];
  for (let run = 0; run < RUNS; run += 1) {
    ours.push(await timed(own));
    if (Bun.which("rg") === null) continue;
    theirs.push(
      await timed(() => Bun.spawn(["rg", "--no-config", ...rg, root], { stdout: "ignore" }).exited),
    );
  }
  const row = { name, unit: "ms", ...statsOf(ours) };
  if (theirs.length === 0) return row;
  return {
    ...row,
    reference: { name: "ripgrep", median: statsOf(theirs).median },
    target: { kind: "at_most", ratio: 2 },
  };
}

export async function bench(): Promise<Row[]> {
  await using dir = await tempDir();
  makeSearchTree(dir.path);
  await using tools = await toolContext(dir.path);
  const pairs: readonly Pair[] = [
    {
      name: "grep literal, 50,000 files",
      own: () => tools.run(grep, { pattern: "needle_in_hay" }),
      rg: ["needle_in_hay"],
    },
    {
      name: "grep expression with a literal",
      own: () => tools.run(grep, { pattern: "needle_\\w+_hay" }),
      rg: ["needle_\\w+_hay"],
    },
    {
      name: "grep expression without literal",
      own: () => tools.run(grep, { pattern: "^n[aeiou]+d", output: "files" }),
      rg: ["-l", "^n[aeiou]+d"],
    },
    {
      name: "grep expression, case ignored",
      own: () => tools.run(grep, { pattern: "needle_\\w+_HAY", ignore_case: true }),
      rg: ["-i", "needle_\\w+_HAY"],
    },
    {
      name: "glob **/*.tf, 50,000 files",
      own: () => tools.run(glob, { pattern: "**/*.tf" }),
      rg: ["--files", "-g", "**/*.tf"],
    },
  ];
  const rows: Row[] = [];
  for (const pair of pairs) rows.push(await compare(pair, dir.path));
  return rows;
}
