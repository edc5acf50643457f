import { expect, test } from "bun:test";
import { symlink } from "node:fs/promises";
import { decide } from "../../src/permissions/policy.ts";
import { resolveRequest } from "../../src/permissions/request.ts";
import { tempDir } from "../support/temp-dir.ts";
import { context, inner, line } from "./calls.ts";

async function decideIn(root: string, commands: Parameters<typeof line>[0], deny: string[] = []) {
  const request = await resolveRequest("bash", line(commands, root));
  return decide(request, context({ mode: "auto", roots: [root] }, { deny })).decision;
}

test("resolveRequest follows links out of the project and to denied files", async () => {
  await using dir = await tempDir({ "app/.env": "A=1", "app/main.tf": "", "out/x": "" });
  const app = dir.file("app");
  await symlink(dir.file("out"), dir.file("app/away"));
  await symlink(dir.file("app/.env"), dir.file("app/notes.txt"));
  const cat = (path: string) => [inner(`cat ${path}`, "read", { reads: [path] })];
  expect(await decideIn(app, cat("main.tf"))).toBe("allow");
  expect(await decideIn(app, cat("away/x"))).toBe("ask");
  expect(await decideIn(app, cat("notes.txt"))).toBe("ask");
  expect(await decideIn(app, cat("notes.txt"), ["read_file(**/.env)"])).toBe("deny");
});

test("what looks like a URL is a path where a folder is called like its scheme", async () => {
  await using dir = await tempDir({ "app/aa:/x": "", "app/.env": "A=1", secret: "" });
  const cat = (path: string) => [inner(`cat ${path}`, "read", { reads: [path] })];
  const app = dir.file("app");
  expect(await decideIn(app, cat("aa://../../secret"))).toBe("ask");
  expect(await decideIn(app, cat("aa://../.env"))).toBe("ask");
  expect(await decideIn(app, [inner("cat aa://../.env", "read")], ["file(**/.env)"])).toBe("deny");
  expect(await decideIn(app, cat("https://example.com/../../x"))).toBe("allow");
});

test("resolveRequest expands patterns as the shell would", async () => {
  await using dir = await tempDir({ ".env": "A=1", "main.tf": "", "a/.env": "" });
  const cat = (path: string) => [inner(`cat ${path}`, "read", { reads: [path] })];
  const deny = ["read_file(**/.env)"];
  expect(await decideIn(dir.path, cat("*.tf"), deny)).toBe("allow");
  expect(await decideIn(dir.path, cat(".e*"), deny)).toBe("deny");
  expect(await decideIn(dir.path, cat("*/.en?"), deny)).toBe("deny");
  expect(await decideIn(dir.path, cat("{main.tf,.env}"), deny)).toBe("deny");
});

test("a recursive read of a folder asks when files in it could be denied", async () => {
  await using dir = await tempDir({ "a/.env": "A=1" });
  const grep = [inner("grep -r x .", "read", { reads: ["."] })];
  expect(await decideIn(dir.path, grep)).toBe("allow");
  expect(await decideIn(dir.path, grep, ["read_file(**/.env)"])).toBe("ask");
  const list = [inner("ls .", "read", { reads: ["."] })];
  expect(await decideIn(dir.path, list, ["read_file(**/.env)"])).toBe("allow");
});

test("what the analysis guesses behind a pattern counts only where it exists", async () => {
  await using dir = await tempDir({ "main.tf": "" });
  const cat = (...reads: string[]) => [inner("cat *", "read", { reads })];
  expect(await decideIn(dir.path, cat("*", "id_rsa", ".env"))).toBe("allow");
  expect(await decideIn(dir.path, [inner("cat id_rsa", "read", { reads: ["id_rsa"] })])).toBe(
    "ask",
  );
  await using other = await tempDir({ id_rsa: "x" });
  expect(await decideIn(other.path, cat("*", "id_rsa"))).toBe("ask");
});

test("a command that its own option sends out of the project asks", async () => {
  await using dir = await tempDir({ "app/envs/dev/main.tf": "", "other/main.tf": "" });
  const app = dir.file("app");
  await symlink(dir.file("other"), dir.file("app/away"));
  const validate = (option: string) => [inner(`terraform validate ${option}`, "read")];
  expect(await decideIn(app, validate("-chdir=envs/dev"))).toBe("allow");
  for (const option of [
    "-chdir=../other",
    "-chdir=away",
    `-chdir=${dir.file("other")}`,
    "-chdir=~",
    "--directory ../other",
    "-C ../other",
  ])
    expect([option, await decideIn(app, validate(option))]).toEqual([option, "ask"]);
});
