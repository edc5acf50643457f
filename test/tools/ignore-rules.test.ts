// What .gitignore files leave out of a walk is what git leaves out.

import { expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { relative } from "node:path";
import fc from "fast-check";
import ignore from "ignore";
import { ignoreScope } from "../../src/tools/ignore-scope.ts";
import { walkFiles } from "../../src/tools/walk.ts";
import { tempDir } from "../support/temp-dir.ts";

const hasGit = Bun.which("git") !== null;

async function walked(root: string, start = root): Promise<string[]> {
  const found: string[] = [];
  const { signal } = new AbortController();
  for await (const batch of walkFiles(start, { signal }).batches) found.push(...batch);
  return found.map((path) => relative(root, path)).toSorted();
}

const FOLDERS = ["", "out/", "out/sub/", "sub/", "sub/out/", "sub/out/sub/", "a.d/", "a.d/out/"];
const NAMES = ["a", "b.log", "out.log", "keep.log", "x y", "[a]", "sub.out", "#a", "a!"];
const FILES = FOLDERS.flatMap((folder) => NAMES.map((name) => folder + name));

const lineArbitrary = fc
  .tuple(
    fc.constantFrom("", "", "", "!", "/", "!/", "**/", "sub/", "out/"),
    fc.constantFrom("out", "sub", "*.log", "a*", "*", "**", "?ub", "[ao]*", "\\[a\\]", "x\\ y"),
    fc.constantFrom("", "", "", "/", "/*", "/**", "/out", "/**/a", " ", ".log"),
  )
  .map((parts) => parts.join(""));
const fileArbitrary = fc
  .array(fc.oneof(lineArbitrary, fc.constantFrom("", "# out", "\\#a", "a!")), { maxLength: 5 })
  .map((lines) => lines.join("\n"));

test.skipIf(!hasGit)(
  "the walk finds what git finds, whatever the ignore files say (needs git)",
  async () => {
    await using dir = await tempDir(Object.fromEntries(FILES.map((name) => [name, ""])));
    execFileSync("git", ["init", "-q"], { cwd: dir.path });
    await fc.assert(
      fc.asyncProperty(
        fc.record({ "": fileArbitrary, "sub/": fileArbitrary, "sub/out/": fileArbitrary }),
        async (ignoreFiles) => {
          for (const [folder, text] of Object.entries(ignoreFiles))
            writeFileSync(dir.file(`${folder}.gitignore`), text);
          const listed = execFileSync("git", ["ls-files", "-oz", "--exclude-standard"], {
            cwd: dir.path,
          });
          const expected = listed.toString().split("\0").filter(Boolean).toSorted();
          expect(await walked(dir.path)).toEqual(expected);
        },
      ),
      { numRuns: 300 },
    );
  },
  60_000,
);

test("a folder that a nearer ignore file takes back is walked, and searched by name", async () => {
  await using dir = await tempDir({
    ".git/config": "",
    ".gitignore": "out/\n",
    "sub/.gitignore": "!out/\n",
    "sub/out/a.tf": "",
    "sub/out/deep/b.tf": "",
    "sub/out/deep/out/c.tf": "",
    "out/d.tf": "",
  });
  const back = ["sub/out/a.tf", "sub/out/deep/b.tf", "sub/out/deep/out/c.tf"];
  expect(await walked(dir.path)).toEqual([".gitignore", "sub/.gitignore", ...back]);
  expect(await walked(dir.path, dir.file("sub/out/deep"))).toEqual(back.slice(1));
});

test("an entry that the scope rules out is about no line", () => {
  fc.assert(
    fc.property(
      fileArbitrary,
      fc.constantFrom(...FILES, ...FOLDERS.filter(Boolean)),
      (text, path) => {
        const matcher = ignore({ ignorecase: false }).add(text);
        const bare = path.replace(/\/$/, "");
        const cut = bare.lastIndexOf("/");
        const folder = bare.slice(0, Math.max(0, cut));
        // What a folder above decides is decided when that folder is walked into.
        fc.pre(folder === "" || !matcher.test(`${folder}/`).ignored);
        if (ignoreScope(text).within(folder)(bare.slice(cut + 1))) return;
        const { ignored, unignored } = matcher.test(path);
        expect([text, path, ignored, unignored]).toEqual([text, path, false, false]);
      },
    ),
    { numRuns: 5_000 },
  );
});
