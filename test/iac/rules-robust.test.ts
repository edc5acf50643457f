// Whatever the text: no exception, and every finding points into its file.

import { expect, test } from "bun:test";
import fc from "fast-check";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { validateDocuments } from "../../src/iac/documents.ts";
import { parseHcl } from "../../src/iac/hcl/parse.ts";
import { allRules } from "../../src/iac/rules/all.ts";
import { runRules } from "../../src/iac/rules/engine/run-rules.ts";

const EXAMPLES = join(import.meta.dir, "..", "..", "examples");
const templates = ["cloudformation", "ros", "kubernetes"].flatMap((dialect) =>
  readdirSync(join(EXAMPLES, dialect))
    .filter((name) => !name.endsWith(".md"))
    .map((name) => readFileSync(join(EXAMPLES, dialect, name), "utf8")),
);
const hclTexts = allRules
  .flatMap(({ examples }) => examples)
  .filter(({ dialect }) => dialect === "hcl")
  .flatMap(({ failing, passing }) => [failing, passing]);

const JUNK = [
  "",
  " ",
  "\n",
  ":",
  "-",
  "{",
  "}",
  "[",
  "]",
  '"',
  "'",
  "!",
  "&a",
  "*a",
  "|",
  "null",
  "- {",
  "\t",
  "!If []",
  "!Sub",
  "<<: *a",
  "0",
  "${",
  "é",
];

/** The text with a piece of it replaced by another piece or by junk. */
function mutated(texts: readonly string[]) {
  return fc
    .tuple(fc.constantFrom(...texts), fc.nat(), fc.nat(60), fc.constantFrom(...JUNK), fc.boolean())
    .map(([text, at, length, junk, isWholeLine]) => {
      const start = at % (text.length + 1);
      const from = isWholeLine ? text.lastIndexOf("\n", start) + 1 : start;
      return text.slice(0, from) + junk + text.slice(from + length);
    });
}

function expectInside(text: string, findings: readonly { line: number; column: number }[]) {
  const lines = text.split("\n");
  for (const { line, column } of findings) {
    expect(line).toBeGreaterThanOrEqual(1);
    expect(line).toBeLessThanOrEqual(lines.length);
    expect(column).toBeGreaterThanOrEqual(1);
    expect(column).toBeLessThanOrEqual((lines[line - 1] ?? "").length + 1);
  }
}

test("validateDocuments never throws and points into the file, whatever was changed in a template", () => {
  fc.assert(
    fc.property(mutated(templates), (text) => {
      expectInside(text, validateDocuments([{ path: "a.yaml", text }]).findings);
    }),
    { numRuns: 400 },
  );
});

test("runRules never throws and points into the file, whatever was changed in HCL", () => {
  fc.assert(
    fc.property(mutated(hclTexts), (text) => {
      const source = { dialect: "hcl", file: "main.tf", text, hcl: parseHcl(text) } as const;
      expectInside(text, runRules([source]).findings);
    }),
    { numRuns: 600 },
  );
});

test("the same files give the same findings, in whatever order they come", () => {
  const files = templates.map((text, index) => ({ path: `d${index}/a.yaml`, text }));
  const { findings } = validateDocuments(files);
  expect(validateDocuments(files.toReversed()).findings).toEqual([...findings]);
});
