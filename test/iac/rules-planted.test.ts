// The example projects hold planted faults: each is found at its line, and no other error is raised.

import { expect, test } from "bun:test";
import { join } from "node:path";
import { Glob } from "bun";
import { z } from "zod";
import { validateDocuments } from "../../src/iac/documents.ts";

const ROOT = join(import.meta.dir, "..", "..");
const plantedSchema = z.array(
  z.object({ file: z.string(), line: z.number(), code: z.string(), title: z.string() }),
);

async function plantedIn(dialect: string) {
  const path = join(ROOT, "test", "fixtures", "planted", `${dialect}.json`);
  return plantedSchema.parse(await Bun.file(path).json());
}

async function reportOf(dialect: string) {
  const directory = join(ROOT, "examples", dialect);
  const paths = [...new Glob("**/*.{yaml,yml,json}").scanSync(directory)].toSorted();
  const files = await Promise.all(
    paths.map(async (path) => ({ path, text: await Bun.file(join(directory, path)).text() })),
  );
  return { files, ...validateDocuments(files) };
}

for (const dialect of ["cloudformation", "ros", "kubernetes"]) {
  test(`the planted faults of the ${dialect} example are found, and no other error`, async () => {
    const planted = await plantedIn(dialect);
    const { findings, files, checked } = await reportOf(dialect);
    const keys = findings.map(({ file, line, code }) => `${file}:${line} ${code}`);
    const wanted = planted.map(({ file, line, code }) => `${file}:${line} ${code}`);
    expect(planted.length).toBeGreaterThanOrEqual(5);
    expect(wanted.filter((key) => !keys.includes(key))).toEqual([]);
    const errors = findings.filter(({ severity }) => severity === "error");
    expect(
      errors
        .map(({ file, line, code }) => `${file}:${line} ${code}`)
        .filter((key) => !wanted.includes(key)),
    ).toEqual([]);
    expect(checked).toEqual(files.map(({ path }) => path));
  });
}
