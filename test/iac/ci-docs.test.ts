// docs/ci.md: every workflow is YAML of the right shape, and every call of the program in it has flags that exist.

import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseDocument } from "yaml";
import { review } from "../../src/cli/review.ts";
import { isRecord } from "../../src/lib/json.ts";

const TEXT = readFileSync(join(import.meta.dir, "../../docs/ci.md"), "utf8");
const BLOCKS = [...TEXT.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map(
  ([, language = "", body = ""]) => ({ language, body }),
);

function yamlOf(body: string): Record<string, unknown> {
  const document = parseDocument(body, { strict: true, uniqueKeys: true });
  expect(document.errors).toEqual([]);
  expect(document.warnings).toEqual([]);
  const value: unknown = document.toJS();
  if (!isRecord(value)) throw new Error("no map");
  return value;
}

const workflows = BLOCKS.filter(({ language }) => language === "yaml").map(({ body }) =>
  yamlOf(body),
);

test("docs/ci.md holds workflows for GitHub, whose steps run something", () => {
  const jobs = workflows.flatMap((workflow) =>
    isRecord(workflow["jobs"]) ? Object.values(workflow["jobs"]) : [],
  );
  expect(jobs.length).toBe(2);
  for (const job of jobs) {
    if (!isRecord(job) || !Array.isArray(job["steps"])) throw new Error("a job without steps");
    for (const step of job["steps"]) expect(Object.keys(step).join()).toMatch(/\b(uses|run)\b/);
  }
});

test("docs/ci.md holds a pipeline for GitLab, whose jobs belong to its stage and have a script", () => {
  const [pipeline] = workflows.filter((workflow) => workflow["stages"] !== undefined);
  const jobs = Object.values(pipeline ?? {}).filter((value) => isRecord(value) && value["script"]);
  expect(jobs.length).toBe(3);
  for (const job of jobs) expect(job).toMatchObject({ stage: "review" });
});

test("every iac-code review of docs/ci.md has flags that the program knows", () => {
  const flags = [...TEXT.matchAll(/iac-code review ([^\n>|#]*)/g)].flatMap(([, rest = ""]) =>
    [...rest.matchAll(/--([a-z-]+)/g)].map(([, flag = ""]) => flag),
  );
  expect(flags.length).toBeGreaterThan(6);
  expect(flags.filter((flag) => !Object.hasOwn(review.args, flag))).toEqual([]);
});
