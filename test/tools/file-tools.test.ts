// read_file, write_file and edit_file on real files: pages, encodings, refusals, and what a client takes part in.

import { expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import {
  chmod,
  link,
  lstat,
  mkdir,
  open,
  readFile as read,
  stat,
  symlink,
  utimes,
  writeFile as write,
} from "node:fs/promises";
import { editFile } from "../../src/tools/edit-file.ts";
import { readFile } from "../../src/tools/read-file.ts";
import type { ClientFiles } from "../../src/tools/tool.ts";
import { writeFile } from "../../src/tools/write-file.ts";
import { tempDir } from "../support/temp-dir.ts";
import { toolContext } from "../support/tool-context.ts";

test("read_file numbers lines, pages, and says how to go on", async () => {
  await using dir = await tempDir({ "main.tf": "a\nb\r\nc\rd\n" });
  await using tools = await toolContext(dir.path);
  expect((await tools.run(readFile, { path: "main.tf" })).text).toBe("1\ta\n2\tb\n3\tc\n4\td");
  const page = await tools.run(readFile, { path: "main.tf", offset: 2, limit: 2 });
  expect(page).toEqual({
    ok: true,
    text: "2\tb\n3\tc\n[Lines 2–3 of 4. Go on with offset 4.]",
    content: [{ type: "text", text: "```hcl\nb\nc\n```" }],
    rawOutput: { firstLine: 2, lastLine: 3, totalLines: 4 },
    locations: [{ path: dir.file("main.tf"), line: 2 }],
  });
  expect((await tools.run(readFile, { path: "main.tf", offset: 9 })).text).toBe(
    "main.tf has 4 lines; there is no line 9.",
  );
});

test("read_file bounds the page by lines, bytes and line length", async () => {
  await using dir = await tempDir({
    "many.txt": "x\n".repeat(5_000),
    "wide.txt": `${"y".repeat(1_999)}\n`.repeat(100),
    "one.txt": "z".repeat(3_000_000),
  });
  await using tools = await toolContext(dir.path);
  expect((await tools.run(readFile, { path: "many.txt" })).rawOutput).toEqual({
    firstLine: 1,
    lastLine: 2_000,
    totalLines: 5_000,
  });
  const wide = await tools.run(readFile, { path: "wide.txt" });
  expect(wide.text.length).toBeLessThan(52_000);
  const one = await tools.run(readFile, { path: "one.txt" });
  expect(one.text).toEndWith("…[2,998,000 more characters in this line]");
});

test("read_file shows any page of a 4 GB file without holding it", async () => {
  await using dir = await tempDir();
  const path = dir.file("huge.log");
  const handle = await open(path, "w");
  await handle.write("first\nsecond\n", 0);
  await handle.truncate(4 * 1024 ** 3);
  await handle.close();
  await using tools = await toolContext(dir.path);
  const before = process.memoryUsage().rss;
  const page = await tools.run(readFile, { path: "huge.log", limit: 1 });
  // A sparse file is NULs after its beginning.
  expect(page.text).toContain("it is binary");
  const text = Buffer.alloc(1024 * 1024, `${"t".repeat(63)}\n`);
  const big = await open(path, "w");
  for (let i = 0; i < 80; i++) await big.write(text);
  await big.close();
  const late = await tools.run(readFile, { path: "huge.log", offset: 1_000_000, limit: 2 });
  expect(late.text).toStartWith(`1000000\t${"t".repeat(63)}\n1000001\t`);
  expect(tools.session.files.get(path)?.hash).toStartWith("stat:");
  expect(process.memoryUsage().rss - before).toBeLessThan(100 * 1024 * 1024);
});

test("read_file hides one byte order mark and reads UTF-16", async () => {
  await using dir = await tempDir({
    "bom.tf": '\uFEFFresource "x"\n',
    "le.txt": Buffer.from("\uFEFFhäß😀\r\n", "utf16le"),
    "be.txt": Buffer.from("\uFEFFhäß😀\r\n", "utf16le").swap16(),
  });
  await using tools = await toolContext(dir.path);
  expect((await tools.run(readFile, { path: "bom.tf" })).text).toBe('1\tresource "x"');
  expect((await tools.run(readFile, { path: "le.txt" })).text).toBe("1\thäß😀");
  expect((await tools.run(readFile, { path: "be.txt" })).text).toBe("1\thäß😀");
});

test("read_file refuses folders, pipes, devices, binaries and other encodings with a reason", async () => {
  await using dir = await tempDir({
    "a.bin": Uint8Array.of(1, 0, 2),
    "gbk.txt": Uint8Array.of(0xb9, 0xe3, 0xd6, 0xdd),
  });
  execFileSync("mkfifo", [dir.file("pipe")]);
  await mkdir(dir.file("folder"));
  await using tools = await toolContext(dir.path);
  const reasons: string[] = [];
  for (const path of ["folder", "pipe", "/dev/zero", "a.bin", "gbk.txt"])
    reasons.push((await tools.run(readFile, { path })).text);
  expect(reasons.map((reason) => /folder|pipe|binary|not UTF-8/.exec(reason)?.[0])).toEqual([
    "folder",
    "pipe",
    "pipe",
    "binary",
    "not UTF-8",
  ]);
});

test("names are taken literally, whatever is in them", async () => {
  const names = ["modules/[prod]/main.tf", "a b/c.tf", "-rf.tf", "$(id).tf", "'q'.tf", "*.tf"];
  await using dir = await tempDir(Object.fromEntries(names.map((name) => [name, `${name}\n`])));
  await using tools = await toolContext(dir.path);
  for (const name of names) {
    expect((await tools.run(readFile, { path: name })).text).toBe(`1\t${name}`);
    const edit = await tools.run(editFile, { path: name, old_string: name, new_string: "x" });
    expect(edit.ok).toBe(true);
    expect(await read(dir.file(name), "utf8")).toBe("x\n");
  }
});

test("a name is found in its other Unicode spelling", async () => {
  await using dir = await tempDir({ "configuração.tf": "x\n", "a\u202fb.txt": "y\n" });
  await using tools = await toolContext(dir.path);
  const decomposed = "configuração.tf".normalize("NFD");
  expect((await tools.run(readFile, { path: decomposed })).text).toBe("1\tx");
  expect((await tools.run(readFile, { path: "a b.txt" })).text).toBe("1\ty");
});

test("a missing file names its neighbours; odd spellings get a plain reason", async () => {
  await using dir = await tempDir({ "main.tf": "" });
  await using tools = await toolContext(dir.path);
  expect((await tools.run(readFile, { path: "mian.tf" })).text).toContain("main.tf");
  for (const path of ["d:\\x", "\\\\srv\\share", "file:///etc/passwd", "a\0b", " "]) {
    expect((await readFile.prepare({ path }, tools.context)).ok).toBe(false);
  }
});

test("access carries the real path, so that a link out of the root shows", async () => {
  await using outside = await tempDir({ "secret.txt": "s" });
  await using dir = await tempDir();
  await symlink(outside.path, dir.file("inner"));
  await using tools = await toolContext(dir.path);
  expect((await tools.prepare(readFile, { path: "inner/secret.txt" })).access).toEqual({
    type: "read",
    paths: [{ path: dir.file("inner/secret.txt"), realPath: outside.file("secret.txt") }],
  });
});

test("a link put in place after the call was prepared is not followed", async () => {
  await using outside = await tempDir({ "victim.txt": "s\n" });
  await using dir = await tempDir({ "a.txt": "a\n" });
  await using tools = await toolContext(dir.path);
  const writing = await tools.prepare(writeFile, { path: "new/victim.txt", content: "x" });
  await symlink(outside.path, dir.file("new"));
  expect((await writing.execute(tools.context)).ok).toBe(false);
  expect(await read(outside.file("victim.txt"), "utf8")).toBe("s\n");
  const reading = await tools.prepare(readFile, { path: "a.txt" });
  execFileSync("ln", ["-sf", outside.file("victim.txt"), dir.file("a.txt")]);
  expect((await reading.execute(tools.context)).ok).toBe(false);
});

test("write_file makes parents, and refuses a file that was not read", async () => {
  await using dir = await tempDir({ "old.tf": "old\n" });
  await using tools = await toolContext(dir.path);
  const made = await tools.run(writeFile, { path: "a/b/new.tf", content: "x\ny\n" });
  expect(made).toEqual({
    ok: true,
    text: "Made a/b/new.tf: 2 lines, 4 bytes.",
    content: [{ type: "diff", path: dir.file("a/b/new.tf"), newText: "x\ny\n" }],
    locations: [{ path: dir.file("a/b/new.tf"), line: 1 }],
  });
  const refused = await tools.run(writeFile, { path: "old.tf", content: "new\n" });
  expect(refused.ok).toBe(false);
  expect(refused.text).toStartWith("old.tf exists and has not been read in this session.");
  expect(await read(dir.file("old.tf"), "utf8")).toBe("old\n");
});

test("write_file and edit_file notice a change of the same size in the same second, also while the question is open", async () => {
  await using dir = await tempDir({ "main.tf": "aaaa\n" });
  await using tools = await toolContext(dir.path);
  const { mtime } = await stat(dir.file("main.tf"));
  await tools.run(readFile, { path: "main.tf" });
  const call = await tools.prepare(editFile, {
    path: "main.tf",
    old_string: "aa",
    new_string: "b",
    replace_all: true,
  });
  expect((await call.preview(tools.context)).ok).toBe(true);
  await write(dir.file("main.tf"), "aaab\n");
  await utimes(dir.file("main.tf"), mtime, mtime);
  const refused = await call.execute(tools.context);
  expect(refused.ok).toBe(false);
  expect(refused.text).toContain("was changed by somebody else");
  expect(refused.text).toContain("1\taaab");
  expect(await read(dir.file("main.tf"), "utf8")).toBe("aaab\n");
  // The refusal showed all of it, so the next call may go on.
  expect((await tools.run(writeFile, { path: "main.tf", content: "c\n" })).ok).toBe(true);
  expect(
    (await tools.run(editFile, { path: "main.tf", old_string: "c", new_string: "d" })).ok,
  ).toBe(true);
});

test("write_file keeps mode, links, byte order mark and CRLF; leaves no temporary file", async () => {
  await using dir = await tempDir({
    "run.sh": "a\n",
    "win.txt": "\uFEFFa\r\nb\r\n",
    "hard.txt": "h\n",
  });
  await chmod(dir.file("run.sh"), 0o750);
  await symlink("run.sh", dir.file("alias.sh"));
  await link(dir.file("hard.txt"), dir.file("other.txt"));
  await using tools = await toolContext(dir.path);
  for (const path of ["alias.sh", "win.txt", "hard.txt"]) {
    await tools.run(readFile, { path });
    expect((await tools.run(writeFile, { path, content: "x\ny\n" })).ok).toBe(true);
  }
  expect((await stat(dir.file("run.sh"))).mode & 0o777).toBe(0o750);
  expect((await lstat(dir.file("alias.sh"))).isSymbolicLink()).toBe(true);
  expect(await read(dir.file("run.sh"), "utf8")).toBe("x\ny\n");
  expect(await read(dir.file("win.txt"), "utf8")).toBe("\uFEFFx\r\ny\r\n");
  expect(await read(dir.file("other.txt"), "utf8")).toBe("x\ny\n");
  expect([...new Bun.Glob("*.tmp").scanSync({ cwd: dir.path, dot: true })]).toEqual([]);
});

test("the file tools never write git's, terraform's or state files", async () => {
  await using dir = await tempDir();
  await using tools = await toolContext(dir.path);
  for (const path of [
    ".git/config",
    "a/.terraform/x",
    ".terraform.lock.hcl",
    "terraform.tfstate",
    "T.TFSTATE.backup",
    ".GIT/hooks/x",
  ])
    expect((await writeFile.prepare({ path, content: "" }, tools.context)).ok).toBe(false);
  for (const path of [".gitignore", "state.tf", ".github/x.yml"])
    expect((await writeFile.prepare({ path, content: "" }, tools.context)).ok).toBe(true);
});

test("edit_file edits a UTF-16 file, an empty file, and a final newline only", async () => {
  await using dir = await tempDir({
    "le.txt": Buffer.from("\uFEFFa\r\n\ud800b\r\n", "utf16le"),
    "empty.txt": "",
    "end.txt": "x",
  });
  await using tools = await toolContext(dir.path);
  for (const path of ["le.txt", "empty.txt", "end.txt"]) await tools.run(readFile, { path });
  await tools.run(editFile, { path: "le.txt", old_string: "a\n", new_string: "c\nd\n" });
  expect((await read(dir.file("le.txt"))).toString("utf16le")).toBe("\uFEFFc\r\nd\r\n\ud800b\r\n");
  await tools.run(editFile, { path: "empty.txt", old_string: "", new_string: "y\n" });
  expect(await read(dir.file("empty.txt"), "utf8")).toBe("y\n");
  const result = await tools.run(editFile, { path: "end.txt", old_string: "x", new_string: "x\n" });
  expect(result.content).toEqual([
    { type: "diff", path: dir.file("end.txt"), oldText: "x", newText: "x\n" },
  ]);
});

test("a preview fails early and shows the diff that would be made", async () => {
  await using dir = await tempDir({ "main.tf": "a = 1\n" });
  await using tools = await toolContext(dir.path);
  await tools.run(readFile, { path: "main.tf" });
  const good = await tools.prepare(editFile, { path: "main.tf", old_string: "1", new_string: "2" });
  expect(await good.preview(tools.context)).toEqual({
    ok: true,
    content: [{ type: "diff", path: dir.file("main.tf"), oldText: "a = 1\n", newText: "a = 2\n" }],
  });
  const bad = await tools.prepare(editFile, {
    path: "main.tf",
    old_string: "a = 3",
    new_string: "2",
  });
  expect(await bad.preview(tools.context)).toEqual({
    ok: false,
    text: "old_string does not occur in main.tf (0 matches). Nothing was written.\nThe closest lines are:\n1\ta = 1",
  });
});

test("a diff over 256 kB is cut to what changed, and says so", async () => {
  const json = `{"k":"${"v".repeat(5_000_000)}","end":1}`;
  await using dir = await tempDir({ "min.json": json });
  await using tools = await toolContext(dir.path);
  await tools.run(readFile, { path: "min.json" });
  const result = await tools.run(editFile, {
    path: "min.json",
    old_string: '"end":1',
    new_string: '"end":2',
  });
  expect(result.ok).toBe(true);
  const [diff, note] = result.content ?? [];
  expect(
    diff?.type === "diff" && [
      diff.oldText?.endsWith('"end":1}'),
      diff.newText.endsWith('"end":2}'),
      diff.newText.length < 5_000,
    ],
  ).toEqual([true, true, true]);
  expect(note?.type).toBe("text");
});

function clientFiles(buffers: Map<string, string>, takesWrites: boolean): ClientFiles {
  return {
    canRead: true,
    canWrite: true,
    readText: async (path) => buffers.get(path),
    writeText: async (path, text) => {
      if (takesWrites) buffers.set(path, text);
      return takesWrites;
    },
  };
}

test("reads, edits and writes inside the roots go through the client", async () => {
  await using dir = await tempDir({ "main.tf": "disk\n" });
  const buffers = new Map([[dir.file("main.tf"), "unsaved\n"]]);
  await using tools = await toolContext(dir.path, { files: clientFiles(buffers, true) });
  expect((await tools.run(readFile, { path: "main.tf" })).text).toBe("1\tunsaved");
  await tools.run(editFile, { path: "main.tf", old_string: "unsaved", new_string: "edited" });
  await tools.run(writeFile, { path: "new.tf", content: "new\n" });
  expect([...buffers.values()]).toEqual(["edited\n", "new\n"]);
  expect(await read(dir.file("main.tf"), "utf8")).toBe("disk\n");
});

test("a client that fails is replaced by the disk, but unsaved text is not written behind its back", async () => {
  await using dir = await tempDir({ "a.tf": "disk\r\n", "b.tf": "disk\n" });
  const buffers = new Map([
    [dir.file("a.tf"), "disk\n"],
    [dir.file("b.tf"), "unsaved\n"],
  ]);
  await using tools = await toolContext(dir.path, { files: clientFiles(buffers, false) });
  for (const path of ["a.tf", "b.tf"]) await tools.run(readFile, { path });
  expect(
    (await tools.run(editFile, { path: "a.tf", old_string: "disk", new_string: "x" })).ok,
  ).toBe(true);
  expect(await read(dir.file("a.tf"), "utf8")).toBe("x\r\n");
  const refused = await tools.run(editFile, {
    path: "b.tf",
    old_string: "unsaved",
    new_string: "x",
  });
  expect([refused.ok, refused.text.includes("Save the file in the editor")]).toEqual([false, true]);
  buffers.clear();
  expect((await tools.run(readFile, { path: "b.tf" })).text).toBe("1\tdisk");
});

test("files outside the roots never go through the client", async () => {
  await using outside = await tempDir({ "x.txt": "disk\n" });
  await using dir = await tempDir();
  const files: ClientFiles = {
    canRead: true,
    canWrite: true,
    readText: () => Promise.reject(new Error("It was asked")),
    writeText: () => Promise.reject(new Error("It was asked")),
  };
  await using tools = await toolContext(dir.path, { files });
  expect((await tools.run(readFile, { path: outside.file("x.txt") })).text).toBe("1\tdisk");
  expect((await tools.run(writeFile, { path: outside.file("x.txt"), content: "y" })).ok).toBe(true);
});
