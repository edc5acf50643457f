import { expect, test } from "bun:test";
import { mkdir, stat } from "node:fs/promises";
import { homePaths } from "../../src/config/home.ts";
import type { Env } from "../../src/config/home.ts";
import { loadConfig } from "../../src/config/load.ts";
import type { ConfigFlags } from "../../src/config/load.ts";
import { configJsonSchema } from "../../src/config/schema.ts";
import { MODE_IDS } from "../../src/permissions/modes.ts";
import { tempDir } from "../support/temp-dir.ts";

async function load(text: string | undefined, env: Env = {}, flags: ConfigFlags = {}) {
  await using dir = await tempDir(text === undefined ? {} : { "config.json": text });
  const loaded = await loadConfig({ env: { ...env, IACCODE_HOME: dir.path }, flags });
  const short = (message: string) => message.replaceAll(`${dir.path}/`, "");
  const { paths: _, credentials, ...settings } = loaded.config;
  expect(credentials).toEqual({});
  return {
    settings,
    warnings: loaded.warnings.map(short),
    errors: loaded.errors.map(short),
  };
}

test("without a file, without HOME and without any variable there is a configuration", async () => {
  const { config, warnings, errors } = await loadConfig({
    env: {},
    paths: homePaths({ HOME: "/nonexistent" }),
  });
  expect([warnings, errors]).toEqual([[], []]);
  expect(config.paths.configFile).toBe("/nonexistent/.iac-code/config.json");
  expect(homePaths({}).home).toMatch(/^\/.*iac-code/);
});

test("homePaths follows IACCODE_HOME, a tilde included", () => {
  expect(homePaths({ IACCODE_HOME: "/data/x/", HOME: "/h" }).home).toBe("/data/x");
  expect(homePaths({ IACCODE_HOME: "~/x", HOME: "/h" }).home).toBe("/h/x");
  expect(homePaths({ IACCODE_HOME: " ", HOME: "/h" }).home).toBe("/h/.iac-code");
});

test("the file is read with its comments, and an empty one sets nothing", async () => {
  expect(
    await load('{ /* which */ "model": "m", "permissions": {"deny": ["bash(rm:*)"]}, }'),
  ).toEqual({
    settings: { model: "m", modelFrom: "config.json", permissions: { deny: ["bash(rm:*)"] } },
    warnings: [],
    errors: [],
  });
  expect(await load("\n")).toEqual({ settings: {}, warnings: [], errors: [] });
});

test("a flag goes before the environment, and that before the file", async () => {
  const file = '{"model": "file", "mode": "plan"}';
  const env = { IACCODE_MODEL: "env" };
  expect((await load(file, env, { model: "flag", mode: "auto" })).settings).toEqual({
    model: "flag",
    modelFrom: "--model",
    mode: "auto",
  });
  expect((await load(file, env)).settings).toEqual({
    model: "env",
    modelFrom: "IACCODE_MODEL",
    mode: "plan",
  });
});

test("IACCODE_FETCH_ALLOW adds to the addresses of the file", async () => {
  const { settings } = await load('{"fetch": {"allowPrivate": ["10.0.0.1:80"]}}', {
    IACCODE_FETCH_ALLOW: " 127.0.0.1:8080, ,[::1]:9 ",
  });
  expect(settings).toEqual({
    fetch: { allowPrivate: ["10.0.0.1:80", "127.0.0.1:8080", "[::1]:9"] },
  });
});

test("an unknown key is a warning that names it, at any depth, and costs nothing else", async () => {
  const file =
    '{\n "modle": "x",\n "permissions": {"deny": ["bash"],\n "forbid": []},\n "fetch": {"a": 1} }';
  expect(await load(file)).toEqual({
    settings: { permissions: { deny: ["bash"] }, fetch: {} },
    warnings: [
      'config.json:2: unknown key "modle" is ignored; see `iac-code config schema`',
      'config.json:4: unknown key "permissions.forbid" is ignored; see `iac-code config schema`',
      'config.json:5: unknown key "fetch.a" is ignored; see `iac-code config schema`',
    ],
    errors: [],
  });
});

test("a wrong value is an error with file, line and field; the other settings count and no value is repeated", async () => {
  const file =
    '{\n "model": "m",\n "mode": "sk-secret",\n "permissions": {\n "deny": [ "bash", 7 ] }\n}';
  const { settings, errors } = await load(file);
  expect(settings).toEqual({ model: "m", modelFrom: "config.json" });
  expect(errors).toEqual([
    'config.json:3: mode: Invalid option: expected one of "default"|"accept_edits"|"plan"|"auto"; see `iac-code config schema`',
    "config.json:5: permissions.deny.1: Invalid input: expected string, received number; see `iac-code config schema`",
  ]);
});

test("an MCP server needs a command or a url", async () => {
  const { errors } = await load('{"mcpServers": {"x": {"args": []}}}');
  expect(errors.join()).toContain("mcpServers.x: Needs either a command or a url");
});

test("a broken or unreadable file, and an unknown mode, are errors and never a rejection", async () => {
  expect((await load('{"model": ')).errors).toEqual([
    "config.json:1: not valid JSON: expected a value, found the end of the file",
  ]);
  expect((await load("[1]")).errors[0]).toContain("must hold one object");
  expect((await load(undefined, {}, { mode: "yolo" })).errors).toEqual([
    "--mode: unknown mode; write one of default, accept_edits, plan, auto",
  ]);
  await using dir = await tempDir();
  await mkdir(dir.file("config.json"));
  const { errors } = await loadConfig({ env: { IACCODE_HOME: dir.path } });
  expect(errors).toEqual([`${dir.file("config.json")}: is not a file`]);
});

test.skipIf(Bun.which("mkfifo") === null)(
  "a named pipe in place of the file does not hold the program (needs mkfifo)",
  async () => {
    await using dir = await tempDir();
    expect(await Bun.spawn(["mkfifo", dir.file("config.json")]).exited).toBe(0);
    const { errors } = await loadConfig({ env: { IACCODE_HOME: dir.path } });
    expect(errors).toEqual([`${dir.file("config.json")}: is not a file`]);
  },
);

test("loadConfig writes nothing", async () => {
  await using dir = await tempDir();
  await loadConfig({ env: { IACCODE_HOME: dir.file("home") } });
  expect(stat(dir.file("home"))).rejects.toThrow("ENOENT");
});

test("the JSON Schema describes every key, and its modes are those of the permissions", () => {
  const schema: unknown = configJsonSchema();
  const text = JSON.stringify(schema);
  expect(schema).toMatchObject({ type: "object", additionalProperties: false });
  const { properties } = Object(schema);
  for (const [name, property] of Object.entries(Object(properties))) {
    expect([name, typeof Object(property).description]).toEqual([name, "string"]);
  }
  expect(text).toContain(JSON.stringify(MODE_IDS));
});
