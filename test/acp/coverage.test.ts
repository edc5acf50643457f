// Every requirement has a test on every transport, every test a requirement; the page that shows it is current.

import { afterAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import {
  REQUIREMENT_DOCS_PATH,
  matrix,
  matrixText,
  namedIds,
  renderRequirementDocs,
  summary,
} from "../support/requirement-docs.ts";
import type { Requirement } from "./requirement.ts";
import { REQUIREMENTS } from "./requirements.ts";

const rows = matrix();

afterAll(
  () =>
    void process.stdout.write(`\n${matrixText(rows)}\n${summary(rows)} (docs/requirements.md)\n`),
);

test("every requirement is proved on every transport that it can hold on", () => {
  expect(rows.filter(({ cells }) => cells.includes("hole")).map(({ id }) => id)).toEqual([]);
});

test("every test names a known requirement", () => {
  expect(namedIds().filter((id) => !(id in REQUIREMENTS))).toEqual([]);
});

test("a requirement that leaves transports out says why", () => {
  const silent = Object.entries<Requirement>(REQUIREMENTS).filter(
    ([, { transports, not }]) => (transports === undefined) !== (not === undefined),
  );
  expect(silent.map(([id]) => id)).toEqual([]);
});

test("docs/requirements.md is current", () => {
  expect(readFileSync(REQUIREMENT_DOCS_PATH, "utf8")).toBe(renderRequirementDocs());
});
