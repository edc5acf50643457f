// Every requirement has a test, and every test a requirement.

import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Glob } from "bun";
import { REQUIREMENTS } from "./requirements.ts";

const files = [...new Glob("*.test.ts").scanSync(import.meta.dir)];
const named = files.flatMap((file) =>
  [...readFileSync(join(import.meta.dir, file), "utf8").matchAll(/\bverifies\(\s*"([^"]+)"/g)].map(
    (match) => match[1] ?? "",
  ),
);

test("every requirement has a test", () => {
  expect(Object.keys(REQUIREMENTS).filter((id) => !named.includes(id))).toEqual([]);
});

test("every test names a known requirement", () => {
  expect(named.filter((id) => !(id in REQUIREMENTS))).toEqual([]);
});
