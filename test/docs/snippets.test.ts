// Every configuration in the pages is read by the parser of its language, and starts a command that exists.

import { expect, test } from "bun:test";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { commands } from "../../src/cli/all.ts";
import { readArgs } from "../../src/cli/command.ts";
import { bracketFault, snippetsOf } from "../support/snippets.ts";

const ROOT = join(import.meta.dir, "../..");
const EDITORS = readdirSync(join(ROOT, "docs/editors")).map((name) => `docs/editors/${name}`);
const PAGES = ["README.md", "CONTRIBUTING.md", "SECURITY.md", "docs/proxies.md", ...EDITORS];
const read = (page: string): string => readFileSync(join(ROOT, page), "utf8");

/** Throws when the text is not of the language. Languages that are not here are for people (`text`) or have a test of their own. */
const PARSERS: Readonly<Record<string, (text: string) => unknown>> = {
  json: (text) => JSON.parse(text),
  jsonc: (text) => Bun.JSONC.parse(text),
  yaml: (text) => Bun.YAML.parse(text),
  toml: (text) => Bun.TOML.parse(text),
  lua: (text) => expect(bracketFault(text, "--")).toBeUndefined(),
  elisp: (text) => expect(bracketFault(text, ";")).toBeUndefined(),
  nginx: (text) => expect(bracketFault(text, "#")).toBeUndefined(),
  caddyfile: (text) => expect(bracketFault(text, "#")).toBeUndefined(),
  sh: (text) => {
    const { exitCode, stderr } = Bun.spawnSync(["sh", "-n", "-c", text]);
    expect([exitCode, stderr.toString()]).toEqual([0, ""]);
  },
};

for (const page of PAGES) {
  test(`every snippet of ${page} is of the language that it says`, () => {
    for (const { language, text, line } of snippetsOf(read(page))) {
      const parse = PARSERS[language];
      if (language === "text") continue;
      if (parse === undefined) throw new Error(`${page}:${line}: no parser for ${language}`);
      try {
        parse(text);
      } catch (error) {
        throw new Error(`${page}:${line}: ${String(error)}`, { cause: error });
      }
    }
  });
}

test("bracketFault finds what is open, crossed or closed too often", () => {
  expect(bracketFault('f({ "a)" }) -- )', "--")).toBeUndefined();
  for (const broken of ["f(", "f(]", "f)", '"open'])
    expect(bracketFault(broken, "--")).toBeString();
});

const launch = z.object({ command: z.string(), args: z.array(z.string()) });

/** Every `{command, args}` anywhere in a value. */
function launchesIn(value: unknown): z.output<typeof launch>[] {
  if (typeof value !== "object" || value === null) return [];
  const own = launch.safeParse(value);
  return [...(own.success ? [own.data] : []), ...Object.values(value).flatMap(launchesIn)];
}

test("what the editors' settings start is a call of iac-code that it accepts", async () => {
  const acp = await commands["acp"]?.();
  if (acp === undefined) throw new Error("acp is no command");
  const launches = EDITORS.flatMap((page) =>
    snippetsOf(read(page)).flatMap(({ language, text }) =>
      language.startsWith("json") ? launchesIn(Bun.JSONC.parse(text)) : [],
    ),
  );
  expect(launches.length).toBeGreaterThan(5);
  for (const { command, args } of launches) {
    const words = [command, ...args].map((word) => word.split("/").at(-1) ?? "");
    const rest = words[0] === "npx" ? words.slice(2) : words;
    expect(rest.slice(0, 2)).toEqual(["iac-code", "acp"]);
    expect(() => readArgs(acp, rest.slice(2))).not.toThrow();
  }
});

test("commands in shell snippets exist, with the options they are given", async () => {
  let seen = 0;
  for (const page of PAGES) {
    for (const { language, text } of snippetsOf(read(page))) {
      if (language !== "sh") continue;
      for (const [, name = "", rest = ""] of text.matchAll(/(?:^|\s)iac-code ([a-z]+)(.*)$/gm)) {
        if (text.includes(`acpx iac-code ${name}`) || rest.startsWith('"')) continue;
        seen += 1;
        const command = await commands[name]?.();
        expect([page, name, command?.name]).toEqual([page, name, name]);
        for (const [option] of rest.matchAll(/--[a-z-]+/g))
          expect([page, name, option, option.slice(2) in (command?.args ?? {})]).toEqual([
            page,
            name,
            option,
            true,
          ]);
      }
    }
  }
  expect(seen).toBeGreaterThan(1);
});

test("links between the pages lead somewhere", () => {
  const missing = PAGES.flatMap((page) =>
    [...read(page).matchAll(/\]\((?!https?:|#)([^)#]+)(?:#[^)]*)?\)/g)].flatMap(
      ([, target = ""]) => {
        const found = existsSync(join(ROOT, page, "..", target));
        return found ? [] : [`${page}: ${target}`];
      },
    ),
  );
  expect(missing).toEqual([]);
});
