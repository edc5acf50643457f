// The newest of many files, whoever looks at them.

import { expect, test } from "bun:test";
import { utimesSync } from "node:fs";
import { NewestFiles } from "../../src/tools/glob-times.ts";
import { tempDir } from "../support/temp-dir.ts";

const NAMES = Array.from({ length: 60 }, (_, index) => `d${index % 3}/f${index}`);
/** More than wait for their times at once. */
const batches = NAMES.map((name) => [name]);
const never = new AbortController().signal;

test("the newest come first, the same with and without helpers", async () => {
  await using dir = await tempDir(Object.fromEntries(NAMES.map((name) => [name, ""])));
  // A few share a time: these are told by path.
  const times = new Map(NAMES.map((name, index) => [name, 1_000_000 + ((index * 7) % 45)]));
  for (const [name, time] of times) utimesSync(dir.file(name), time, time);
  const expected = NAMES.toSorted(
    (a, b) => (times.get(b) ?? 0) - (times.get(a) ?? 0) || (a < b ? -1 : 1),
  );
  for (const maxHelpers of [0, 1, 2])
    for (const wanted of [2, 10, 100]) {
      await using files = new NewestFiles({
        root: dir.path,
        wanted,
        maxHelpers,
        minHelpedFiles: 1,
      });
      for (const batch of batches) files.add(batch);
      expect(await files.finish(never)).toEqual(expected.slice(0, wanted));
      expect(files.count).toBe(NAMES.length);
    }
});

test("files that are gone, and helpers that ended, are no reason to find less", async () => {
  await using dir = await tempDir();
  await using files = new NewestFiles({
    // No helper can begin there.
    root: dir.file("missing"),
    wanted: 100,
    maxHelpers: 2,
    minHelpedFiles: 1,
  });
  for (const batch of batches) files.add(batch);
  expect(await files.finish(never)).toEqual(NAMES.toSorted());
});

test("an abort before the end leaves no helper behind", async () => {
  await using dir = await tempDir();
  const files = new NewestFiles({
    root: dir.path,
    wanted: 100,
    maxHelpers: 2,
    minHelpedFiles: 1,
  });
  for (const batch of batches) files.add(batch);
  expect((await files.finish(AbortSignal.abort())).length).toBeLessThan(NAMES.length);
  // Resolves when they have ended.
  await files[Symbol.asyncDispose]();
});
