// What must hold for every command, not just for those of the corpus.

import { expect, test } from "bun:test";
import fc from "fast-check";
import { rankOf } from "../../src/shell/analysis.ts";
import { analyzeCommand } from "../../src/shell/analyze.ts";
import { CORPUS_OPTIONS, readCorpus } from "./corpus.ts";

const rows = await readCorpus();
const rank = async (command: string) =>
  rankOf((await analyzeCommand(command, CORPUS_OPTIONS)).class);
const quoted = (command: string) => `'${command.replaceAll("'", "'\\''")}'`;

/** Ways to run a whole line inside another. */
const LINE_WRAPPERS: readonly ((command: string) => string)[] = [
  (command) => `bash -c ${quoted(command)}`,
  (command) => `sudo sh -ec ${quoted(command)}`,
  (command) => `eval ${quoted(command)}`,
  (command) => `(\n${command}\n)`,
  (command) => `{\n${command}\n}`,
  (command) => `if true; then\n${command}\nfi`,
  (command) => `for i in 1 2; do\n${command}\ndone`,
  (command) => `f() {\n${command}\n}; f`,
  (command) => `echo "$(\n${command}\n)"`,
  (command) => `timeout 5 bash -c ${quoted(command)} | cat`,
  (command) => `bash <<'END_OF_TEXT'\n${command}\nEND_OF_TEXT`,
  (command) => `trap ${quoted(command)} EXIT`,
  (command) => `nix-shell --run ${quoted(command)}`,
  (command) => `ls && env A=1 bash -c ${quoted(command)} 2>&1`,
];

/** Programs that stand before a simple command. */
const WORD_WRAPPERS = [
  "sudo",
  "env A=1",
  "timeout 5",
  "nice",
  "nohup",
  "command",
  "time",
  "exec",
  "A=1",
  "stdbuf -oL",
  "aws-vault exec dev --",
  "find . -exec",
  "xargs",
  "doppler run --",
  "npx",
];

test("wrapping a line in any wrapper never lowers its class", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...rows),
      fc.array(fc.constantFrom(...LINE_WRAPPERS), { minLength: 1, maxLength: 3 }),
      async (row, wrappers) => {
        const wrapped = wrappers.reduce((command, wrap) => wrap(command), row.command);
        expect(await rank(wrapped)).toBeGreaterThanOrEqual(rankOf(row.class));
      },
    ),
    { numRuns: 400 },
  );
});

test("every simple command keeps its class behind every program that runs programs", async () => {
  const simple = rows.filter(
    (row) =>
      /^[a-z][\w ./=-]*$/.test(row.command) &&
      !/^(if|for|while|until|case|cd|x=)/.test(row.command),
  );
  expect(simple.length).toBeGreaterThan(150);
  const lowered: string[] = [];
  for (const row of simple) {
    for (const wrapper of WORD_WRAPPERS) {
      const line = `${wrapper} ${row.command}${wrapper.startsWith("find") ? " \\;" : ""}`;
      if ((await rank(line)) < rankOf(row.class)) lowered.push(line);
    }
  }
  expect(lowered).toEqual([]);
});

test("a chain of lines is at least as harmful as the worst of them", async () => {
  const joiners = ["\n", " ; ", " && ", " || ", " | ", " & "];
  const plain = rows.filter((row) => !/<<|#|'unclosed|^if$|&$/.test(row.command));
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom(...plain), { minLength: 2, maxLength: 4 }),
      fc.constantFrom(...joiners),
      async (parts, joiner) => {
        const line = parts.map((part) => part.command).join(joiner);
        expect(await rank(line)).toBeGreaterThanOrEqual(
          Math.max(...parts.map((part) => rankOf(part.class))),
        );
      },
    ),
    { numRuns: 400 },
  );
});

test("no text makes the analysis throw", async () => {
  const pieces = [
    "terraform",
    "destroy",
    " ",
    "'",
    '"',
    "$(",
    ")",
    "`",
    "{",
    "}",
    "<<E",
    "\nE\n",
    ";",
    "&&",
    "|",
    "$x",
    "${x:-",
    "\\",
    "$'",
    "((",
    "))",
    "[[",
    "]]",
    "if",
    "fi",
    "case",
    "esac",
    "in",
    "do",
    "done",
    "for",
    ">",
    "<(",
    "#",
    "!",
    "a=",
    "é",
    "\u0000",
    "function f",
    "*",
    "~",
  ];
  const garbage = fc.oneof(
    fc.string({ unit: "grapheme", maxLength: 80 }),
    fc.array(fc.constantFrom(...pieces), { maxLength: 25 }).map((parts) => parts.join("")),
  );
  await fc.assert(
    fc.asyncProperty(garbage, async (command) => {
      const analysis = await analyzeCommand(command, CORPUS_OPTIONS);
      expect(rankOf(analysis.class)).toBe(
        Math.max(0, ...analysis.commands.map((inner) => rankOf(inner.class))),
      );
    }),
    { numRuns: 1_500 },
  );
});
