// `bun run bench [name…] [--json]`: every benchmark prints a table with median, min, max, its reference measured in the same
// run, the ratio, and whether the target was met. Exits 1 when a stated target is missed.

import { readdirSync } from "node:fs";
import { type Row, isMet, ratioOf, toRows } from "./row.ts";

const NO_BENCHMARKS = new Set(["run.ts", "row.ts"]);
const all = readdirSync(import.meta.dir)
  .filter((file) => file.endsWith(".ts") && !NO_BENCHMARKS.has(file) && !file.startsWith("support"))
  .map((file) => file.slice(0, -3))
  .toSorted();

const round = (value: number): string =>
  Math.abs(value) >= 100
    ? value.toFixed(0)
    : Math.abs(value) >= 1
      ? value.toFixed(1)
      : value.toFixed(3);

function targetOf({ target, bound }: Row): string {
  if (bound !== undefined) return `≤ ${bound}`;
  return target === undefined ? "" : `${target.kind === "at_most" ? "≤" : "≥"} ${target.ratio} ×`;
}

function toCells(row: Row): string[] {
  const ratio = ratioOf(row);
  const met = isMet(row);
  return [
    row.name,
    `${round(row.median)} ${row.unit}`.trim(),
    round(row.min),
    round(row.max),
    row.reference === undefined ? "" : `${row.reference.name}: ${round(row.reference.median)}`,
    ratio === undefined ? "" : `${ratio.toFixed(2)} ×`,
    targetOf(row),
    met === undefined ? "" : met ? "pass" : "short",
  ];
}

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

const args = process.argv.slice(2);
const isJson = args.includes("--json");
const wanted = args.filter((arg) => !arg.startsWith("--"));
const unknown = wanted.filter((name) => !all.includes(name));
if (unknown.length > 0) {
  console.error(`There is no benchmark ${unknown.join(", ")}. Benchmarks: ${all.join(", ")}`);
  process.exitCode = 2;
} else {
  const results: Record<string, readonly Row[]> = {};
  for (const name of wanted.length === 0 ? all : wanted) {
    const { bench } = (await import(`./${name}.ts`)) as { bench: () => Promise<unknown> };
    const rows = toRows(await bench());
    results[name] = rows;
    if (!isJson) console.log(table(name, rows));
  }
  if (isJson)
    console.log(
      JSON.stringify({ date: new Date().toISOString(), bun: Bun.version, results }, null, 2),
    );
  if (
    Object.values(results)
      .flat()
      .some((row) => isMet(row) === false)
  )
    process.exitCode = 1;
}
