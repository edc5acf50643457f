// `bun run bench [name…] [--json] [--docs]`: every benchmark prints a table with median, min, max, its reference measured in
// the same run, the ratio, and whether the target was met. `--json` prints one JSON document instead and nothing else on
// stdout; `--docs` also writes the figures of what ran into docs/performance.md.
// Exits 0 when every stated target is met, 1 when one is missed or a benchmark failed (the others still run), 2 for a name
// that is none.

import { readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PROGRAM, SOURCES } from "../support/program.ts";
import { type Row, isMet, toCells, toRows } from "./row.ts";
import { withResults } from "./support-docs.ts";

const DOCUMENT = join(import.meta.dir, "../../docs/performance.md");
const NO_BENCHMARKS = new Set(["run.ts", "row.ts"]);
const all = readdirSync(import.meta.dir)
  .filter((file) => /^[a-z].*\.ts$/.test(file))
  .filter((file) => !NO_BENCHMARKS.has(file) && !file.startsWith("support"))
  .map((file) => file.slice(0, -3))
  .toSorted();

function table(name: string, rows: readonly Row[]): string {
  const cells = [
    ["what", "median", "min", "max", "reference", "ratio", "target", ""],
    ...rows.map(toCells),
  ];
  const widths =
    cells[0]?.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0))) ?? [];
  return [
    `\n${name}`,
    ...cells.map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    ),
  ].join("\n");
}

/** What the benchmarks start, with the size of a binary. */
function programName(): string {
  if (PROGRAM === SOURCES) return "the sources";
  const [file = ""] = PROGRAM;
  return `the built binary (${(statSync(file).size / 1_000_000).toFixed(1)} MB)`;
}

const args = process.argv.slice(2);
const isJson = args.includes("--json");
const wanted = args.filter((arg) => !arg.startsWith("--"));
const unknown = wanted.filter((name) => !all.includes(name));
if (unknown.length > 0) {
  console.error(`There is no benchmark ${unknown.join(", ")}. Benchmarks: ${all.join(", ")}`);
  process.exitCode = 2;
} else {
  const program = programName();
  if (!isJson) console.log(`Measured: ${program}`);
  const date = new Date();
  const results: Record<string, readonly Row[]> = {};
  for (const name of wanted.length === 0 ? all : wanted) {
    try {
      const { bench } = (await import(`./${name}.ts`)) as { bench: () => Promise<unknown> };
      const rows = toRows(await bench());
      results[name] = rows;
      if (!isJson) console.log(table(name, rows));
    } catch (error) {
      console.error(`${name} failed:`, error);
      process.exitCode = 1;
    }
  }
  if (isJson)
    console.log(
      JSON.stringify({ date: date.toISOString(), bun: Bun.version, program, results }, null, 2),
    );
  if (args.includes("--docs")) {
    const document = readFileSync(DOCUMENT, "utf8");
    writeFileSync(DOCUMENT, withResults(document, results, all, { date, program }));
  }
  const rows = Object.values(results).flat();
  if (rows.some((row) => isMet(row) === false)) process.exitCode = 1;
}
