// docs/requirements.md: every rule of the wire against every transport. `bun test/support/requirement-docs.ts` writes it; a
// test says when it is old, and that no cell is empty.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Glob } from "bun";
import type { Requirement } from "../acp/requirement.ts";
import { REQUIREMENTS } from "../acp/requirements.ts";
import { TRANSPORTS } from "./acp-client.ts";

const TESTS = join(import.meta.dir, "..");
export const REQUIREMENT_DOCS_PATH = join(TESTS, "..", "docs", "requirements.md");

const read = (file: string): string => readFileSync(join(TESTS, file), "utf8");

/** Every id that a `verifies()` names, as often as it is named. */
export function namedIds(): string[] {
  const files = [...new Glob("acp/*.test.ts").scanSync(TESTS)];
  return files.flatMap((file) =>
    [...read(file).matchAll(/\bverifies\(\s*"([^"]+)"/g)].map((match) => match[1] ?? ""),
  );
}

/** True when a test of the rule's own file is named like the rule. */
const isNamed = ({ file, rule }: Requirement): boolean =>
  file !== undefined && [`"${rule}"`, `\`${rule}\``].some((name) => read(file).includes(name));

export type Row = {
  readonly id: string;
  readonly requirement: Requirement;
  /** By transport, in the order of TRANSPORTS: proved, cannot hold there, or neither. */
  readonly cells: readonly ("proved" | "not" | "hole")[];
};

/** The matrix, in the order of the lists. */
export function matrix(): readonly Row[] {
  const named = new Set(namedIds());
  return Object.entries<Requirement>(REQUIREMENTS).map(([id, requirement]) => {
    const { transports = TRANSPORTS, not } = requirement;
    const isProved = named.has(id) || isNamed(requirement);
    const cells = TRANSPORTS.map((transport) => {
      if (transports.includes(transport)) return isProved ? "proved" : "hole";
      return not === undefined ? "hole" : "not";
    });
    return { id, requirement, cells };
  });
}

/** `124 rules × 4 transports: 380 proved, 116 cannot hold there, 0 holes`. */
export function summary(rows: readonly Row[]): string {
  const count = (kind: Row["cells"][number]) =>
    rows.flatMap(({ cells }) => cells).filter((cell) => cell === kind).length;
  return `${rows.length} rules × ${TRANSPORTS.length} transports: ${count("proved")} proved, ${count("not")} cannot hold there, ${count("hole")} holes`;
}

const MARKS = { proved: "✓", not: "–", hole: "hole" } as const;

/** One line a rule, a column a transport: `+` proved, `·` cannot hold there, `HOLE` neither. */
export function matrixText(rows: readonly Row[]): string {
  const marks = { proved: "+", not: "·", hole: "HOLE" } as const;
  const widths = TRANSPORTS.map((name) => name.length);
  const line = (id: string, cells: readonly string[]) =>
    `${id.padEnd(28)} ${cells.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join("  ")}`.trimEnd();
  const body = rows.map(({ id, cells }) =>
    line(
      id,
      cells.map((cell) => marks[cell]),
    ),
  );
  return [line("rule", TRANSPORTS), ...body].join("\n");
}

export function renderRequirementDocs(): string {
  const rows = matrix();
  const lines = rows.map(({ id, requirement: { source, rule, not, file }, cells }) => {
    const remark = [...(file === undefined ? [] : [`test/${file}`]), ...(not ?? "").split("\n")];
    const marks = cells.map((cell) => MARKS[cell]).join(" | ");
    return `| ${id} | ${rule.replaceAll("|", "\\|")} | ${marks} | ${source} | ${remark.filter(Boolean).join("; ")} |`;
  });
  return [
    "# Rules of the wire",
    "",
    "<!-- Made by `bun test/support/requirement-docs.ts` from test/acp/requirements.ts; edit the lists, not this page. -->",
    "",
    `${summary(rows)}.`,
    "",
    "✓ is a test that runs against the program on that transport, or in the named file; – a rule that cannot hold there, with the reason.",
    "The sources are the sections of the contract, the cases of [faults.md](faults.md) and pages of the specification.",
    "",
    `| id | rule | ${TRANSPORTS.join(" | ")} | source | remark |`,
    `|---|---|${TRANSPORTS.map(() => "---|").join("")}---|---|`,
    ...lines,
    "",
  ].join("\n");
}

if (import.meta.main) await Bun.write(REQUIREMENT_DOCS_PATH, renderRequirementDocs());
