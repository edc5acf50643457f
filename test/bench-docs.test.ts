// The figures in docs/performance.md are written by the benchmarks, section by section.

import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Row } from "./bench/row.ts";
import { BEGIN, END, withResults } from "./bench/support-docs.ts";

const document = `# Performance\n\nProse before.\n\n${BEGIN}\n${END}\n\nProse behind.\n`;
const circumstances = { date: new Date("2026-01-02T03:04:05Z"), program: "the sources" };
const rowOf = (median: number): Row => ({
  name: "a turn | all of it",
  unit: "ms",
  median,
  min: 1,
  max: 9,
  reference: { name: "plain fetch", median: 2 },
  target: { kind: "at_most", ratio: 2 },
});

test("a run writes a section for each benchmark, with date, machine and whether the target was met", () => {
  const written = withResults(
    document,
    { turns: [rowOf(3)], load: [rowOf(5)] },
    ["turns", "load"],
    circumstances,
  );
  expect(written).toStartWith(
    `# Performance\n\nProse before.\n\n${BEGIN}\n\n### load\n2026-01-02, `,
  );
  expect(written).toEndWith(`\n\n${END}\n\nProse behind.\n`);
  expect(written).toContain(`CPUs, `);
  expect(written).toContain(`, Bun ${Bun.version}, the sources.`);
  expect(written).toContain(
    "| a turn \\| all of it | 3.0 ms | 1.0 | 9.0 | plain fetch: 2.0 | 1.50 × | ≤ 2 × | pass |",
  );
  expect(written).toContain("| 2.50 × | ≤ 2 × | short |");
});

test("a run of one benchmark changes its section and no other; a benchmark that is gone goes", () => {
  const known = ["load", "turns"];
  const before = withResults(
    document,
    { gone: [rowOf(1)], load: [rowOf(5)], turns: [rowOf(3)] },
    [...known, "gone"],
    circumstances,
  );
  const later = { date: new Date("2027-01-01"), program: "the built binary" };
  const after = withResults(before, { turns: [rowOf(4)] }, known, later);
  const sectionOf = (text: string, name: string) =>
    text.slice(text.indexOf(`### ${name}`)).split(/\n\n(?=###|<!--)/)[0];
  expect(sectionOf(after, "load")).toBe(sectionOf(before, "load"));
  expect(sectionOf(after, "turns")).toContain("2027-01-01");
  expect(sectionOf(after, "turns")).toContain("| 4.0 ms |");
  expect(after).not.toContain("### gone");
});

test("docs/performance.md has the place for the figures", () => {
  const real = readFileSync(join(import.meta.dir, "../docs/performance.md"), "utf8");
  expect(withResults(real, {}, [], circumstances)).toContain("## Where the time goes");
});
