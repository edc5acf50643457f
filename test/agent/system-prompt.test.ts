// The system prompt: short, stable, with the instructions of user and project, and with nothing a project could smuggle in.

import { expect, test } from "bun:test";
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { estimateTokens } from "../../src/agent/estimate.ts";
import { createSystemPrompt, readInstructions } from "../../src/agent/project-context.ts";
import { buildSystemPrompt } from "../../src/agent/system-prompt.ts";
import { registryOf } from "../../src/lib/registry.ts";
import * as toolMembers from "../../src/tools/all.ts";
import type { Tool } from "../../src/tools/tool.ts";
import { openAgent } from "../support/acp-client.ts";
import { fakeModel, text } from "../support/fake-model.ts";
import { tempDir } from "../support/temp-dir.ts";

const PARTS = {
  cwd: "/srv/infrastructure/environments/production",
  roots: ["/srv/infrastructure/environments/production", "/srv/modules"],
  platform: "linux x64",
  instructions: [],
} as const;
/** Tokens of the prompt without a brief and instructions; what the contract allows is more. */
const MAX_TOKENS = 2_500;

test("buildSystemPrompt is short, and the same for the same parts", () => {
  const prompt = buildSystemPrompt(PARTS);
  expect(estimateTokens(prompt)).toBeLessThanOrEqual(MAX_TOKENS);
  expect(buildSystemPrompt({ ...PARTS })).toBe(prompt);
  expect(prompt).not.toMatch(/\d{4}-\d\d-\d\d|\d\d:\d\d/);
});

test("buildSystemPrompt puts place, brief and instructions behind the rules, in that order", () => {
  const prompt = buildSystemPrompt({
    ...PARTS,
    brief: "One module.",
    instructions: [
      { path: "/srv/AGENTS.md", text: "Outer." },
      { path: "/srv/infrastructure/AGENTS.md", text: "Inner." },
    ],
  });
  expect(prompt).toStartWith(buildSystemPrompt(PARTS));
  expect(prompt).toEndWith(
    "\n\n# The project\nOne module.\n\n# Instructions of /srv/AGENTS.md\nOuter.\n\n# Instructions of /srv/infrastructure/AGENTS.md\nInner.",
  );
});

test("a project of many modules keeps its brief within 2,000 tokens", async () => {
  const files = Object.fromEntries(
    Array.from({ length: 300 }, (_, n) => [
      `modules/m${n}/main.tf`,
      `variable "a_long_name_of_a_variable_${n}" {\n  type = string\n}\nresource "terraform_data" "thing_${n}" {\n  input = var.a_long_name_of_a_variable_${n}\n}\n`,
    ]),
  );
  await using project = await tempDir(files);
  const parts = {
    cwd: project.path,
    roots: [project.path],
    home: "/nonexistent",
    configured: [],
    mask: (text: string) => text,
  };
  const prompt = await createSystemPrompt(parts, AbortSignal.timeout(10_000));
  expect(prompt).toContain("modules/m0");
  expect(estimateTokens(prompt)).toBeLessThan(MAX_TOKENS + 2_000);
});

test("readInstructions takes AGENTS.md of the user, the parents and the project, outermost first", async () => {
  await using tree = await tempDir({
    "home/AGENTS.md": "Mine.",
    "AGENTS.md": "Top.\n",
    "a/README.md": "Not this.",
    "a/b/AGENTS.md": "Near.",
    "a/b/c/AGENTS.md": "  \n",
  });
  const found = await readInstructions(tree.file("a/b/c"), tree.file("home"));
  expect(found).toEqual([
    { path: tree.file("home/AGENTS.md"), text: "Mine." },
    { path: tree.file("AGENTS.md"), text: "Top." },
    { path: tree.file("a/b/AGENTS.md"), text: "Near." },
  ]);
});

test("readInstructions is bounded: long files are cut and say so, and the nearest ones go first", async () => {
  await using tree = await tempDir({
    "AGENTS.md": "far ".repeat(10_000),
    "a/AGENTS.md": "middle ".repeat(10_000),
    "a/b/AGENTS.md": "near 多 ".repeat(100_000),
  });
  const found = await readInstructions(tree.file("a/b"), "/nonexistent");
  expect(found.map(({ path }) => path)).toEqual([
    tree.file("a/AGENTS.md"),
    tree.file("a/b/AGENTS.md"),
  ]);
  expect(found.at(-1)?.text).toEndWith("\n[cut here]");
  expect(found.reduce((sum, { text: { length } }) => sum + length, 0)).toBeLessThanOrEqual(40_000);
});

test("readInstructions leaves pipes, folders and links to other places alone", async () => {
  await using tree = await tempDir({
    "secret/key": "a private key",
    "linked/here.md": "Linked beside.",
    "away/x": "",
    "pipe/x": "",
  });
  symlinkSync(tree.file("secret/key"), tree.file("away/AGENTS.md"));
  symlinkSync("here.md", tree.file("linked/AGENTS.md"));
  mkdirSync(tree.file("folder/AGENTS.md"), { recursive: true });
  await Bun.spawn(["mkfifo", tree.file("pipe/AGENTS.md")]).exited;
  const of = async (name: string) =>
    (await readInstructions(tree.file(name), "/nonexistent")).map(({ text }) => text);
  expect(await Promise.all(["away", "linked", "folder", "pipe"].map(of))).toEqual([
    [],
    ["Linked beside."],
    [],
    [],
  ]);
});

test("a session's model is told the instructions of the user's and the project's configuration, secrets masked", async () => {
  await using home = await tempDir({
    ".iac-code/config.json": '{ "instructions": "Answer in Portuguese." }',
  });
  await using project = await tempDir({
    ".iac-code/config.json": '{ "instructions": "Tag everything with team=web.", "model": "evil" }',
    "AGENTS.md": "Use modules of ours. The key is AKIAIOSFODNN7EXAMPLZ.\n",
    "main.tf": 'resource "terraform_data" "x" {}\n',
  });
  await using model = await fakeModel([text("Olá.")]);
  await using client = await openAgent("stdio", { env: model.env(), home: home.path });
  const sessionId = await client.newSession(project.path);
  await client.prompt(sessionId, "Hi");
  const [request] = model.requests;
  const system = String(request?.messages[0]?.["content"]);
  const order = [
    "Safety",
    "Directory: ",
    "terraform_data",
    "Answer in Portuguese.",
    "Tag everything",
    "Use modules of ours.",
  ];
  expect(order.map((part) => system.indexOf(part)).toSorted((a, b) => a - b)).toEqual(
    order.map((part) => system.indexOf(part)),
  );
  expect(system.indexOf("Safety")).toBeGreaterThan(0);
  expect(system).toContain(`# Instructions of ${join(project.path, "AGENTS.md")}`);
  expect(system).not.toContain("AKIAIOSFODNN7EXAMPLZ");
  expect(request?.body["model"]).toBe("fake-model");
});

test("buildSystemPrompt names only tools that there are", () => {
  const named =
    buildSystemPrompt(PARTS).match(/\b(?:iac_\w+|\w+_file|ask_user|todo|bash|grep|agent)\b/g) ?? [];
  const known = new Set(registryOf<Tool>(toolMembers).names);
  // "agent" is also what it is.
  expect([...new Set(named)].filter((name) => !known.has(name))).toEqual([]);
  expect(named).toContain("iac_plan");
});
