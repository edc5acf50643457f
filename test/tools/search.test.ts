// glob, grep and list_files over real trees: what is pruned, what is found, and that nothing can hold them up.

import { expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { mkdir, open, symlink, utimes } from "node:fs/promises";
import { glob } from "../../src/tools/glob.ts";
import { runGrep } from "../../src/tools/grep-run.ts";
import { grep } from "../../src/tools/grep.ts";
import { listFiles } from "../../src/tools/list-files.ts";
import { walkFiles } from "../../src/tools/walk.ts";
import { tempDir } from "../support/temp-dir.ts";
import { toolContext } from "../support/tool-context.ts";

const TREE = {
  ".gitignore": "*.log\n/build/\nsecret.*\n!keep.log\n",
  "main.tf": 'resource "a" "b" {\n  name = "x"\n}\n',
  "modules/[prod]/main.tf": 'name = "y"\n',
  "modules/vpc/.gitignore": "!important.log\n*.bak\n",
  "modules/vpc/important.log": "name\n",
  "modules/vpc/old.bak": "name\n",
  "build/out.tf": "name\n",
  "a.log": "name\n",
  "keep.log": "nope\n",
  "node_modules/x/index.js": "name\n",
  ".terraform/modules/x.tf": "name\n",
  ".git/config": "name\n",
  ".github/workflows/ci.yml": "name: ci\n",
  "bin.dat": Uint8Array.of(110, 97, 109, 101, 0, 1),
};
/** Takes hours; (a+)+ does not do here, because the engine gives that up after half a second. */
const RUNAWAY = "a*a*a*a*a*b";
const linesOf = (text: string) => text.split("\n").filter((line) => !line.startsWith("["));
const has = (name: string) => Bun.which(name) !== null;

test("glob prunes, reads nested ignore files and takes escaped names", async () => {
  await using dir = await tempDir(TREE);
  await using tools = await toolContext(dir.path);
  const all = await tools.run(glob, { pattern: "**" });
  expect(linesOf(all.text).toSorted()).toEqual([
    ".github/workflows/ci.yml",
    ".gitignore",
    "bin.dat",
    "keep.log",
    "main.tf",
    "modules/[prod]/main.tf",
    "modules/vpc/.gitignore",
    "modules/vpc/important.log",
  ]);
  expect((await tools.run(glob, { pattern: "modules/\\[prod\\]/*.tf" })).text).toBe(
    "modules/[prod]/main.tf",
  );
  expect((await tools.run(glob, { pattern: "./*.tf" })).text).toBe("main.tf");
  expect((await tools.run(glob, { pattern: "*.rs" })).text).toBe("No file matches *.rs.");
  expect((await tools.run(glob, { pattern: `${dir.path}/modules/*/*.log` })).text).toBe(
    "modules/vpc/important.log",
  );
});

test("glob puts the newest first and says when it cut", async () => {
  const names = Array.from({ length: 1_005 }, (_, index) => `f${index}.txt`);
  await using dir = await tempDir(Object.fromEntries(names.map((name) => [name, ""])));
  await utimes(dir.file("f7.txt"), 2e9, 2e9);
  await using tools = await toolContext(dir.path);
  const { text } = await tools.run(glob, { pattern: "*.txt" });
  expect([text.split("\n")[0], text.split("\n").length, text.split("\n").at(-1)]).toEqual([
    "f7.txt",
    1_001,
    "[The 1,000 newest of 1005 matches. Narrow the pattern.]",
  ]);
});

test.skipIf(!has("git"))("the walk finds what git would track (needs git)", async () => {
  await using dir = await tempDir({
    ...Object.fromEntries(Object.entries(TREE).filter(([name]) => !name.startsWith(".git/"))),
    "deep/a/b/x.tmp": "",
    "deep/a/b/y.txt": "",
    "deep/.gitignore": "*.tmp\na/**/y.txt\n!a/b/y.txt\nfoo\\ bar\n/only-here\n",
    "deep/foo bar": "",
    "deep/only-here": "",
    "deep/a/only-here": "",
    "Build/x.tf": "",
  });
  execFileSync("git", ["init", "-q"], { cwd: dir.path });
  const tracked = execFileSync("git", ["ls-files", "-oz", "--exclude-standard"], { cwd: dir.path })
    .toString()
    .split("\0")
    .filter((name) => name !== "" && !/^(node_modules|\.terraform)\//.test(name));
  const found: string[] = [];
  const signal = new AbortController().signal;
  for await (const batch of walkFiles(dir.path, { signal }).batches) found.push(...batch);
  const relative = found.map((path) => path.slice(dir.path.length + 1));
  expect(relative.toSorted()).toEqual(tracked.toSorted());
});

test("a folder inside a repository is searched with the rules above it, an ignored one without", async () => {
  await using dir = await tempDir(TREE);
  await using tools = await toolContext(dir.path);
  expect((await tools.run(glob, { pattern: "*.log", path: "modules" })).text).toBe(
    "modules/vpc/important.log",
  );
  expect((await tools.run(glob, { pattern: "*.tf", path: "build" })).text).toBe("build/out.tf");
});

test("grep shows lines, files and counts, skips binaries and ignored files", async () => {
  await using dir = await tempDir(TREE);
  await using tools = await toolContext(dir.path);
  const content = await tools.run(grep, { pattern: "^\\s*name\\b" });
  expect(content.text.split("\n")).toEqual([
    'main.tf:2:  name = "x"',
    ".github/workflows/ci.yml:1:name: ci",
    'modules/[prod]/main.tf:1:name = "y"',
    "modules/vpc/important.log:1:name",
    "[4 matching lines in 4 files]",
  ]);
  const files = await tools.run(grep, {
    pattern: "NAME",
    ignore_case: true,
    output: "files",
    glob: "*.tf",
  });
  expect(linesOf(files.text)).toEqual(["main.tf", "modules/[prod]/main.tf"]);
  const counted = await tools.run(grep, { pattern: "[{}]", output: "count", path: "main.tf" });
  expect(linesOf(counted.text)).toEqual(["main.tf: 2"]);
  const around = await tools.run(grep, { pattern: "name", context: 1, path: "main.tf" });
  expect(linesOf(around.text)).toEqual([
    'main.tf-1-resource "a" "b" {',
    'main.tf:2:  name = "x"',
    "main.tf-3-}",
  ]);
});

test("grep takes patterns that look like options, CRLF ends and UTF-16", async () => {
  await using dir = await tempDir({
    "a.txt": "x -e y\r\n--files\r\n",
    "b.txt": Buffer.from("\uFEFFfoo --files\r\n", "utf16le"),
  });
  await using tools = await toolContext(dir.path);
  expect(linesOf((await tools.run(grep, { pattern: "-e" })).text)).toEqual(["a.txt:1:x -e y"]);
  expect(linesOf((await tools.run(grep, { pattern: "--files$" })).text)).toEqual([
    "a.txt:2:--files",
    "b.txt:1:foo --files",
  ]);
});

test("grep bounds lines, matches and output", async () => {
  await using dir = await tempDir({
    "long.txt": `${"a".repeat(100_000)}needle${"b".repeat(100_000)}\n`,
    "many.txt": "needle\n".repeat(100_000),
  });
  await using tools = await toolContext(dir.path);
  const result = await tools.run(grep, { pattern: "needle", limit: 2_000 });
  expect(result.text.length).toBeLessThan(60_000);
  expect(result.text).toContain("[Cut: there are more matches.");
  const [line = ""] = (await tools.run(grep, { pattern: "needle", path: "long.txt" })).text.split(
    "\n",
  );
  expect([line.length < 450, line.includes("needle")]).toEqual([true, true]);
});

test("a runaway expression ends with its worker and the result says on which file", async () => {
  await using dir = await tempDir({ "a.txt": "a".repeat(3_000) });
  const end = await runGrep({
    batches: (async function* () {
      yield [dir.file("a.txt")];
    })(),
    query: { pattern: RUNAWAY, ignoresCase: false, context: 0, wantsLines: true },
    wanted: () => 1,
    onReply: () => undefined,
    signal: new AbortController().signal,
    stallMs: 300,
  });
  expect(end).toEqual({ type: "stalled", path: dir.file("a.txt") });
});

test("grep says when the engine may have given an expression up", async () => {
  await using dir = await tempDir({ "a.txt": `${"a".repeat(40)}!\n` });
  await using tools = await toolContext(dir.path);
  expect((await tools.run(grep, { pattern: "^(a+)+$" })).text).toBe(
    "No match for ^(a+)+$.\n[The expression backtracks so much that matches may be missing in 1 file; simplify it.]",
  );
});

test("grep and glob stop at an abort, also inside a runaway expression", async () => {
  await using dir = await tempDir({ "a.txt": "a".repeat(3_000) });
  await using tools = await toolContext(dir.path);
  const runaway = tools.run(grep, { pattern: RUNAWAY });
  const wide = tools.run(glob, { pattern: "**", path: "/" });
  // Nothing tells when an expression began to run away; both calls take far longer than this.
  await Bun.sleep(50);
  const started = performance.now();
  tools.abort();
  expect((await Promise.all([runaway, wide])).map(({ text }) => text)).toEqual([
    "Cancelled.",
    "Cancelled.",
  ]);
  expect(performance.now() - started).toBeLessThan(1_000);
});

test("links that lead in a circle, pipes, huge sparse files and unreadable folders hold nothing up", async () => {
  await using dir = await tempDir({ "loop/a.txt": "needle\n" });
  await symlink("..", dir.file("loop/child"));
  execFileSync("mkfifo", [dir.file("pipe.txt")]);
  await mkdir(dir.file("closed"), { mode: 0 });
  const sparse = await open(dir.file("sparse.bin"), "w");
  await sparse.truncate(4 * 1024 ** 3);
  await sparse.close();
  await using tools = await toolContext(dir.path);
  const { text } = await tools.run(grep, { pattern: "needle" });
  expect(text.split("\n").filter((line) => !line.startsWith("[Folders"))).toEqual([
    "loop/a.txt:1:needle",
    "[1 matching line in 1 file]",
    "[Files over 64 MiB, not searched: 1.]",
  ]);
});

test("files that a deny rule covers are left out of every search, and counted", async () => {
  await using dir = await tempDir({
    "a.env": "needle\n",
    "b.txt": "needle\n",
    "no/c.txt": "needle\n",
  });
  await using tools = await toolContext(dir.path, {
    isPathDenied: (path) => path.endsWith(".env") || path.endsWith("/no"),
  });
  expect((await tools.run(grep, { pattern: "needle" })).text).toBe(
    "b.txt:1:needle\n[1 matching line in 1 file]\n[Left out by a deny rule: 2.]",
  );
  expect((await tools.run(glob, { pattern: "**" })).text).toBe(
    "b.txt\n[Left out by a deny rule: 2.]",
  );
  expect((await tools.run(listFiles, { path: "." })).text).toBe(
    "b.txt  7 bytes\n[Left out by a deny rule: 2.]",
  );
});

test("list_files shows folders first, sizes, depth, broken links and what it left out", async () => {
  await using dir = await tempDir({ ...TREE, "zz/deep/x.txt": "12345" });
  await symlink("nowhere", dir.file("dead"));
  await symlink("modules", dir.file("alias"));
  await using tools = await toolContext(dir.path);
  expect((await tools.run(listFiles, { path: "." })).text.split("\n")).toEqual([
    ".github/",
    "modules/",
    "zz/",
    ".gitignore  33 bytes",
    "alias -> modules/",
    "bin.dat  6 bytes",
    "dead -> nowhere (broken link)",
    "keep.log  5 bytes",
    "main.tf  34 bytes",
    "[Ignored and not shown: 5.]",
  ]);
  expect((await tools.run(listFiles, { path: "zz", depth: 3 })).text).toBe(
    "deep/\n  x.txt  5 bytes",
  );
  expect((await tools.run(listFiles, { path: "main.tf" })).text).toBe(
    "main.tf is a file; read_file shows it.",
  );
});

test("list_files cuts after 1,000 entries and says so", async () => {
  const names = Array.from({ length: 1_100 }, (_, index) => `f${index}`);
  await using dir = await tempDir(Object.fromEntries(names.map((name) => [name, ""])));
  await using tools = await toolContext(dir.path);
  const lines = (await tools.run(listFiles, { path: "." })).text.split("\n");
  expect([lines.length, lines.at(-1)]).toEqual([
    1_001,
    "[Cut after 1,000 entries. List a folder below it.]",
  ]);
});
