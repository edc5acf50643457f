// docs/faults.md names tests that exist: every file is there and holds every name that stands behind it.

import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dir, "../..");
const ROWS = readFileSync(join(ROOT, "docs/faults.md"), "utf8")
  .split("\n")
  .filter((line) => /^\| [A-Z]\d+ /.test(line));
/** A name that is meant as one, not as code: a rule of the wire, or the words of a test. */
const NAME = /^[a-z]+\/[a-z-]+$| /;

test("docs/faults.md names files and tests that exist", () => {
  const missing: string[] = [];
  let names = 0;
  for (const row of ROWS) {
    const [, id = "", ...proofs] = row.split("|");
    let source = "";
    for (const [, code = ""] of proofs.join("|").matchAll(/`([^`]+)`/g)) {
      if (code.startsWith("test/")) {
        const path = join(ROOT, code);
        source = existsSync(path) ? readFileSync(path, "utf8") : "";
        if (source === "") missing.push(`${id.trim()}: ${code}`);
      } else if (NAME.test(code) && source !== "") {
        names += 1;
        if (!source.includes(code)) missing.push(`${id.trim()}: ${code}`);
      }
    }
  }
  expect(missing).toEqual([]);
  expect(names).toBeGreaterThan(50);
});

test("docs/faults.md has a row for each case of the chapters about tools, permissions, delegation and paths", () => {
  const ids = ROWS.map((row) => /^\| ([A-Z]\d+)/.exec(row)?.[1]);
  const wanted = [
    ...[1, 2, 3, 4, 6, 7, 9, 10].map((n) => `T${n}`),
    ...[1, 2, 3, 4, 6, 7, 9, 11, 13, 14, 15].map((n) => `P${n}`),
    ...[2, 3, 5, 6].map((n) => `F${n}`),
    ...[1, 3, 4, 6, 8, 9, 11].map((n) => `W${n}`),
    "X6",
    ...[1, 2, 3, 4, 5, 6, 8, 9, 10, 13].map((n) => `I${n}`),
  ];
  expect(wanted.filter((id) => !ids.includes(id))).toEqual([]);
});
