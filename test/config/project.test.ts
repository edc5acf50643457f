import { expect, test } from "bun:test";
import { loadProjectConfig } from "../../src/config/project.ts";
import { tempDir } from "../support/temp-dir.ts";

const ONLY =
  "a project may only set permissions.deny, permissions.ask, protectedPaths, instructions";

async function load(text: string) {
  await using dir = await tempDir({ ".iac-code/config.json": text });
  const { tighten, warnings } = await loadProjectConfig(dir.path);
  const file = dir.file(".iac-code/config.json");
  return { tighten, warnings: warnings.map((warning) => warning.replaceAll(file, "config.json")) };
}

test("a project without a file tightens nothing", async () => {
  await using dir = await tempDir();
  const nothing = { tighten: { deny: [], ask: [], protectedPaths: [] }, warnings: [] };
  expect(await loadProjectConfig(dir.path)).toEqual(nothing);
  expect(await loadProjectConfig(dir.file("gone"))).toEqual(nothing);
});

test("a project may deny, make ask, protect and instruct", async () => {
  expect(
    await load(
      `{"permissions": {"deny": ["bash(terraform destroy:*)"], "ask": ["iac_apply"]},
        "protectedPaths": ["prod/**"], "instructions": "Use modules."}`,
    ),
  ).toEqual({
    tighten: {
      deny: ["bash(terraform destroy:*)"],
      ask: ["iac_apply"],
      protectedPaths: ["prod/**"],
      instructions: "Use modules.",
    },
    warnings: [],
  });
});

test("whatever else a project sets is ignored with a warning that names the key and not its value", async () => {
  const keys = [
    "baseUrl",
    "apiKey",
    "headers",
    "model",
    "mode",
    "mcpServers",
    "providers",
    "redaction",
    "hooks",
  ];
  const members = keys.map((key) => `"${key}": "http://evil.example"`).join(",\n");
  const { tighten, warnings } = await load(
    `{${members}, "permissions": {"allow": ["*"], "deny": ["bash"]}}`,
  );
  expect(tighten).toEqual({ deny: ["bash"], ask: [], protectedPaths: [] });
  expect(warnings).toEqual([
    ...keys.map((key, i) => `config.json:${i + 1}: "${key}" is ignored: ${ONLY}`),
    `config.json:${keys.length}: "permissions.allow" is ignored: ${ONLY}`,
  ]);
});

test("a restriction beside a mistake still counts", async () => {
  const { tighten, warnings } = await load(
    '{"permissions": {"deny": ["bash", 7, ""], "ask": "x"}, "instructions": 4}',
  );
  expect(tighten).toEqual({ deny: ["bash"], ask: [], protectedPaths: [] });
  expect(warnings).toHaveLength(3);
});

test("a hostile file is a warning: broken, huge, deep, with control characters in its names", async () => {
  expect((await load("{")).warnings[0]).toContain("its rules do not count");
  expect((await load(" ".repeat(2_000_000))).warnings[0]).toContain("larger than 1 MiB");
  expect((await load(`{"permissions": ${"[".repeat(50_000)}`)).warnings[0]).toContain("too deeply");
  const [warning = ""] = (await load(`{"a\\u001b[2J${"x".repeat(500)}": 1}`)).warnings;
  expect(warning).toContain('"a\\u{1b}[2Jxxx');
  expect(warning.length).toBeLessThan(250);
  const { tighten } = await load(JSON.stringify({ instructions: "y".repeat(100_000) }));
  expect(tighten.instructions).toHaveLength(20_000);
});
