// /review in the real program: a verdict and the findings, without a model.

import { expect, test } from "bun:test";
import { writeFile } from "node:fs/promises";
import { reportText, verdictOf } from "../../src/tools/iac-validate.ts";
import { answerPermissions, openAgent } from "../support/acp-client.ts";
import { fakeModel } from "../support/fake-model.ts";
import { tempDir, type TempDir } from "../support/temp-dir.ts";

async function review(
  files: Readonly<Record<string, string>>,
  command: string,
  prepare: (project: TempDir) => Promise<void> = async () => {},
): Promise<string> {
  await using project = await tempDir({ ...files });
  await prepare(project);
  await using model = await fakeModel([]);
  await using client = await openAgent("stdio", { env: model.env() });
  answerPermissions(client, "allow_once");
  const sessionId = await client.newSession(project.path);
  await client.prompt(sessionId, command);
  expect(model.requests).toHaveLength(0);
  client.assertConformant();
  return client.text(sessionId);
}

test("/review judges the project by its findings", async () => {
  const text = await review({ "main.tf": 'output "o" {\n  value = var.nope\n}\n' }, "/review");
  expect(text).toContain("## Review: danger");
  expect(text).toContain('- main.tf:2:11 error HCL-REF undeclared variable "nope"');
}, 30_000);

test("/review of a file judges the plan that is stored in it", async () => {
  const plan = {
    format_version: "1.2",
    terraform_version: "1.11.4",
    resource_changes: [
      {
        address: "aws_db_instance.main",
        mode: "managed",
        type: "aws_db_instance",
        name: "main",
        change: { actions: ["delete"], before: { id: "db-1" }, after: null },
      },
    ],
  };
  const text = await review({ "plan.json": JSON.stringify(plan) }, "/review plan.json");
  expect(text).toContain("danger");
  expect(text).toContain("aws_db_instance.main");
}, 30_000);

test("/review --diff judges what the code changed since a commit, and says that it is no plan", async () => {
  const repository = async (project: TempDir) => {
    const git = (...args: readonly string[]) =>
      Bun.spawn(["git", "-c", "user.name=a", "-c", "user.email=a@example.com", ...args], {
        cwd: project.path,
        stdout: "ignore",
        stderr: "inherit",
      }).exited;
    expect(await git("init", "-q", "-b", "main")).toBe(0);
    expect(await git("add", ".")).toBe(0);
    expect(await git("commit", "-q", "-m", "one")).toBe(0);
    await writeFile(project.file("main.tf"), "");
  };
  const files = { "main.tf": 'resource "aws_db_instance" "main" {\n}\n' };
  for (const command of ["/review --diff", "/review --diff main"]) {
    const text = await review(files, command, repository);
    expect(text).toContain("danger");
    expect(text).toContain("aws_db_instance.main");
    expect(text).toContain("not a plan");
  }
  expect(await review(files, "/review --diff nowhere", repository)).toContain(
    "there is no commit nowhere here to compare with",
  );
  expect(await review(files, "/review --dif")).toContain("Usage: /review");
}, 30_000);

test("verdictOf reads what reportText says", () => {
  const report = (severities: readonly ("error" | "warning" | "info")[]) =>
    reportText({
      findings: severities.map((severity) => ({
        file: "a.tf",
        line: 1,
        column: 1,
        severity,
        code: "X",
        message: "m",
      })),
      checked: { modules: 1, terraformFiles: 1, templates: 0 },
      notChecked: [],
      ignored: 3,
    });
  expect([
    verdictOf(report([])),
    verdictOf(report(["info"])),
    verdictOf(report(["warning", "warning"])),
    verdictOf(report(["info", "error"])),
    verdictOf("Permission denied."),
  ]).toEqual(["safe", "safe", "review", "danger", undefined]);
});
