// Several search processes at once: one order, one limit, and an end whatever one of them does.

import { expect, test } from "bun:test";
import { basename } from "node:path";
import { type GrepRun, runGrep } from "../../src/tools/grep-run.ts";
import { grep } from "../../src/tools/grep.ts";
import { type TempDir, tempDir } from "../support/temp-dir.ts";
import { toolContext } from "../support/tool-context.ts";

/** Takes hours; (a+)+ does not do here, because the engine gives that up after half a second. */
const RUNAWAY = "a*a*a*a*a*b";
const RUNAWAY_TEXT = "a".repeat(3_000);
const QUERY = { pattern: "x", ignoresCase: false, context: 0, wantsLines: true };

async function* batchesOf(
  dir: TempDir,
  batches: readonly (readonly string[])[],
): AsyncGenerator<readonly string[]> {
  for (const names of batches) yield names.map((name) => dir.file(name));
}

/** Runs over the batches; returns the end, and the names of the files with matches as they were told. */
async function search(
  dir: TempDir,
  batches: readonly (readonly string[])[],
  run: Partial<GrepRun>,
): Promise<{ readonly end: unknown; readonly found: readonly string[] }> {
  const found: string[] = [];
  const end = await runGrep({
    batches: batchesOf(dir, batches),
    query: QUERY,
    wanted: () => 1_000,
    onReply: ({ matches }) => void found.push(...matches.map(({ path }) => basename(path))),
    signal: new AbortController().signal,
    ...run,
  });
  return { end, found };
}

test("what several processes find comes in the order of the walk", async () => {
  const names = Array.from({ length: 60 }, (_, index) => `f${index}`);
  // Every seventh takes much longer than those after it.
  await using dir = await tempDir(
    Object.fromEntries(names.map((name, i) => [name, i % 7 === 0 ? "x\n".repeat(200_000) : "x\n"])),
  );
  const batches = names.map((name) => [name]);
  for (const maxProcesses of [1, 3])
    expect(await search(dir, batches, { maxProcesses })).toEqual({
      end: { type: "done" },
      found: names,
    });
});

test("the search ends with the batch that brings enough, in the order of the walk", async () => {
  const names = Array.from({ length: 40 }, (_, index) => `f${index}`);
  await using dir = await tempDir(Object.fromEntries(names.map((name) => [name, "x\n"])));
  let count = 0;
  const { end } = await search(
    dir,
    names.map((name) => [name]),
    {
      maxProcesses: 3,
      wanted: () => 10 - count,
      onReply: ({ matches }) => (count += matches.length),
    },
  );
  expect([end, count]).toEqual([{ type: "done" }, 10]);
});

test("a runaway expression in one process ends the search, with what came before it and the file's name", async () => {
  const names = Array.from({ length: 30 }, (_, index) => `f${index}`);
  await using dir = await tempDir({
    ...Object.fromEntries(names.map((name) => [name, "ab\n"])),
    f20: RUNAWAY_TEXT,
  });
  const batches = [names.slice(0, 5), names.slice(5, 10), names.slice(10, 18), names.slice(18)];
  const { end, found } = await search(dir, batches, {
    query: { ...QUERY, pattern: RUNAWAY },
    maxProcesses: 2,
    stallMs: 300,
  });
  expect(end).toEqual({ type: "stalled", path: dir.file("f20") });
  expect(found).toEqual(names.slice(0, 18));
});

test("grep shows as many matches as were asked for, over the bounds of batches, with their context", async () => {
  const names = Array.from({ length: 1_200 }, (_, i) => `f${String(i).padStart(4, "0")}`);
  await using dir = await tempDir(
    Object.fromEntries(names.map((name) => [name, "before\nx 1\nx 2\nafter\n"])),
  );
  await using tools = await toolContext(dir.path);
  const { text } = await tools.run(grep, { pattern: "^x", limit: 1_501, context: 1 });
  const lines = text.split("\n").filter((line) => /^f\d{4}[:-]/.test(line));
  expect(lines.filter((line) => line.includes(":")).length).toBe(1_501);
  expect(lines.slice(-2)).toEqual(["f0750-1-before", "f0750:2:x 1"]);
  expect(text).toContain("[Cut: there are more matches.");
});

test("a file is searched to its end, however large it is beside the one before it", async () => {
  const MEBIBYTE = 1024 * 1024;
  const lines = (bytes: number) => `${"a".repeat(99)}\n`.repeat(bytes / 100);
  await using dir = await tempDir({
    "a.txt": lines(3 * MEBIBYTE) + "x",
    "b.txt": `${"a".repeat(MEBIBYTE - 2)}\nx`,
    "c.txt": lines(5 * MEBIBYTE) + "x",
    "d.txt": "x",
    "e.txt": "",
  });
  const { end, found } = await search(dir, [["a.txt", "b.txt", "c.txt", "d.txt", "e.txt"]], {});
  expect([end, found]).toEqual([{ type: "done" }, ["a.txt", "b.txt", "c.txt", "d.txt"]]);
});
