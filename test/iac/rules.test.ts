// Every rule proves itself by its own examples: found on the marked lines, and nowhere in the passing text.

import { describe, expect, test } from "bun:test";
import { recogniseDocument } from "../../src/iac/documents.ts";
import { parseHcl } from "../../src/iac/hcl/parse.ts";
import { allRules } from "../../src/iac/rules/all.ts";
import { runRules } from "../../src/iac/rules/engine/run-rules.ts";
import type { RuleDialect, RuleSource } from "../../src/iac/rules/engine/source.ts";

const MARK = / *# BAD$/;

function sourceOf(dialect: RuleDialect, text: string): RuleSource {
  if (dialect === "hcl") {
    const hcl = parseHcl(text);
    expect(hcl.faults).toEqual([]);
    return { dialect, file: "main.tf", text, hcl };
  }
  const recognised = recogniseDocument({ path: "main.yaml", text });
  if (recognised.type !== "file") throw new Error(`The example is not recognised as ${dialect}`);
  expect(recognised.documents.flatMap(({ faults }) => faults)).toEqual([]);
  expect(recognised.file.dialect).toBe(dialect);
  return recognised.file;
}

function linesFound(dialect: RuleDialect, text: string, id: string): number[] {
  const { findings } = runRules([sourceOf(dialect, text)]);
  return findings.filter(({ code }) => code === id).map(({ line }) => line);
}

for (const rule of allRules) {
  describe(`${rule.id} ${rule.title}`, () => {
    rule.examples.forEach(({ dialect, failing, passing }, index) => {
      test(`example ${index + 1} (${dialect}) fails on its marked lines only and passes when mended`, () => {
        const lines = failing.split("\n");
        const marked = lines.flatMap((line, at) => (MARK.test(line) ? [at + 1] : []));
        expect(marked.length).toBeGreaterThan(0);
        const bare = lines.map((line) => line.replace(MARK, "")).join("\n");
        expect([...new Set(linesFound(dialect, bare, rule.id))]).toEqual(marked);
        expect(linesFound(dialect, passing, rule.id)).toEqual([]);
      });
    });
  });
}

test("the fix that a rule offers mends what it found", () => {
  let applied = 0;
  for (const { id, examples } of allRules) {
    for (const { dialect, failing } of examples) {
      const text = failing
        .split("\n")
        .map((line) => line.replace(MARK, ""))
        .join("\n");
      const found = runRules([sourceOf(dialect, text)]).findings.filter(({ code }) => code === id);
      for (const { fix, line } of found) {
        if (fix === undefined) continue;
        applied++;
        const mended = text.replace(fix.oldText, () => fix.newText);
        expect({ id, left: linesFound(dialect, mended, id) }).toEqual({
          id,
          left: found.map((each) => each.line).filter((each) => each !== line),
        });
      }
    }
  }
  expect(applied).toBeGreaterThan(30);
});

test("rule ids are unique and there are at least 60", () => {
  expect(new Set(allRules.map(({ id }) => id)).size).toBe(allRules.length);
  expect(allRules.length).toBeGreaterThanOrEqual(60);
});

test("every rule has a title without a full stop, and a fix and a reason that are sentences", () => {
  const faults = allRules.filter(
    ({ title, why, fix }) => title.endsWith(".") || !why.endsWith(".") || !fix.endsWith("."),
  );
  expect(faults.map(({ id }) => id)).toEqual([]);
});
