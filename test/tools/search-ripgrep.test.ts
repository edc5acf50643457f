// What grep and glob find is what ripgrep finds, on a tree of 50,000 files.

import { expect, test } from "bun:test";
import { relative } from "node:path";
import { glob } from "../../src/tools/glob.ts";
import { grep } from "../../src/tools/grep.ts";
import { makeSearchTree } from "../support/search-tree.ts";
import { tempDir } from "../support/temp-dir.ts";
import { toolContext } from "../support/tool-context.ts";

const rg = Bun.which("rg");
/** Ripgrep told to look where our tools look: hidden files too, ignore files without a repository, nobody's settings. */
const SAME_PLACES = [
  "--hidden",
  "--no-require-git",
  "--no-ignore-global",
  "--no-ignore-parent",
  "--no-config",
  "--sort=path",
];

async function ripgrep(root: string, args: readonly string[]): Promise<string[]> {
  const child = Bun.spawn([rg ?? "rg", ...SAME_PLACES, ...args, "."], {
    cwd: root,
    stdout: "pipe",
    stderr: "ignore",
  });
  const text = await child.stdout.text();
  return text
    .trimEnd()
    .split("\n")
    .map((path) => relative(".", path))
    .toSorted();
}

const pathsIn = (text: string): string[] =>
  text
    .split("\n")
    .filter((line) => /^[\w./-]+\.\w+$/.test(line))
    .toSorted();

test.skipIf(rg === null)(
  "grep and glob find the files that ripgrep finds in 50,000 (needs ripgrep)",
  async () => {
    await using dir = await tempDir();
    makeSearchTree(dir.path);
    await using tools = await toolContext(dir.path);
    for (const pattern of ["needle_in_hay", "^n[aeiou]+dle", "needle_in_hay at (depth|top)"]) {
      const found = await tools.run(grep, { pattern, output: "files", limit: 2_000 });
      const expected = await ripgrep(dir.path, ["-l", pattern]);
      expect(expected.length).toBeGreaterThan(5);
      expect(pathsIn(found.text)).toEqual(expected);
    }
    const listed = await tools.run(glob, { pattern: "m7/**/f1*.tf" });
    const files = await ripgrep(dir.path, ["--files", "-g", "m7/**/f1*.tf"]);
    expect(pathsIn(listed.text)).toEqual(files);
    expect(files.length).toBeGreaterThan(400);
    // So many that other processes help.
    const all = await tools.run(glob, { pattern: "*.tf" });
    // A glob of ripgrep's own would bring back what is ignored.
    const every = (await ripgrep(dir.path, ["--files"])).filter((path) => path.endsWith(".tf"));
    expect(all.rawOutput).toEqual({ matches: every.length });
    expect(new Set(every).isSupersetOf(new Set(pathsIn(all.text)))).toBe(true);
    expect(pathsIn(all.text).length).toBe(1_000);
  },
  120_000,
);
