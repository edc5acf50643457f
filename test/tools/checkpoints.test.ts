// What is kept before the first write of a turn, and what undoing does with it, on real files.

import { expect, test } from "bun:test";
import { appendFile, mkdir, readdir, stat, symlink, writeFile as write } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { Checkpoints } from "../../src/tools/checkpoints.ts";
import { editFile } from "../../src/tools/edit-file.ts";
import { readFile } from "../../src/tools/read-file.ts";
import { createToolSession, removeToolFiles } from "../../src/tools/tool-session.ts";
import type { ClientFiles } from "../../src/tools/tool.ts";
import { prepareUndo } from "../../src/tools/undo.ts";
import { writeFile } from "../../src/tools/write-file.ts";
import { tempDir } from "../support/temp-dir.ts";
import { type TestToolContext, toolContext } from "../support/tool-context.ts";

async function undo({ context, session }: TestToolContext): Promise<string> {
  const call = await prepareUndo(session, context.cwd);
  if (typeof call === "string") return call;
  const preview = await call.preview(context);
  return preview.ok ? (await call.execute(context)).text : preview.text;
}

async function readAll(tools: TestToolContext, paths: readonly string[]): Promise<void> {
  for (const path of paths) await tools.run(readFile, { path });
}

const bytesOf = (path: string) => Bun.file(path).bytes();

test("undo restores every byte of what a turn first found, and removes what it made", async () => {
  const files = {
    "lf.tf": "a\nb\n",
    "crlf.tf": "\uFEFFa\r\nb\r\n",
    "wide.txt": Buffer.from("\uFEFFa\r\nb", "utf16le"),
    "empty.tf": "",
  };
  await using dir = await tempDir(files);
  await using tools = await toolContext(dir.path);
  const before = await Promise.all(Object.keys(files).map((name) => bytesOf(dir.file(name))));
  await readAll(tools, Object.keys(files));
  tools.session.checkpoints.beginTurn();
  for (const path of ["lf.tf", "crlf.tf", "wide.txt"]) {
    await tools.run(editFile, { path, old_string: "a", new_string: "c\nd" });
    await tools.run(editFile, { path, old_string: "b", new_string: "e" });
  }
  await tools.run(editFile, { path: "empty.tf", old_string: "", new_string: "x\n" });
  await tools.run(writeFile, { path: "sub/new.tf", content: "new\n" });
  await tools.session.checkpoints.endTurn();
  const call = await prepareUndo(tools.session, dir.path);
  if (typeof call === "string") throw new Error(call);
  expect(call.access).toMatchObject({ type: "write", paths: { length: 5 } });
  const preview = await call.preview(tools.context);
  expect(preview.ok && preview.content.filter(({ type }) => type === "diff")).toHaveLength(5);
  expect((await call.execute(tools.context)).ok).toBe(true);
  expect(await Promise.all(Object.keys(files).map((name) => bytesOf(dir.file(name))))).toEqual(
    before,
  );
  expect(await Bun.file(dir.file("sub/new.tf")).exists()).toBe(false);
  expect(await undo(tools)).toStartWith("There is nothing to undo");
  expect(tools.session.notices.join()).toContain("The user took back edits with /undo.");
});

test("undo goes back turn by turn, and a new session object finds what the old one kept", async () => {
  await using dir = await tempDir({ "main.tf": "0\n" });
  await using tools = await toolContext(dir.path);
  await readAll(tools, ["main.tf"]);
  for (const content of ["1\n", "2\n", "3\n"]) {
    tools.session.checkpoints.beginTurn();
    await tools.run(writeFile, { path: "main.tf", content });
    await tools.session.checkpoints.endTurn();
  }
  const seen: string[] = [];
  for (let turn = 0; turn < 3; turn += 1) {
    const session = createToolSession(tools.session.outputDir);
    const context = { ...tools.context, session };
    await undo({ ...tools, context, session });
    seen.push(await Bun.file(dir.file("main.tf")).text());
  }
  expect(seen).toEqual(["2\n", "1\n", "0\n"]);
});

test("undo leaves what somebody changed since, and what a link now hides, and says so", async () => {
  await using outside = await tempDir({ "b.tf": "outside\n" });
  await using dir = await tempDir({ "a.tf": "a\n", "sub/b.tf": "b\n", "c.tf": "c\n" });
  await using tools = await toolContext(dir.path);
  await readAll(tools, ["a.tf", "sub/b.tf", "c.tf"]);
  tools.session.checkpoints.beginTurn();
  for (const path of ["a.tf", "sub/b.tf", "c.tf"])
    await tools.run(writeFile, { path, content: "turn\n" });
  await tools.session.checkpoints.endTurn();
  await write(dir.file("a.tf"), "mine\n");
  await Bun.$`rm -r ${dir.file("sub")}`.quiet();
  await symlink(outside.path, dir.file("sub"));
  const text = await undo(tools);
  expect(text).toContain("- a.tf: left, it was changed since");
  expect(text).toContain("- sub/b.tf: left, a link was put into its path");
  expect(text).toContain("- c.tf: as it was before the turn");
  expect(await Bun.file(dir.file("a.tf")).text()).toBe("mine\n");
  expect(await Bun.file(outside.file("b.tf")).text()).toBe("outside\n");
  expect(await Bun.file(dir.file("c.tf")).text()).toBe("c\n");
});

test("undo changes nothing when every file was changed since, and keeps what it has", async () => {
  await using dir = await tempDir({ "a.tf": "a\n" });
  await using tools = await toolContext(dir.path);
  await readAll(tools, ["a.tf"]);
  await tools.run(writeFile, { path: "a.tf", content: "turn\n" });
  await write(dir.file("a.tf"), "mine\n");
  expect(await undo(tools)).toBe(
    "Nothing was undone, so that nothing is lost:\n- a.tf: it was changed since",
  );
  await write(dir.file("a.tf"), "turn\n");
  expect(await undo(tools)).toContain("- a.tf: as it was before the turn");
});

test("what a formatter of the same turn made of a file is undone too", async () => {
  await using dir = await tempDir({ "a.tf": "a\n" });
  await using tools = await toolContext(dir.path);
  await readAll(tools, ["a.tf"]);
  tools.session.checkpoints.beginTurn();
  await tools.run(writeFile, { path: "a.tf", content: "x =1\n" });
  await write(dir.file("a.tf"), "x = 1\n");
  await tools.session.checkpoints.endTurn();
  await undo(tools);
  expect(await Bun.file(dir.file("a.tf")).text()).toBe("a\n");
});

test("a kill right after the write loses nothing: the turn need not have ended", async () => {
  await using dir = await tempDir({ "a.tf": "a\n" });
  await using tools = await toolContext(dir.path);
  await readAll(tools, ["a.tf"]);
  await tools.run(writeFile, { path: "a.tf", content: "b\n" });
  const index = `${tools.session.outputDir}-undo/00000001/index.jsonl`;
  const lines = (await Bun.file(index).text()).trim().split("\n");
  expect(lines.map((line) => (JSON.parse(line) as { type: string }).type)).toEqual([
    "before",
    "after",
  ]);
  const session = createToolSession(tools.session.outputDir);
  const context = { ...tools.context, session };
  expect(await undo({ ...tools, context, session })).toContain("- a.tf: as it was");
  expect(await Bun.file(dir.file("a.tf")).text()).toBe("a\n");
});

test("a client's buffers are undone through the client", async () => {
  await using dir = await tempDir({ "a.tf": "disk\n" });
  const buffers = new Map([[dir.file("a.tf"), "unsaved\n"]]);
  const files: ClientFiles = {
    canRead: true,
    canWrite: true,
    readText: async (path) => buffers.get(path),
    writeText: async (path, text) => {
      buffers.set(path, text);
      return true;
    },
  };
  await using tools = await toolContext(dir.path, { files });
  await readAll(tools, ["a.tf"]);
  await tools.run(editFile, { path: "a.tf", old_string: "unsaved", new_string: "edited" });
  await undo(tools);
  expect(buffers.get(dir.file("a.tf"))).toBe("unsaved\n");
  expect(await Bun.file(dir.file("a.tf")).text()).toBe("disk\n");
});

test("what is too large is not kept, and the result of the write says so", async () => {
  const large = "x".repeat(9 * 1024 * 1024);
  await using dir = await tempDir({ "large.txt": large });
  await using tools = await toolContext(dir.path);
  await readAll(tools, ["large.txt"]);
  const result = await tools.run(writeFile, { path: "large.txt", content: "small\n" });
  expect(result.ok).toBe(true);
  expect(result.text).toContain("[/undo cannot restore it: it was larger than 8 MiB");
  expect(await undo(tools)).toStartWith("There is nothing to undo");
});

test("what is kept is private, bounded for the session, and goes with it", async () => {
  await using home = await tempDir();
  const outputs = home.file("outputs");
  const session = createToolSession(outputs);
  const root = `${outputs}-undo`;
  const bytes = new Uint8Array(7 * 1024 * 1024);
  for (let turn = 0; turn < 12; turn += 1) {
    session.checkpoints.beginTurn();
    const path = `/x/${turn}`;
    expect(await session.checkpoints.keep({ path, realPath: path }, bytes)).toBeUndefined();
  }
  expect((await readdir(root)).length).toBe(9);
  const last = await session.checkpoints.last();
  expect(last?.files.map(({ path }) => path)).toEqual(["/x/11"]);
  const modes = [root, last?.folder ?? "", join(last?.folder ?? "", "index.jsonl")].map(
    async (path) => (await stat(path)).mode & 0o777,
  );
  expect(await Promise.all(modes)).toEqual([0o700, 0o700, 0o600]);
  session.checkpoints.beginTurn();
  const notes: (string | undefined)[] = [];
  for (let file = 0; file < 10; file += 1)
    notes.push(
      await session.checkpoints.keep({ path: `/y/${file}`, realPath: `/y/${file}` }, bytes),
    );
  expect(notes.filter((note) => note?.includes("more than 64 MiB"))).toHaveLength(1);
  await removeToolFiles(outputs);
  expect(await readdir(home.path)).toEqual([]);
});

test("a place that cannot be written to holds no write up", async () => {
  await using home = await tempDir({ file: "" });
  const checkpoints = new Checkpoints(join(home.file("file"), "undo"));
  const target = { path: "/x", realPath: "/x" };
  expect(await checkpoints.keep(target, new Uint8Array(1))).toContain("/undo cannot restore it");
  await checkpoints.leaves("/x", "hash");
  expect(await checkpoints.last()).toBeUndefined();
});

test("whatever stands in the index after a crash, reading it never fails and never leads outside", async () => {
  await using home = await tempDir();
  const folder = home.file("undo/00000001");
  await mkdir(folder, { recursive: true });
  await write(join(folder, "1"), "kept");
  const line = { type: "before", path: "/x", realPath: "/x", kept: "1" };
  const hostile = JSON.stringify({ ...line, kept: "../../secret" });
  await fc.assert(
    fc.asyncProperty(fc.string(), fc.nat(), async (rubbish, cut) => {
      const whole = JSON.stringify(line);
      const half = whole.slice(0, cut % whole.length);
      await write(join(folder, "index.jsonl"), `${whole}\n${hostile}\n${rubbish}\n`);
      await appendFile(join(folder, "index.jsonl"), half);
      const last = await new Checkpoints(home.file("undo")).last();
      expect(last?.files.map(({ before }) => String(Buffer.from(before ?? [])))).toEqual(["kept"]);
    }),
    { numRuns: 50 },
  );
});
