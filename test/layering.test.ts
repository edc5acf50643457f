// The house rules that can be read off the source text: ranks, sizes, forbidden words, registration.

import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { Glob } from "bun";

const ROOT = join(import.meta.dir, "..");
const SOURCE = join(ROOT, "src");
const RANKS: Readonly<Record<string, number>> = {
  lib: 0,
  protocol: 1,
  conversation: 1,
  iac: 1,
  shell: 1,
  secrets: 1,
  config: 2,
  transports: 2,
  dispatch: 2,
  providers: 2,
  tools: 2,
  permissions: 2,
  stores: 2,
  mcp: 2,
  agent: 3,
  commands: 3,
  sessions: 4,
  methods: 5,
  cli: 6,
  "app.ts": 6,
  "app-core.ts": 6,
  "main.ts": 6,
};
const MAX_LINES = 300;
/** The registries: every sibling that defines a member must stand in the room's all.ts. */
const PLUG_IN_ROOMS: Readonly<Record<string, RegExp>> = {
  tools: /\bdefineTool\(/,
  methods: /\bdefineMethod\(/,
  commands: /\bdefineCommand\(/,
  "shell/tables": /: CliTable\b/,
  "iac/rules": /: Rule\b|: readonly Rule\[\]/,
};
const files = [...new Glob("**/*.ts").scanSync(SOURCE)].sort();
const textOf = (file: string) => readFileSync(join(SOURCE, file), "utf8");
const roomOf = (file: string) => file.split("/")[0] ?? "";
const codeOf = (text: string) =>
  text.replaceAll(/\/\*[\s\S]*?\*\//g, "").replaceAll(/^\s*\/\/.*$/gm, "");

/** Specifiers of static, dynamic, type-only and re-export imports. */
function importsOf(text: string): string[] {
  const found = [...text.matchAll(/(?:\bfrom|\bimport)\s*\(?\s*["']([^"']+)["']/g)];
  return found.flatMap((match) => (match[1] === undefined ? [] : [match[1]]));
}

test("every room of src has a rank", () => {
  expect([...new Set(files.map(roomOf))].filter((room) => !(room in RANKS))).toEqual([]);
});

test("a room imports only itself and rooms of lower rank", () => {
  const faults: string[] = [];
  for (const file of files) {
    for (const specifier of importsOf(textOf(file))) {
      if (!specifier.startsWith(".")) continue;
      const target = normalize(join(dirname(file), specifier));
      const from = roomOf(file);
      const to = roomOf(target);
      if (target.startsWith("..") || from === to) continue;
      const isRoot =
        from === "app.ts" || from === "app-core.ts" || from === "main.ts" || from === "cli";
      const isCliTarget = to === "app.ts" || to === "app-core.ts" || to === "cli";
      if (isRoot && isCliTarget) continue;
      if ((RANKS[to] ?? 99) >= (RANKS[from] ?? -1)) faults.push(`${file} imports ${target}`);
    }
  }
  expect(faults).toEqual([]);
});

test("no source file is longer than 300 lines", () => {
  expect(files.filter((file) => textOf(file).split("\n").length - 1 > MAX_LINES)).toEqual([]);
});

test("no source file uses console, process.exit, a default export, any or a suppressed type error", () => {
  const faults: string[] = [];
  for (const file of files) {
    const code = codeOf(textOf(file));
    for (const pattern of [
      /\bconsole\.\w+\(/,
      /\bprocess\.exit\(/,
      /\bexport default\b/,
      /@ts-(ignore|expect-error|nocheck)/,
      /\bas any\b|: any\b/,
    ]) {
      if (pattern.test(code)) faults.push(`${file}: ${pattern.source}`);
    }
  }
  expect(faults).toEqual([]);
});

test("every member of a plug-in room stands in its all.ts", () => {
  const missing: string[] = [];
  for (const [room, member] of Object.entries(PLUG_IN_ROOMS)) {
    const members = files.filter(
      (file) =>
        dirname(file) === room &&
        member.test(codeOf(textOf(file))) &&
        !/^(all|tool|method|command|table|rule)\.ts$/.test(file.slice(room.length + 1)),
    );
    if (members.length === 0) continue;
    const all = textOf(`${room}/all.ts`);
    for (const file of members)
      if (!all.includes(`"./${file.slice(room.length + 1)}"`)) missing.push(file);
  }
  expect(missing).toEqual([]);
});

test("every path named in AGENTS.md exists", () => {
  const text = readFileSync(join(ROOT, "AGENTS.md"), "utf8");
  const paths = [...text.matchAll(/`((?:src|test|examples|docs|\.ci)\/[\w./-]+)`/g)].flatMap(
    (match) => (match[1] === undefined ? [] : [match[1]]),
  );
  const missing = paths.filter((path) => {
    const glob = [
      ...new Glob(path.endsWith("/") ? `${path}**` : path).scanSync({ cwd: ROOT, dot: true }),
    ];
    return glob.length === 0;
  });
  expect(missing).toEqual([]);
});
