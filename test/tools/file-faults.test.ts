// What goes wrong around files in real projects: names, encodings, files that change or vanish under a call.

import { expect, test } from "bun:test";
import { readFile as read, rm, symlink, writeFile as write } from "node:fs/promises";
import { editFile } from "../../src/tools/edit-file.ts";
import { readFile } from "../../src/tools/read-file.ts";
import { writeFile } from "../../src/tools/write-file.ts";
import { tempDir } from "../support/temp-dir.ts";
import { toolContext } from "../support/tool-context.ts";

test("a file of 20 MB is edited, with a bounded diff", async () => {
  const text = `${"a line of sixty-four characters, as a generated file has them..\n".repeat(330_000)}end\n`;
  await using dir = await tempDir({ "big.tf": text });
  await using tools = await toolContext(dir.path);
  await tools.run(readFile, { path: "big.tf", limit: 1 });
  const result = await tools.run(editFile, {
    path: "big.tf",
    old_string: "end\n",
    new_string: "the end\n",
  });
  expect(result.ok).toBe(true);
  expect(JSON.stringify(result.content).length).toBeLessThan(300_000);
  expect((await read(dir.file("big.tf"), "utf8")).endsWith("\nthe end\n")).toBe(true);
});

test("a file that is removed while the question is open is not made anew by an edit", async () => {
  await using dir = await tempDir({ "main.tf": "a\n" });
  await using tools = await toolContext(dir.path);
  await tools.run(readFile, { path: "main.tf" });
  const call = await tools.prepare(editFile, { path: "main.tf", old_string: "a", new_string: "b" });
  expect((await call.preview(tools.context)).ok).toBe(true);
  await rm(dir.file("main.tf"));
  const result = await call.execute(tools.context);
  expect([result.ok, result.text]).toEqual([
    false,
    "main.tf does not exist. Use write_file to make a new file.",
  ]);
  expect(await Bun.file(dir.file("main.tf")).exists()).toBe(false);
});

test("a file that appears while the question is open is not overwritten by a write", async () => {
  await using dir = await tempDir();
  await using tools = await toolContext(dir.path);
  const call = await tools.prepare(writeFile, { path: "new.tf", content: "mine\n" });
  expect((await call.preview(tools.context)).ok).toBe(true);
  await write(dir.file("new.tf"), "yours\n");
  expect((await call.execute(tools.context)).ok).toBe(false);
  expect(await read(dir.file("new.tf"), "utf8")).toBe("yours\n");
});

test("a link that leads elsewhere since the call was allowed is not followed by the client either", async () => {
  await using dir = await tempDir({ "app/real/x": "allowed\n", "away/x": "outside\n" });
  await symlink(dir.file("app/real"), dir.file("app/link"));
  const files = {
    canRead: true,
    canWrite: false,
    readText: async (path: string) => read(path, "utf8"),
    writeText: async () => false,
  };
  await using tools = await toolContext(dir.file("app"), { files });
  const call = await tools.prepare(readFile, { path: "link/x" });
  await rm(dir.file("app/link"));
  await symlink(dir.file("away"), dir.file("app/link"));
  const result = await call.execute(tools.context);
  expect(result.text).not.toContain("outside");
});

test("half a surrogate pair in arguments runs nothing and says why", async () => {
  await using dir = await tempDir({ "a.tf": "a\n" });
  await using tools = await toolContext(dir.path);
  for (const [tool, args] of [
    [writeFile, { path: "b.tf", content: "x\ud800" }],
    [editFile, { path: "a.tf", old_string: "a", new_string: "\udc00" }],
  ] as const) {
    const prepared = await tool.prepare(args, tools.context);
    expect(prepared.ok ? "" : prepared.text).toContain("half of a surrogate pair");
  }
});

test("CRLF: a multi-line match from LF text, replace_all, counts, no final newline", async () => {
  await using dir = await tempDir({ "a.tf": "a\r\nb\r\nc", "b.tf": "x\r\ny\r\nx\r\ny" });
  await using tools = await toolContext(dir.path);
  for (const path of ["a.tf", "b.tf"]) await tools.run(readFile, { path });
  await tools.run(editFile, { path: "a.tf", old_string: "a\nb", new_string: "1\n2\n3" });
  const many = await tools.run(editFile, { path: "b.tf", old_string: "x\ny", new_string: "z" });
  expect(many.text).toContain("occurs 2 times");
  await tools.run(editFile, {
    path: "b.tf",
    old_string: "x\ny",
    new_string: "z\nz",
    replace_all: true,
  });
  expect(await read(dir.file("a.tf"), "utf8")).toBe("1\r\n2\r\n3\r\nc");
  expect(await read(dir.file("b.tf"), "utf8")).toBe("z\r\nz\r\nz\r\nz");
});

test("a byte order mark is no part of line 1, is kept, and is never added", async () => {
  await using dir = await tempDir({
    "bom.tf": '\uFEFFresource "x" {}\n',
    "plain.tf": 'resource "x" {}\n',
  });
  await using tools = await toolContext(dir.path);
  for (const path of ["bom.tf", "plain.tf"]) {
    await tools.run(readFile, { path });
    const edit = { path, old_string: 'resource "x" {}', new_string: 'resource "y" {}' };
    expect((await tools.run(editFile, edit)).ok).toBe(true);
    expect((await tools.run(writeFile, { path, content: "z\n" })).ok).toBe(true);
  }
  expect((await read(dir.file("bom.tf"))).toString("hex")).toBe("efbbbf7a0a");
  expect((await read(dir.file("plain.tf"))).toString("hex")).toBe("7a0a");
});

test("what is not UTF-8 is refused with the reason, and no byte of it changes", async () => {
  const files = {
    "gbk.txt": Uint8Array.of(0xb9, 0xe3, 0xd6, 0xdd, 0x0a),
    "latin1.txt": Uint8Array.of(0x63, 0x61, 0x66, 0xe9, 0x0a),
    "lone.txt": Uint8Array.of(0x61, 0x0a, 0xff, 0x0a, 0x62),
  };
  await using dir = await tempDir(files);
  await using tools = await toolContext(dir.path);
  for (const [path, bytes] of Object.entries(files)) {
    for (const [tool, args] of [
      [readFile, { path }],
      [editFile, { path, old_string: "a", new_string: "b" }],
      [writeFile, { path, content: "x" }],
    ] as const) {
      const result = await tools.run(tool, args);
      expect([path, result.ok]).toEqual([path, false]);
      expect(result.text).toMatch(/not UTF-8/);
    }
    expect(new Uint8Array(await read(dir.file(path)))).toEqual(bytes);
  }
});

test("no walk upwards from an odd spelling runs for ever", async () => {
  await using dir = await tempDir();
  await using tools = await toolContext(dir.path);
  for (const path of [
    "D:/x",
    "d:\\x",
    "\\\\srv\\share",
    "/mnt/c/X/../../../../..",
    "/",
    "//",
    "a/".repeat(2_000),
  ]) {
    const prepared = await readFile.prepare({ path }, tools.context);
    if (prepared.ok) expect((await prepared.call.execute(tools.context)).ok).toBe(false);
  }
});
