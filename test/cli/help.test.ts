// Help and completions: complete, true to the commands, and readable at any width.

import { expect, test } from "bun:test";
import { Glob } from "bun";
import { join } from "node:path";
import { commands } from "../../src/cli/all.ts";
import { type CliCommand, readArgs } from "../../src/cli/command.ts";
import { ENVIRONMENT, KNOWN_WORDS, REFERENCE } from "../../src/cli/reference.ts";
import { runCli } from "../support/run-cli.ts";
import { tempDir } from "../support/temp-dir.ts";

const all = await Promise.all(Object.values(commands).map((load) => load()));
const optionsOf = ({ args }: CliCommand) =>
  Object.entries(args).flatMap(([name, { type }]) => (type === "positional" ? [] : [`--${name}`]));

/** The words of a line of sh after `iac-code`, until a pipe or redirection. */
function wordsOf(line: string): string[] {
  const [, rest = ""] = line.split(/\biac-code /);
  const words = rest.match(/"[^"]*"|[^\s|<>)]+|[|<>)]/g) ?? [];
  const end = words.findIndex((word) => /^[|<>)]$/.test(word));
  return (end < 0 ? words : words.slice(0, end)).map((word) => word.replaceAll('"', ""));
}

for (const command of all) {
  test(`iac-code ${command.name} --help names every option, the exit codes and examples, within the width`, async () => {
    const result = await runCli([command.name, "--help"], { env: { COLUMNS: "70" } });
    expect([result.code, result.err]).toEqual([0, ""]);
    expect(result.out).toStartWith(`iac-code ${command.name} – ${command.summary}\n\nUsage: `);
    for (const option of optionsOf(command))
      expect(result.out).toMatch(new RegExp(`^  ${option}\\b`, "m"));
    expect(result.out).toContain("\nExit codes:\n  0 ");
    expect(result.out).toContain("\nExamples:\n");
    expect(result.out).not.toContain("\u001b");
    const [text = ""] = result.out.split("\nExamples:\n");
    for (const line of text.split("\n").slice(1)) expect(line.length).toBeLessThanOrEqual(70);
  });
}

test("every example is a call that the command accepts", () => {
  for (const { name, args } of all.map((command) => ({ name: command.name, args: command }))) {
    const examples = REFERENCE[name]?.examples ?? [];
    expect(examples.length).toBeGreaterThan(0);
    for (const [line] of examples) {
      const [first, ...rest] = wordsOf(line);
      expect([line, first]).toEqual([line, name]);
      expect(() => readArgs(args, rest)).not.toThrow();
    }
  }
});

test("--help lists every command and every environment variable that the program reads", async () => {
  const { out } = await runCli(["--help"]);
  for (const { name, summary } of all) expect(out).toContain(`  ${name.padEnd(11)}  ${summary}`);
  const source = join(import.meta.dir, "../../src");
  const read = new Set<string>();
  for await (const file of new Glob("**/*.ts").scan(source)) {
    const text = await Bun.file(join(source, file)).text();
    for (const [name] of text.matchAll(/\bIACCODE_[A-Z][A-Z_]*[A-Z]\b/g)) read.add(name);
  }
  // A mark on our own children, nothing to set.
  read.delete("IACCODE_GROUP");
  expect(ENVIRONMENT.map(([name]) => name)).toEqual(expect.arrayContaining([...read]));
  for (const name of read) expect(out).toContain(`  ${name} `);
});

test("the words that completions know are the ones the commands name", () => {
  for (const [key, words] of Object.entries(KNOWN_WORDS)) {
    const [name, argument = ""] = key.split(" ");
    if (key.startsWith("--")) continue;
    const command = all.find((one) => one.name === name);
    expect([key, command?.args[argument]?.description]).toEqual([key, words.join(", ")]);
  }
});

for (const shell of ["bash", "zsh", "fish"]) {
  test(`completions ${shell} holds every command and option`, async () => {
    const { out, code } = await runCli(["completions", shell]);
    expect(code).toBe(0);
    for (const command of all) {
      expect(out).toContain(command.name);
      for (const option of optionsOf(command))
        expect(out).toContain(shell === "fish" ? ` -l ${option.slice(2)} ` : option);
    }
  });
}

test("completions names the shells when the one asked for is not known", async () => {
  const result = await runCli(["completions", "tcsh"]);
  expect([result.code, result.out]).toEqual([2, ""]);
  expect(result.err).toContain("bash, zsh, fish");
});

const bash = Bun.which("bash");
test.skipIf(bash === null)(
  "bash completes commands, options, words, folders and nothing after a free text, where bash is installed",
  async () => {
    await using folder = await tempDir({ "modules/main.tf": "", "plan.json": "" });
    const { out: script } = await runCli(["completions", "bash"]);
    const complete = (...line: readonly string[]): string[] => {
      const words = ["iac-code", ...line].map((word) => `'${word}'`).join(" ");
      const ask = `${script}\nCOMP_WORDS=(${words}); COMP_CWORD=${line.length}; _iac_code; printf '%s\\n' "\${COMPREPLY[@]}"`;
      const { stdout } = Bun.spawnSync([bash ?? "", "-c", ask], { cwd: folder.path });
      return stdout
        .toString()
        .split("\n")
        .filter((word) => word !== "");
    };
    expect(complete("re")).toEqual(["review"]);
    expect(complete("run", "--c")).toEqual(["--cwd", "--connect"]);
    expect(complete("run", "--mode", "a")).toEqual(["accept_edits", "auto"]);
    expect(complete("run", "--cwd", "")).toEqual(["modules"]);
    expect(complete("review", "--plan", "pl")).toEqual(["plan.json"]);
    expect(complete("run", "--session", "--")).toEqual([]);
    expect(complete("sessions", "e")).toEqual(["export"]);
  },
);

for (const [shell, flag] of [
  ["zsh", "-n"],
  ["fish", "--no-execute"],
] as const) {
  const program = Bun.which(shell);
  test.skipIf(program === null)(
    `the ${shell} script is valid, where ${shell} is installed`,
    async () => {
      const { out } = await runCli(["completions", shell]);
      await using folder = await tempDir({ script: out });
      const { exitCode, stderr } = Bun.spawnSync([program ?? "", flag, folder.file("script")]);
      expect([exitCode, stderr.toString()]).toEqual([0, ""]);
    },
  );
}

test("a command or option that was mistyped is named, with the one that was probably meant", async () => {
  expect((await runCli(["sesions"])).err).toBe(
    'iac-code: Unknown command "sesions". Did you mean sessions? See iac-code --help.\n',
  );
  expect((await runCli(["run", "x", "--mdoel", "y"])).err).toBe(
    "iac-code run: Unknown option --mdoel. Did you mean --model? See iac-code run --help.\n",
  );
  expect((await runCli(["run", "x", "--bogus"])).err).toBe(
    "iac-code run: Unknown option --bogus. See iac-code run --help.\n",
  );
});
