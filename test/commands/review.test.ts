// /review in the real program: a verdict and the findings, without a model.

import { expect, test } from "bun:test";
import { reportText, verdictOf } from "../../src/tools/iac-validate.ts";
import { answerPermissions, openAgent } from "../support/acp-client.ts";
import { fakeModel } from "../support/fake-model.ts";
import { tempDir } from "../support/temp-dir.ts";

async function review(files: Readonly<Record<string, string>>, command: string): Promise<string> {
  await using project = await tempDir({ ...files });
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
