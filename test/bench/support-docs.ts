// The figures in docs/performance.md: a section a benchmark, between two markers, with when and where it was measured.
// A run replaces the sections of the benchmarks it ran and leaves the others, and all prose, as they are.

import { readFileSync } from "node:fs";
import { cpus, release, type } from "node:os";
import { type Row, toCells } from "./row.ts";

export const BEGIN = "<!-- bench: figures, written by `bun run bench --docs` -->";
export const END = "<!-- bench: end -->";
const HEAD = ["what", "median", "min", "max", "reference", "ratio", "target", ""];

/** When and where a run was made, in one line. */
export type Circumstances = {
  readonly date: Date;
  /** What was measured, and its size. */
  readonly program: string;
};

function systemName(): string {
  try {
    const name = /^PRETTY_NAME="?([^"\n]+)/m.exec(readFileSync("/etc/os-release", "utf8"))?.[1];
    if (name !== undefined) return name;
  } catch {
    // Not every system describes itself in this file.
  }
  return `${type()} ${release()}`;
}

function lineOf({ date, program }: Circumstances): string {
  const day = date.toISOString().slice(0, 10);
  return `${day}, ${cpus().length} CPUs, ${systemName()}, Bun ${Bun.version}, ${program}.`;
}

const tableLine = (cells: readonly string[]): string =>
  `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;

function sectionOf(name: string, rows: readonly Row[], circumstances: Circumstances): string {
  return [
    `### ${name}`,
    lineOf(circumstances),
    "",
    tableLine(HEAD),
    `|${HEAD.map(() => "---|").join("")}`,
    ...rows.map((row) => tableLine(toCells(row))),
  ].join("\n");
}

/** Sections by their name, in the order they stand in. */
function sectionsIn(figures: string): Map<string, string> {
  const parts = figures.split(/^(?=### )/m).filter((part) => part.startsWith("### "));
  return new Map(parts.map((part) => [part.slice(4, part.indexOf("\n")), part.trimEnd()]));
}

/**
 * The document with these results; sections stand by name. Those of benchmarks that are not in `known` go.
 * Throws when the document has no markers.
 */
export function withResults(
  document: string,
  results: Readonly<Record<string, readonly Row[]>>,
  known: readonly string[],
  circumstances: Circumstances,
): string {
  const from = document.indexOf(BEGIN);
  const to = document.indexOf(END);
  if (from < 0 || to < from) throw new Error(`The document has no lines ${BEGIN} and ${END}`);
  const sections = sectionsIn(document.slice(from + BEGIN.length, to));
  for (const [name, rows] of Object.entries(results))
    sections.set(name, sectionOf(name, rows, circumstances));
  const kept = known.toSorted().flatMap((name) => sections.get(name) ?? []);
  return `${document.slice(0, from)}${BEGIN}\n\n${kept.join("\n\n")}\n\n${document.slice(to)}`;
}
