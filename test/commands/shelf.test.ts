// Commands and skills as files: the user's and the project's.

import { expect, test } from "bun:test";
import { symlink } from "node:fs/promises";
import * as builtIn from "../../src/commands/all.ts";
import type { Command, PromptCommand } from "../../src/commands/command.ts";
import { type Shelf, loadShelf } from "../../src/commands/shelf.ts";
import { createSkillTool } from "../../src/commands/skill-tool.ts";
import { registryOf } from "../../src/lib/registry.ts";
import { tempDir } from "../support/temp-dir.ts";
import { toolContext } from "../support/tool-context.ts";

const own = registryOf<Command>(builtIn);
const signal = new AbortController().signal;

async function expand(shelf: Shelf, name: string, args = ""): Promise<string> {
  const command = shelf.commands.get(name);
  if (command === undefined || !("expand" in command)) throw new Error(`${name} is no text`);
  const expanded = await (command satisfies PromptCommand).expand(args, signal);
  return expanded.ok ? expanded.value : expanded.text;
}

test("a Markdown file is a command with description and hint", async () => {
  await using home = await tempDir({
    "commands/deploy.md":
      "---\r\ndescription: Deploy to\r\nargument-hint: [env]\r\n---\r\nPlan for $1.\r\n",
  });
  await using project = await tempDir({
    ".iac-code/commands/audit.md": "# Audit the network\n\nLook for open ports.",
    ".iac-code/commands/Bad Name.md": "x",
    ".iac-code/commands/empty.md": "---\ndescription: nothing\n---\n",
    ".iac-code/commands/note.txt": "x",
  });
  const shelf = await loadShelf({ builtIn: own, home: home.path, cwd: project.path });
  const added = shelf.commands.names.filter((name) => own.get(name) === undefined);
  expect(added).toEqual(["audit", "deploy"]);
  expect(shelf.commands.get("deploy")).toMatchObject({ description: "Deploy to", hint: "[env]" });
  expect(shelf.commands.get("audit")).toMatchObject({ description: "Audit the network" });
  expect(await expand(shelf, "deploy", "prod")).toBe("Plan for prod.");
});

test("the project cannot replace a built-in command or one of the user's, nor the user a built-in one", async () => {
  await using home = await tempDir({
    "commands/own-check.md": "the user's",
    "commands/help.md": "evil",
  });
  await using project = await tempDir({
    ".iac-code/commands/own-check.md": "the project's",
    ".iac-code/commands/status.md": "evil",
    ".iac-code/skills/mode/SKILL.md": "---\nname: clear\n---\nevil",
  });
  const shelf = await loadShelf({ builtIn: own, home: home.path, cwd: project.path });
  for (const name of ["help", "status", "clear"])
    expect(shelf.commands.get(name)).toBe(own.get(name));
  expect(await expand(shelf, "own-check")).toBe("the user's");
});

test("a project's link that leads out, a pipe, a folder and a binary file are no commands", async () => {
  await using home = await tempDir({ "secret.md": "the secret" });
  await using project = await tempDir({
    ".iac-code/commands/real.md": "real",
    ".iac-code/commands/binary.md": new Uint8Array([0, 1, 2]),
    ".iac-code/commands/folder.md/x": "x",
  });
  const folder = project.file(".iac-code/commands");
  await symlink(home.file("secret.md"), `${folder}/out.md`);
  await symlink(project.file("main.tf"), `${folder}/nowhere.md`);
  expect(await Bun.spawn(["mkfifo", `${folder}/pipe.md`]).exited).toBe(0);
  const shelf = await loadShelf({ builtIn: own, home: home.path, cwd: project.path });
  expect(shelf.commands.names.filter((name) => own.get(name) === undefined)).toEqual(["real"]);
});

test("a long file is cut and a broken head is left out", async () => {
  await using home = await tempDir({
    "commands/long.md": "x".repeat(200_000),
    "commands/broken.md": "---\n: : [\n---\nThe text.",
  });
  const shelf = await loadShelf({ builtIn: own, home: home.path, cwd: home.path });
  const long = await expand(shelf, "long");
  expect(long.length).toBeLessThan(70_000);
  expect(long).toEndWith("[cut here]");
  expect(await expand(shelf, "broken")).toBe("The text.");
});

test("a skill is named to the model, loaded on demand, and a command too", async () => {
  await using home = await tempDir();
  await using project = await tempDir({
    ".iac-code/skills/rotate/SKILL.md":
      "---\nname: rotate-keys\ndescription: >\n  When access keys\n  must be changed.\n---\nFirst list the keys.",
    ".iac-code/skills/rotate/steps.md": "more",
    ".iac-code/skills/none/readme.md": "no skill",
  });
  const shelf = await loadShelf({ builtIn: own, home: home.path, cwd: project.path });
  expect(shelf.skills.map(({ name, description }) => [name, description])).toEqual([
    ["rotate-keys", "When access keys must be changed."],
  ]);
  const tool = createSkillTool(shelf.skills);
  if (tool === undefined) throw new Error("no tool");
  expect(tool.description).toContain("- rotate-keys: When access keys must be changed.");
  await using tools = await toolContext(project.path);
  const { text } = await tools.run(tool, { name: "rotate-keys" });
  expect(text).toStartWith("First list the keys.");
  expect(text).toContain(project.file(".iac-code/skills/rotate/steps.md"));
  expect(await tool.prepare({ name: "nope" }, tools.context)).toEqual({
    ok: false,
    text: "There is no skill named nope. Skills: rotate-keys.",
  });
  expect(await expand(shelf, "rotate-keys", "of the CI user")).toContain(
    "The task: of the CI user",
  );
});

test("without skills there is no tool", () => {
  expect(createSkillTool([])).toBeUndefined();
});
