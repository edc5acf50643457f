// `iac-code review`: the verdict as text, SARIF, JSON and exit code, from plans, changes and projects.

import { expect, setDefaultTimeout, test } from "bun:test";
import { cpSync } from "node:fs";
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { QUOTED_PROGRAM } from "../support/program.ts";
import { runCli } from "../support/run-cli.ts";
import { tempDir } from "../support/temp-dir.ts";

// Programs are started; on a loaded machine that takes its time.
setDefaultTimeout(30_000);

const ROOT = join(import.meta.dir, "..", "..");
const PLANS = join(ROOT, "test", "fixtures", "plans");
const hasTerraform = Bun.which("terraform") !== null;

const review = (cwd: string, ...args: string[]) => runCli(["review", ...args], { cwd });

const gitIn =
  (cwd: string) =>
  (...args: string[]) =>
    Bun.spawnSync(["git", "-c", "user.name=t", "-c", "user.email=t@example.com", ...args], { cwd });

test("a stored plan of any kind ends with the exit code of its verdict", async () => {
  await using dir = await tempDir({
    "safe.json": '{"format_version":"1.2","planned_values":{},"resource_changes":[]}',
  });
  const plans = [
    dir.file("safe.json"),
    ...["terraform-data.json", "aws.json", "ros-preview.json", "kubectl.diff"].map((name) =>
      join(PLANS, name),
    ),
  ];
  const runs = await Promise.all(plans.map((plan) => review(dir.path, "--plan", plan)));
  expect(runs.map(({ code, out }) => [code, out.split(",")[0]])).toEqual([
    [0, "## Plan: safe"],
    [2, "## Plan: review"],
    [3, "## Plan: danger"],
    [3, "## Plan: danger"],
    [3, "## Plan: danger"],
  ]);
});

test("SARIF and JSON point at the code where the address is declared, through modules", async () => {
  await using dir = await tempDir({
    "main.tf": 'module "logs" {\n  source = "./logs"\n}\n\nresource "aws_db_instance" "main" {}\n',
    "logs/main.tf": '\nresource "aws_s3_bucket" "logs" {}\n',
    "plan.json": await readFile(join(PLANS, "aws.json")),
  });
  const sarif = await review(dir.path, "--plan", "plan.json", "--format", "sarif");
  const at = (file: string, line: number) => ({
    locations: [
      {
        physicalLocation: {
          artifactLocation: { uri: file },
          region: { startLine: line },
        },
      },
    ],
  });
  const log = JSON.parse(sarif.out) as { version: string; runs: { results: unknown[] }[] };
  expect(log.version).toBe("2.1.0");
  const results = log.runs[0]?.results ?? [];
  expect(results[0]).toMatchObject({ ruleId: "PLAN-LOSS", level: "error" });
  expect(results[0]).toMatchObject(at("main.tf", 5));
  expect(results[1]).toMatchObject(at("logs/main.tf", 2));
  expect(results[2]).toMatchObject(at("plan.json", 1));
  const json = await review(dir.path, "--plan", "plan.json", "--format", "json");
  expect(JSON.parse(json.out)).toMatchObject({
    verdict: "danger",
    card: { source: "terraform", counts: { replace: 2, delete: 2 } },
  });
});

test("--diff compares the working tree with a commit, new files included", async () => {
  await using dir = await tempDir({ "main.tf": 'resource "aws_s3_bucket" "a" {}\n' });
  const git = gitIn(dir.path);
  git("init", "-q");
  git("add", ".");
  git("commit", "-q", "-m", "one");
  expect((await review(dir.path, "--diff")).code).toBe(0);
  await writeFile(dir.file("extra.tf"), 'resource "aws_eip" "e" {\n  x = var.nope\n}\n');
  const added = await review(dir.path, "--diff");
  expect([added.code, added.out]).toEqual([
    0,
    expect.stringContaining('- extra.tf:2:7 error HCL-REF undeclared variable "nope"'),
  ]);
  git("add", ".");
  git("commit", "-q", "-m", "two");
  await rm(dir.file("main.tf"));
  const removed = await review(dir.path, "--diff", "--base", "HEAD~1", "--format", "json");
  expect(removed.code).toBe(3);
  const { card, findings } = JSON.parse(removed.out) as { card: unknown; findings: unknown[] };
  expect(card).toMatchObject({ source: "static diff", counts: { create: 1, delete: 1 } });
  expect(findings[0]).toMatchObject({ code: "PLAN-LOSS", file: "main.tf", line: 1 });
});

test("--diff leaves out what the base did since the branch left it", async () => {
  await using dir = await tempDir({ "main.tf": 'resource "aws_s3_bucket" "a" {}\n' });
  const git = gitIn(dir.path);
  git("init", "-q", "-b", "main");
  git("add", ".");
  git("commit", "-q", "-m", "one");
  git("checkout", "-q", "-b", "feature");
  await writeFile(dir.file("mine.tf"), 'resource "aws_eip" "e" {}\n');
  git("add", ".");
  git("commit", "-q", "-m", "mine");
  git("checkout", "-q", "main");
  await writeFile(dir.file("theirs.tf"), 'resource "aws_s3_bucket" "b" {}\n');
  git("add", ".");
  git("commit", "-q", "-m", "theirs");
  git("checkout", "-q", "feature");
  const { code, out } = await review(dir.path, "--diff", "--base", "main");
  expect([code, out.split("\n")[0]]).toEqual([0, "## Static diff (not a plan): safe, 1 to create"]);
});

test("without a plan the project's own findings decide", async () => {
  await using dir = await tempDir({
    "safe/main.tf": 'output "a" {\n  value = 1\n}\n',
    "bad/main.tf": 'output "a" {\n  value = var.nope\n}\n',
  });
  const safe = await review(dir.path, "--cwd", "safe");
  const bad = await review(dir.path, "--cwd", "bad");
  expect([safe.code, bad.code]).toEqual([0, 3]);
  expect(bad.out).toStartWith("## Review: danger\n\n- 1 error");
  expect(bad.out).toContain("- main.tf:2:11 error HCL-REF");
});

test("what cannot be judged is exit code 1 and a sentence, never a verdict", async () => {
  await using dir = await tempDir({ "x.txt": "hello" });
  const runs = await Promise.all([
    review(dir.path, "--plan", "x.txt"),
    review(dir.path, "--plan", "none.json"),
    review(dir.path, "--plan", "x.txt", "--diff"),
    review(dir.path, "--base", "HEAD"),
    review(dir.path, "--diff"),
    review(dir.path, "--cwd", "nowhere"),
  ]);
  expect(runs.map(({ code, out }) => [code, out])).toEqual(runs.map(() => [1, ""]));
  expect(runs[0]?.err).toStartWith("iac-code: x.txt: It is no plan that can be read.");
  expect(runs[4]?.err).toContain("there is no commit HEAD here to compare with");
});

test.skipIf(!hasTerraform)(
  "a real plan of examples/plan is judged over a pipe (needs terraform)",
  async () => {
    await using dir = await tempDir();
    cpSync(join(ROOT, "examples", "plan"), dir.path, { recursive: true });
    const line = `terraform plan -input=false -out=p >/dev/null && terraform show -json p | ${QUOTED_PROGRAM} review --plan -`;
    const run = Bun.spawnSync(["sh", "-c", line], { cwd: dir.path });
    const out = run.stdout.toString();
    expect([run.exitCode, out.split("\n")[0]]).toEqual([0, "## Plan: safe, 4 to create"]);
    expect(out).toContain("- 4 × `terraform_data`");
  },
);
