// docs/permissions.md says what is true: every rule, command and mode in its tables is tried.

import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { configSchema } from "../../src/config/schema.ts";
import type { Access } from "../../src/conversation/access.ts";
import { MODE_IDS } from "../../src/permissions/modes.ts";
import { type Decision, decide } from "../../src/permissions/policy.ts";
import { resolveRequest } from "../../src/permissions/request.ts";
import { parseRule, parseRules } from "../../src/permissions/rules.ts";
import { analyzeCommand } from "../../src/shell/analyze.ts";
import { context, fileCall, pathAt, ROOT } from "./calls.ts";

const TEXT = readFileSync(join(import.meta.dir, "../../docs/permissions.md"), "utf8");
const FILE_TOOLS = ["read_file", "write_file", "edit_file", "grep", "glob", "list_files"];

/** The rows of the table with this head, cell by cell. */
function rowsOf(head: string): string[][] {
  const lines = TEXT.split("\n");
  const at = lines.indexOf(head);
  if (at < 0) throw new Error(`docs/permissions.md has no table ${head}`);
  const rows: string[][] = [];
  for (let line = at + 2; lines[line]?.startsWith("|") === true; line += 1)
    rows.push(
      (lines[line] ?? "")
        .split(/(?<!\\)\|/)
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
  return rows;
}
const codesIn = (cell = ""): string[] =>
  [...cell.matchAll(/`([^`]+)`/g)].map((match) => match[1] ?? "");

/** `read_file main.tf`, `web_fetch host`, `mcp__a__b`, `agent`, or a command line. */
async function decideCall(
  call: string,
  rules: Parameters<typeof context>[1],
  mode: (typeof MODE_IDS)[number] = "default",
): Promise<Decision> {
  const at = context({ mode }, rules);
  const [tool = "", rest = ""] = call.split(/ (.*)/s);
  if (FILE_TOOLS.includes(tool)) return decide(fileCall(tool, join(ROOT, rest)), at);
  const access = await accessOf(tool, rest, call);
  return decide(await resolveRequest(access.type === "command" ? "bash" : tool, access), at);
}

async function accessOf(tool: string, rest: string, call: string): Promise<Access> {
  if (tool === "web_fetch") return { type: "fetch", url: `https://${rest}/`, host: rest };
  if (tool === "agent") return { type: "agent", prompt: "x" };
  const [, server, name] = /^mcp__(\w+?)__(\w+)$/.exec(tool) ?? [];
  if (server !== undefined && name !== undefined)
    return { type: "mcp", server, tool: name, readOnlyHint: false };
  const analysis = await analyzeCommand(call, {
    cwd: ROOT,
    env: {},
    readRecipe: async () => undefined,
  });
  return { type: "command", command: call, cwd: pathAt(ROOT), analysis };
}

test("the modes of docs/permissions.md are those there are", () => {
  expect(rowsOf("| mode | what it means |").map(([mode]) => codesIn(mode)[0])).toEqual([
    ...MODE_IDS,
  ]);
});

test("every command of docs/permissions.md has the class and the outcome in each mode that it names", async () => {
  for (const [command, klass, ...outcomes] of rowsOf(
    "| command | class | default | accept_edits | plan | auto |",
  )) {
    const line = codesIn(command)[0] ?? "";
    const access = await accessOf("", "", line);
    const got = await Promise.all(
      MODE_IDS.map(async (mode) => (await decideCall(line, {}, mode)).decision as string),
    );
    expect([line, access.type === "command" && access.analysis.class, ...got]).toEqual([
      line,
      klass,
      ...outcomes,
    ] as never);
  }
});

test("every rule that denies in docs/permissions.md bites what it names and nothing else", async () => {
  const rows = rowsOf("| rule | bites | does not bite |");
  expect(rows.length).toBeGreaterThan(8);
  for (const [rule, bites, spares] of rows) {
    const [text = ""] = codesIn(rule);
    for (const call of codesIn(bites)) {
      expect([text, call, (await decideCall(call, { deny: [text] }, "auto")).decision]).toEqual([
        text,
        call,
        "deny",
      ]);
      expect([text, call, (await decideCall(call, { ask: [text] }, "auto")).decision]).toEqual([
        text,
        call,
        "ask",
      ]);
    }
    for (const call of codesIn(spares))
      expect([text, call, (await decideCall(call, { deny: [text] }, "auto")).decision]).not.toEqual(
        [text, call, "deny"],
      );
  }
});

test("every rule that allows in docs/permissions.md allows what it names and nothing else", async () => {
  const rows = rowsOf("| rule | allows | still asks |");
  expect(rows.length).toBeGreaterThan(5);
  for (const [rule, allows, asks] of rows) {
    const [text = ""] = codesIn(rule);
    for (const call of codesIn(allows)) {
      expect([call, (await decideCall(call, {})).decision]).toEqual([call, "ask"]);
      expect([text, call, (await decideCall(call, { allow: [text] })).decision]).toEqual([
        text,
        call,
        "allow",
      ]);
    }
    for (const call of codesIn(asks))
      expect([text, call, (await decideCall(call, { allow: [text] })).decision]).toEqual([
        text,
        call,
        "ask",
      ]);
  }
});

test("the example configurations of docs/permissions.md are valid, and their rules do what they are for", async () => {
  const examples = [...TEXT.matchAll(/```json\n([\s\S]*?)```/g)].map(([, json = ""]) =>
    configSchema.parse(JSON.parse(json)),
  );
  expect(examples).toHaveLength(2);
  for (const { permissions } of examples) {
    const { deny = [], ask = [], allow = [] } = permissions ?? {};
    expect(parseRules({ deny, ask, allow }).errors).toEqual([]);
  }
  const ask = examples[1]?.permissions?.ask ?? [];
  for (const call of [
    "terraform validate",
    "cdk ls",
    "ansible-playbook --syntax-check site.yml",
    "tflint",
    "checkov -d .",
  ]) {
    expect([call, (await decideCall(call, {}, "auto")).decision]).toEqual([call, "allow"]);
    expect([call, (await decideCall(call, { ask }, "auto")).decision]).toEqual([call, "ask"]);
  }
});

test("every rule-like text of docs/permissions.md can be parsed", () => {
  const forms = rowsOf("| form | what it is about |").flatMap(([form]) => codesIn(form));
  expect(forms.length).toBeGreaterThan(7);
  for (const form of forms) {
    const parsed = parseRule(form);
    expect([form, parsed.ok ? "" : parsed.error]).toEqual([form, ""]);
  }
});
