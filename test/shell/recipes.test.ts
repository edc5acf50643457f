// Targets and scripts: read through the injected reader, shown, analysed, never run and never trusted.

import { expect, test } from "bun:test";
import { analyzeCommand } from "../../src/shell/analyze.ts";

function analyze(command: string, files: Readonly<Record<string, string>>) {
  const asked: string[] = [];
  const readRecipe = async (path: string) => {
    asked.push(path);
    return files[path];
  };
  return analyzeCommand(command, { cwd: "/p", readRecipe }).then((analysis) => ({
    ...analysis,
    asked,
  }));
}

const MAKEFILE = `TF = terraform
.PHONY: down fmt
fmt:
\t@terraform fmt
down: fmt
\t$(TF) destroy -auto-approve
shell:
\techo $(shell date)
other:
\t$(MAKE) down
fancy: ; terraform apply
`;

test("make reads its Makefile: the target's class is that of its recipe, shown in a warning", async () => {
  const files = { "/p/Makefile": MAKEFILE.replace("shell:\n\techo $(shell date)\n", "") };
  const down = await analyze("make down", files);
  expect(down.class).toBe("destroy");
  expect(down.warnings.join("\n")).toContain("$(TF) destroy -auto-approve");
  expect(
    down.commands.some(({ argv }) => argv.join(" ") === "terraform destroy -auto-approve"),
  ).toBe(true);
  expect((await analyze("make fmt", files)).class).toBe("write");
  expect((await analyze("make other", files)).class).toBe("destroy");
  expect((await analyze("make fancy", files)).class).toBe("mutate");
  expect(down.asked).toEqual(["/p/GNUmakefile", "/p/makefile", "/p/Makefile"]);
});

test("make is unknown without a Makefile, without the target, with $(shell) and with variables given", async () => {
  expect((await analyze("make down", {})).class).toBe("unknown");
  expect((await analyze("make nothing", { "/p/Makefile": MAKEFILE })).class).toBe("unknown");
  expect((await analyze("make fmt", { "/p/Makefile": MAKEFILE })).class).toBe("unknown");
  expect((await analyze("make fmt TF=rm", { "/p/Makefile": "fmt:\n\tls\n" })).class).toBe(
    "unknown",
  );
});

test("a recipe that an earlier part of the line may have changed is unknown", async () => {
  const files = { "/p/Makefile": "fmt:\n\tls\n" };
  expect((await analyze("echo x > Makefile; make fmt", files)).class).toBe("unknown");
  expect((await analyze("cd sub && make fmt", { "/p/sub/Makefile": "fmt:\n\tls\n" })).class).toBe(
    "write",
  );
});

test("npm run reads package.json with what runs before and after", async () => {
  const files = {
    "/p/package.json": JSON.stringify({
      scripts: { up: "cdk deploy", preup: "cdk diff", postup: "cdk destroy", lint: "ls" },
    }),
  };
  expect((await analyze("npm run up", files)).class).toBe("destroy");
  expect((await analyze("yarn lint", files)).class).toBe("write");
  expect((await analyze("npm run nothing", files)).class).toBe("unknown");
});

test("just and task read their files", async () => {
  const just = "fmt:\n  terraform fmt\ndown: fmt\n  terraform destroy\n";
  expect((await analyze("just down", { "/p/justfile": just })).class).toBe("destroy");
  expect((await analyze("just fmt", { "/p/justfile": just })).class).toBe("write");
  const task =
    "version: '3'\ntasks:\n  down:\n    cmds:\n      - terraform destroy\n  plan:\n    cmds: [terraform plan]\n";
  expect((await analyze("task down", { "/p/Taskfile.yml": task })).class).toBe("destroy");
  expect((await analyze("task plan", { "/p/Taskfile.yml": task })).class).toBe("plan");
});

test("a script file stays unknown, but what stands in it is shown and listed", async () => {
  const analysis = await analyze("bash down.sh", {
    "/p/down.sh": "#!/bin/bash\nterraform destroy\n",
  });
  expect(analysis.class).toBe("unknown");
  expect(analysis.commands.map((command) => command.class)).toEqual(["unknown", "destroy"]);
  expect(analysis.warnings.join("\n")).toContain("terraform destroy");
});

test("a file that is run by its path is shown like one that a shell is given, a compiled one is not", async () => {
  const analysis = await analyze("./down.sh --now", { "/p/down.sh": "#!/bin/sh\ntofu destroy\n" });
  expect(analysis.class).toBe("unknown");
  expect(analysis.commands.map((command) => command.class)).toEqual(["unknown", "destroy"]);
  expect(analysis.warnings.join("\n")).toContain("tofu destroy");
  const python = await analyze("bin/down", { "/p/bin/down": "#!/usr/bin/python3\nimport os\n" });
  expect(python.commands.map((command) => command.class)).toEqual(["unknown"]);
  expect(python.warnings.join("\n")).toContain("import os");
  expect((await analyze("./down", { "/p/down": "\x7fELF\0\0terraform" })).warnings).toEqual([]);
});

test("recipes that call each other end", async () => {
  const files = { "/p/Makefile": "a:\n\tmake b\nb:\n\tmake a\n" };
  expect((await analyze("make a", files)).class).toBe("unknown");
});

test("a file that chooses what runs its recipes, or loads more, is unknown", async () => {
  const classes: string[] = [];
  const hostile: readonly (readonly [line: string, name: string, text: string])[] = [
    ["make lint", "Makefile", ".SHELLFLAGS = -c 'terraform destroy' x\nlint:\n\tls\n"],
    ["make lint", "Makefile", ".RECIPEPREFIX = >\nlint:\n> terraform destroy\n\tls\n"],
    ["make lint", "Makefile", "override SHELL = ./evil\nlint:\n\tls\n"],
    ["make lint", "Makefile", "lint: SHELL = ./evil\nlint:\n\tls\n"],
    ["make lint", "Makefile", "export PATH := ./bin\nlint:\n\tls\n"],
    ["make lint", "Makefile", "PATH := ./bin:$(PATH)\nlint:\n\tls\n"],
    ["make lint", "Makefile", "lint: export LD_PRELOAD = ./x.so\nlint:\n\tls\n"],
    ["make lint", "Makefile", "load evil.so\nlint:\n\tls\n"],
    ["make lint", "Makefile", "X := ${eval Y}\nlint:\n\tls\n"],
    ["make lint", "Makefile", "X := $(file >x,evil)\nlint:\n\tls\n"],
    ["make lint", "Makefile", "override define X\nendef\nlint:\n\tls\n"],
    ["just lint", "justfile", "set shell := ['./evil']\nlint:\n  ls\n"],
    ["just lint", "justfile", "set dotenv-load\nlint:\n  ls\n"],
    ["just lint", "justfile", "export PATH := './bin'\nlint:\n  ls\n"],
    ["just lint", "justfile", "[script('./evil')]\nlint:\n  ls\n"],
    [
      "task lint",
      "Taskfile.yml",
      "version: '3'\nenv: {PATH: ./bin}\ntasks: {lint: {cmds: [ls]}}\n",
    ],
  ];
  for (const [line, name, text] of hostile)
    classes.push((await analyze(line, { [`/p/${name}`]: text })).class);
  expect(classes).toEqual(hostile.map(() => "unknown"));
  const plain = [
    ["make lint", "Makefile", "TF = terraform\nexport TF_LOG = info\nlint:\n\t$(TF) fmt\n"],
    ["just lint", "justfile", "set quiet\ntf := 'terraform'\nlint:\n  ls\n"],
    ["task lint", "Taskfile.yml", "version: '3'\ntasks: {lint: {cmds: [ls]}}\n"],
  ] as const;
  for (const [line, name, text] of plain)
    expect([line, (await analyze(line, { [`/p/${name}`]: text })).class]).toEqual([line, "write"]);
});
