import { expect, test } from "bun:test";
import { readdir, stat, writeFile } from "node:fs/promises";
import {
  forgetCredentials,
  readCredentials,
  saveCredential,
} from "../../src/config/credentials.ts";
import { homePaths } from "../../src/config/home.ts";
import { tempDir } from "../support/temp-dir.ts";

const modeOf = async (path: string) => ((await stat(path)).mode & 0o777).toString(8);

test("a key is stored for its owner only, read back, and forgotten", async () => {
  await using dir = await tempDir();
  const paths = homePaths({ IACCODE_HOME: dir.file("home") });
  expect(await readCredentials(paths)).toEqual({ credentials: {} });
  expect(await forgetCredentials(paths)).toEqual([]);
  const before = process.umask(0o000);
  try {
    await saveCredential(paths, "openai", { apiKey: "key-1" });
    await saveCredential(paths, "custom", { apiKey: "key-2", baseUrl: "https://x.example/v1" });
    await saveCredential(paths, "openai", { apiKey: "key-3", model: "gpt-5" });
  } finally {
    process.umask(before);
  }
  expect([await modeOf(paths.home), await modeOf(paths.credentialsFile)]).toEqual(["700", "600"]);
  expect(await readdir(paths.home)).toEqual(["credentials.json"]);
  const { credentials } = await readCredentials(paths);
  expect(Object.entries(credentials)).toEqual([
    ["openai", { apiKey: "key-3", model: "gpt-5" }],
    ["custom", { apiKey: "key-2", baseUrl: "https://x.example/v1" }],
  ]);
  expect(await forgetCredentials(paths, "openai")).toEqual(["openai"]);
  expect(Object.keys((await readCredentials(paths)).credentials)).toEqual(["custom"]);
  expect(await forgetCredentials(paths)).toEqual(["custom"]);
  expect(await readdir(paths.home)).toEqual([]);
});

test("a damaged file counts as empty with a problem that shows no key, and can be forgotten", async () => {
  await using dir = await tempDir({
    "credentials.json": '{"providers": {"openai": {"apiKey": ["sk-x"]}}}',
  });
  const paths = homePaths({ IACCODE_HOME: dir.path });
  const { credentials, problem } = await readCredentials(paths);
  expect(credentials).toEqual({});
  expect(problem).toContain("log in again");
  expect(problem).not.toContain("sk-x");
  await forgetCredentials(paths);
  expect(await readdir(dir.path)).toEqual([]);
});

test("a folder that cannot be made is an error that names it and not the key", async () => {
  await using dir = await tempDir();
  await writeFile(dir.file("file"), "");
  const paths = homePaths({ IACCODE_HOME: dir.file("file/home") });
  const error = await saveCredential(paths, "openai", { apiKey: "sk-x" }).catch(String);
  expect(error).toContain(`${dir.file("file/home")} cannot be made or used`);
  expect(error).not.toContain("sk-x");
});
