// The corpus: command lines with the class that the contract gives them, half of them disguised.

import { expect, test } from "bun:test";
import { rankOf } from "../../src/shell/analysis.ts";
import { analyzeCommand } from "../../src/shell/analyze.ts";
import { CORPUS_OPTIONS, readCorpus } from "./corpus.ts";

const rows = await readCorpus();

test("the corpus holds at least 400 lines, half of them disguised, none twice", () => {
  expect(rows.length).toBeGreaterThanOrEqual(400);
  expect(rows.filter((row) => row.disguised === true).length * 2).toBeGreaterThanOrEqual(
    rows.length,
  );
  expect(new Set(rows.map((row) => row.command)).size).toBe(rows.length);
});

test("no line of the corpus is classed lower than it is", async () => {
  const under: string[] = [];
  for (const row of rows) {
    const found = await analyzeCommand(row.command, CORPUS_OPTIONS);
    if (rankOf(found.class) < rankOf(row.class))
      under.push(`${row.command}: ${found.class}, not ${row.class}`);
  }
  expect(under).toEqual([]);
});

test("no line of the corpus is classed higher than it is", async () => {
  const over: string[] = [];
  for (const row of rows) {
    const found = await analyzeCommand(row.command, CORPUS_OPTIONS);
    if (row.over !== true && rankOf(found.class) > rankOf(row.class))
      over.push(`${row.command}: ${found.class}, not ${row.class}`);
  }
  expect(over).toEqual([]);
});
