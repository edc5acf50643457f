// How right and how fast command classes are, on the corpus. `bun test/bench/classify.ts` prints the rows.

import { rankOf } from "../../src/shell/analysis.ts";
import { analyzeCommand } from "../../src/shell/analyze.ts";
import { CORPUS_OPTIONS, readCorpus } from "../shell/corpus.ts";

export type BenchRow = { readonly name: string; readonly value: number; readonly unit: string };

const ROUNDS = 5;

function quantile(sorted: readonly number[], part: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;
}

/** Right, under- and over-classified lines; time a line after the grammar is loaded, in milliseconds. */
export async function bench(): Promise<readonly BenchRow[]> {
  const corpus = await readCorpus();
  const started = performance.now();
  await analyzeCommand("ls", CORPUS_OPTIONS);
  const loadMs = performance.now() - started;
  const differences: number[] = [];
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const row of corpus) {
      const before = performance.now();
      const found = await analyzeCommand(row.command, CORPUS_OPTIONS);
      if (round > 0) times.push(performance.now() - before);
      else differences.push(rankOf(found.class) - rankOf(row.class));
    }
  }
  const sorted = times.toSorted((a, b) => a - b);
  return [
    { name: "lines", value: corpus.length, unit: "lines" },
    {
      name: "right",
      value: differences.filter((difference) => difference === 0).length,
      unit: "lines",
    },
    {
      name: "under-classified",
      value: differences.filter((difference) => difference < 0).length,
      unit: "lines",
    },
    {
      name: "over-classified",
      value: differences.filter((difference) => difference > 0).length,
      unit: "lines",
    },
    { name: "first command, grammar loaded", value: loadMs, unit: "ms" },
    { name: "median", value: quantile(sorted, 0.5), unit: "ms" },
    { name: "p99", value: quantile(sorted, 0.99), unit: "ms" },
  ];
}

if (import.meta.main) {
  for (const { name, value, unit } of await bench())
    console.log(`${name.padEnd(32)}${value.toFixed(3)} ${unit}`);
}
