// After an edit of infrastructure code, what it broke reaches the model with the edit's result: in the real program.

import { expect, test } from "bun:test";
import { join } from "node:path";
import { MAX_REPAIR_ROUNDS, newFindings } from "../../src/agent/after-edit.ts";
import type { Finding } from "../../src/iac/findings.ts";
import { answerPermissions, openAgent } from "../support/acp-client.ts";
import { fakeModel, type Scripted, text, toolCall } from "../support/fake-model.ts";
import { tempDir } from "../support/temp-dir.ts";

const MAIN = `variable "name" {
  type        = string
  description = "A name."
}

resource "terraform_data" "one" {
  input = var.name
}

resource "terraform_data" "old" {
  input = var.was_wrong_before
}
`;

const read = (path = "main.tf") => toolCall("read_file", { path });
const edit = (from: string, to: string, path = "main.tf") =>
  toolCall("edit_file", { path, old_string: from, new_string: to });

/** Runs one turn and returns what the model was told after each of its answers. */
async function toldAfter(
  files: Readonly<Record<string, string>>,
  script: readonly Scripted[],
): Promise<{ readonly told: readonly string[]; readonly shown: string }> {
  await using project = await tempDir({ ...files });
  await using model = await fakeModel([...script, text("Done.")]);
  await using client = await openAgent("stdio", { env: model.env() });
  answerPermissions(client, "allow_once");
  const sessionId = await client.newSession(project.path);
  await client.prompt(sessionId, "Change it");
  model.assertValid();
  client.assertConformant();
  return {
    told: model.requests.slice(1).map(({ messages }) => String(messages.at(-1)?.["content"])),
    shown: JSON.stringify(client.toolCalls(sessionId)),
  };
}

test("an edit that breaks a reference is answered with the new finding, and with no old one", async () => {
  const { told, shown } = await toldAfter({ "main.tf": MAIN }, [
    read(),
    edit("input = var.name\n", "input = var.nmae\n"),
    edit("input = var.nmae\n", "input = var.name\n"),
  ]);
  expect(told[1]).toContain("Edited main.tf");
  expect(told[1]).toContain("The edit brought");
  expect(told[1]).toContain("main.tf:7:11 error HCL-REF");
  expect(told[1]).toContain("nmae");
  expect(told[1]).not.toContain("was_wrong_before");
  expect(shown).toContain("The edit brought");
  expect(told[2]).toMatch(/^Edited main\.tf: [^\n]*$/);
}, 30_000);

test("an argument that does not exist is answered with the real one", async () => {
  const { told } = await toldAfter({ "main.tf": MAIN }, [
    read(),
    edit("input = var.name\n", "inptu = var.name\n"),
  ]);
  expect(told[1]).toContain(
    'main.tf:7:3 warning IAC-SCHEMA unknown argument "inptu" of terraform_data',
  );
  expect(told[1]).toContain("Did you mean input?");
}, 30_000);

test("a new file with a syntax error is answered with its place", async () => {
  const { told } = await toldAfter({ "main.tf": MAIN }, [
    toolCall("write_file", { path: "new.tf", content: 'resource "terraform_data" "x" {\n' }),
  ]);
  expect(told[0]).toContain("Made new.tf");
  expect(told[0]).toMatch(/new\.tf:\d+:\d+ error HCL-SYNTAX/);
}, 30_000);

test("Kubernetes manifests are watched too, other files are not", async () => {
  const { told } = await toldAfter({ "main.tf": MAIN }, [
    toolCall("write_file", {
      path: "pod.yaml",
      content: "apiVersion: v1\nkind: Pod\nmetadata:\n  name: UPPER\nspec:\n  containers: []\n",
    }),
    toolCall("write_file", { path: "notes.md", content: "resource {\n" }),
  ]);
  expect(told[0]).toContain("pod.yaml:4:");
  expect(told[1]).toMatch(/^Made notes\.md: [^\n]*$/);
}, 30_000);

test("after four repair rounds of a turn the model is told to stop, and later edits are not followed up", async () => {
  const rounds = Array.from({ length: MAX_REPAIR_ROUNDS + 1 }, (_, at) =>
    edit(at === 0 ? "var.name\n" : `var.wrong${at}\n`, `var.wrong${at + 1}\n`),
  );
  const { told } = await toldAfter({ "main.tf": MAIN }, [read(), ...rounds]);
  const followedUp = told.map((words) => words.includes("The edit brought"));
  expect(followedUp).toEqual([false, true, true, true, true, false]);
  expect(told.map((words) => words.includes("the last"))).toEqual([
    false,
    false,
    false,
    false,
    true,
    false,
  ]);
}, 30_000);

test("a project too large for it is not checked, and that is said", async () => {
  const big = "# A comment that only takes room.\n".repeat(4_000);
  const files = Object.fromEntries(
    Array.from({ length: 12 }, (_, at) => [join(`m${at}`, "main.tf"), big]),
  );
  const { told } = await toldAfter({ ...files, "main.tf": MAIN }, [
    read(),
    edit("var.name\n", "var.nmae\n"),
  ]);
  expect(told[1]).toContain("too large to be checked after each edit");
  expect(told[1]).not.toContain("The edit brought");
}, 30_000);

test("newFindings ignores lines that moved and counts repeated findings", () => {
  const at = (line: number, message = "a"): Finding => ({
    file: "main.tf",
    line,
    column: 1,
    severity: "error",
    code: "HCL-REF",
    message,
  });
  expect(newFindings([at(1)], [at(9)])).toEqual([]);
  expect(newFindings([at(1)], [at(1), at(5)])).toEqual([at(5)]);
  expect(newFindings([at(1, "see main.tf:3")], [at(2, "see main.tf:4")])).toEqual([]);
  expect(newFindings([], [at(1)])).toEqual([at(1)]);
});
