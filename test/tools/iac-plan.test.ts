// iac_plan: the real program where it is installed, a script in its place for everything else.

import { expect, setDefaultTimeout, test } from "bun:test";
import { chmod, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { iacPlan } from "../../src/tools/iac-plan.ts";
import { PlanStream } from "../../src/tools/plan-stream.ts";
import { disposeToolSession } from "../../src/tools/tool-session.ts";
import { tempDir } from "../support/temp-dir.ts";
import { toolContext } from "../support/tool-context.ts";
import { fakeTerraform, noTerraform, planJson } from "./iac-plan-fake.ts";

// Programs are started; on a loaded machine that takes its time.
setDefaultTimeout(30_000);

const hasTerraform = Bun.which("terraform") !== null;
const SECRET = "kq4-vaultline-8832-zw";
const MAIN = 'resource "terraform_data" "a" {\n  input = "x"\n}\n';

test.skipIf(!hasTerraform)(
  "iac_plan plans with the real terraform into a private file and answers with a card (needs terraform)",
  async () => {
    await using dir = await tempDir({ "main.tf": MAIN, ".terraform-version": "1.11.4\n" });
    await using tools = await toolContext(dir.path);
    const result = await tools.run(iacPlan, {});
    expect(result.text).toStartWith("## Plan: safe, 1 to create\n\nterraform 1.");
    expect(result.text).toContain("workspace `default` · backend `local`");
    const [plan] = tools.session.plans.values();
    expect(result.text).toContain(`plan_id: ${plan?.planId ?? ""} (made with terraform;`);
    expect(result.rawOutput).toMatchObject({ verdict: "safe", plan_id: plan?.planId });
    expect((await stat(plan?.planFile ?? "")).mode & 0o777).toBe(0o600);
    expect(plan?.state).toBe("empty");
    expect((await readdir(dir.path)).toSorted()).toEqual([".terraform-version", "main.tf"]);
  },
);

test.skipIf(!hasTerraform)(
  "iac_plan names what is missing: variables, init, with file and line (needs terraform)",
  async () => {
    await using dir = await tempDir({
      "vars/main.tf": 'variable "name" {}\nvariable "zone" {}\n',
      "init/main.tf": 'terraform {\n  backend "local" {\n    path = "x"\n  }\n}\n',
      "vars/good.tfvars": 'name = "a"\nzone = "b"\n',
    });
    await using tools = await toolContext(dir.path);
    const variables = await tools.run(iacPlan, { dir: "vars" });
    expect(variables.ok).toBe(false);
    expect(variables.text).toContain("These variables have no value: name, zone. Give them in");
    expect(variables.text).toContain(
      "vars/main.tf:1:1 error terraform:plan No value for required variable",
    );
    expect(variables.locations?.[1]).toEqual({ path: dir.file("vars/main.tf"), line: 2 });
    const init = await tools.run(iacPlan, { dir: "init" });
    expect(init.text).toContain(
      "init must be initialised first: run `terraform -chdir=init init` (iac_plan never does that by itself).",
    );
    const good = await tools.run(iacPlan, { dir: "vars", var_files: ["vars/good.tfvars"] });
    expect(good.text).toContain("nothing to do");
    expect(tools.session.plans.size).toBe(1);
  },
);

test("the call asks once per directory, and says what it plans", async () => {
  await using dir = await tempDir({ "net/main.tf": "" });
  await using tools = await toolContext(dir.path);
  const call = await tools.prepare(iacPlan, { dir: "net", destroy: true, workspace: "blue" });
  expect(call.title).toBe("Plan to destroy net (workspace blue)");
  expect(call.access).toEqual({
    type: "action",
    class: "plan",
    subject: "Plan to destroy net",
    directory: { path: dir.file("net"), realPath: dir.file("net") },
    scope: "iac_plan",
  });
});

test("the question shows the command that will run", async () => {
  await using dir = await tempDir({ "net/main.tf": "", "a b.tfvars": "" });
  await using _ = await fakeTerraform();
  await using tools = await toolContext(dir.path);
  const call = await tools.prepare(iacPlan, {
    dir: "net",
    target: ['aws_vpc.a["x"]'],
    var_files: ["a b.tfvars"],
    workspace: "blue",
  });
  expect(await call.preview(tools.context)).toEqual({
    ok: true,
    content: [
      {
        type: "text",
        text: `\`\`\`sh
cd ${dir.file("net")}
TF_WORKSPACE=blue ${Bun.which("tofu") === null ? "terraform" : "tofu"} plan -input=false -json -lock-timeout=20s -detailed-exitcode '-target=aws_vpc.a["x"]' '-var-file=${dir.file("a b.tfvars")}'
\`\`\``,
      },
    ],
  });
});

test("arguments that cannot work are refused before anything runs", async () => {
  await using dir = await tempDir({ "in/main.tf": "", "secret.tfvars": "" });
  await using tools = await toolContext(dir.file("in"));
  const refusal = async (args: unknown) => {
    const prepared = await iacPlan.prepare(args, tools.context);
    return prepared.ok ? "" : prepared.text.split(". ")[0];
  };
  expect([
    await refusal({ destroy: true, refresh_only: true }),
    await refusal({ var_files: ["../secret.tfvars"] }),
    await refusal({ dir: "" }),
    await refusal({ workspace: "-x y" }),
  ]).toEqual([
    "destroy and refresh_only exclude each other: give one of them.",
    "var_files: ../secret.tfvars lies outside of the project",
    "dir: it is empty",
    "Invalid arguments for iac_plan: workspace: is no name of a workspace",
  ]);
});

test("the arguments reach the program as words of their own, the workspace only its environment", async () => {
  await using dir = await tempDir({
    "main.tf": MAIN,
    "a.tfvars": "",
    ".fake/plan.json": planJson([]),
  });
  await using _ = await fakeTerraform();
  await using tools = await toolContext(dir.path);
  await tools.run(iacPlan, {
    target: ['aws_vpc.a["x y"]', "-chdir=/"],
    var_files: ["a.tfvars"],
    workspace: "blue",
    destroy: true,
  });
  const calls = (await readFile(dir.file(".fake/calls"), "utf8")).split("\n");
  const [plan] = tools.session.plans.values();
  expect(calls.find((call) => call.startsWith("plan"))).toBe(
    `plan -input=false -json -lock-timeout=20s -detailed-exitcode -out=${plan?.planFile ?? ""} -destroy -target=aws_vpc.a["x y"] -target=-chdir=/ -var-file=${dir.file("a.tfvars")}`,
  );
  expect(calls.some((call) => call.includes("init") || call.includes("select"))).toBe(false);
  expect(plan?.workspace).toBe("blue");
});

test("312 resources to create against an empty state are an alarm", async () => {
  const creates = Array.from({ length: 312 }, (_, at) => [`aws_eip.a${at}`, "create"] as const);
  await using dir = await tempDir({ "main.tf": MAIN, ".fake/plan.json": planJson(creates) });
  await using _ = await fakeTerraform();
  await using tools = await toolContext(dir.path);
  const { text } = await tools.run(iacPlan, {});
  expect(text).toStartWith("## Plan: danger, 312 to create");
  expect(text).toContain("The state is empty and 312 resources would be created.");
});

test("a state that went back since the last plan of the session is an alarm", async () => {
  const state = (serial: number) => JSON.stringify({ lineage: "l", serial, resources: [] });
  await using dir = await tempDir({
    "main.tf": MAIN,
    ".fake/plan.json": planJson([]),
    ".fake/state.json": state(7),
  });
  await using _ = await fakeTerraform();
  await using tools = await toolContext(dir.path);
  expect((await tools.run(iacPlan, {})).text).toContain("## Plan: safe");
  await writeFile(dir.file(".fake/state.json"), state(3));
  expect((await tools.run(iacPlan, {})).text).toContain(
    "The state went back in time: its serial is 3, and it was 7 at the last plan",
  );
});

test("a locked state is named as one, with what not to do", async () => {
  const locked = {
    type: "diagnostic",
    diagnostic: { severity: "error", summary: "Error acquiring the state lock", detail: "ID: 42" },
  };
  await using dir = await tempDir({
    "main.tf": MAIN,
    ".fake/plan.out": `${JSON.stringify(locked)}\n`,
    ".fake/plan.exit": "1",
  });
  await using _ = await fakeTerraform();
  await using tools = await toolContext(dir.path);
  const { text } = await tools.run(iacPlan, {});
  expect(text).toContain("The state is locked by another run: wait for it. Only when nothing runs");
  expect(text).toContain("Error acquiring the state lock: ID: 42");
});

test("iac.binary of the user's configuration is what plans, and nothing stands in for it", async () => {
  await using dir = await tempDir({ "main.tf": "" });
  const settings = { fetchAllowPrivate: [], iacBinary: "terraform-of-mine" };
  await using tools = await toolContext(dir.path, { settings });
  const call = await tools.prepare(iacPlan, {});
  const why =
    "iac.binary of config.json names terraform-of-mine, which is not installed. Nothing was planned.";
  expect(await call.preview(tools.context)).toEqual({ ok: false, text: why });
  expect(await call.execute(tools.context)).toEqual({ ok: false, text: why });
  const own = dir.file("mine");
  await Bun.write(own, "#!/bin/sh\necho 'no plan from mine' >&2\nexit 1\n");
  await chmod(own, 0o755);
  await using chosen = await toolContext(dir.path, { settings: { ...settings, iacBinary: own } });
  const result = await chosen.run(iacPlan, {});
  expect(result.text).toContain("no plan from mine");
});

test("plan files go with their session", async () => {
  await using dir = await tempDir({ "main.tf": MAIN, ".fake/plan.json": planJson([]) });
  await using _ = await fakeTerraform();
  await using tools = await toolContext(dir.path);
  await tools.run(iacPlan, {});
  const files = async () =>
    (await readdir(tools.session.outputDir)).filter((name) => name.endsWith(".tfplan"));
  expect((await files()).length).toBe(1);
  await disposeToolSession(tools.session);
  expect(await files()).toEqual([]);
});

test("a program that fails without a word of JSON is quoted", async () => {
  await using dir = await tempDir({
    "main.tf": MAIN,
    ".fake/plan.out": "panic: runtime error\n",
    ".fake/plan.exit": "11",
  });
  await using _ = await fakeTerraform();
  await using tools = await toolContext(dir.path);
  const { ok, text } = await tools.run(iacPlan, {});
  expect([ok, text.split("\n").slice(0, 2)]).toEqual([
    false,
    ["terraform plan failed in this directory.", "panic: runtime error"],
  ]);
  expect(await readdir(tools.session.outputDir)).toEqual([expect.stringMatching(/^command-/)]);
});

test("a Terragrunt unit and a directory that is not there are not planned", async () => {
  await using dir = await tempDir({ "unit/terragrunt.hcl": "", "unit/main.tf": MAIN });
  await using _ = await fakeTerraform();
  await using tools = await toolContext(dir.path);
  expect((await tools.run(iacPlan, { dir: "unit" })).text).toStartWith(
    "dir: unit is a Terragrunt unit. Plan it with bash (`terragrunt plan -out=plan.bin`",
  );
  expect((await tools.run(iacPlan, { dir: "none" })).text).toStartWith(
    "dir: none cannot be listed: ENOENT",
  );
});

test("where something else applies the project, the plan says to push a branch", async () => {
  await using dir = await tempDir({
    "net/main.tf": MAIN,
    "net/.fake/plan.json": planJson([]),
    "atlantis.yaml": "version: 3\n",
  });
  await using _ = await fakeTerraform();
  await using tools = await toolContext(dir.path);
  expect((await tools.run(iacPlan, { dir: "net" })).text).toContain(
    "This project is applied by Atlantis (atlantis.yaml): push a branch",
  );
});

test("plan_file reads a stored plan, masks what it marks as secret, and gives no plan_id", async () => {
  const fixture = join(import.meta.dir, "..", "fixtures", "plans", "aws.json");
  const text = await readFile(fixture, "utf8");
  const json: unknown = JSON.parse(text.replaceAll("placeholder-db-pass-1", SECRET));
  const checks = [
    {
      address: { to_display: "check.leak" },
      status: "fail",
      instances: [{ status: "fail", problems: [{ message: `the password is ${SECRET}` }] }],
    },
  ];
  await using dir = await tempDir({ "plan.json": JSON.stringify({ ...Object(json), checks }) });
  await using tools = await toolContext(dir.path);
  const call = await tools.prepare(iacPlan, { plan_file: "plan.json" });
  expect(call.access).toMatchObject({ type: "read", paths: [{ path: dir.file("plan.json") }] });
  const result = await call.execute(tools.context);
  expect(result.text).toContain("the check failed: the password is «secret:");
  expect(result.text).not.toContain(SECRET);
  expect(result.text).not.toContain("plan_id");
});

test("plan_file is read as PowerShell writes it, and a binary plan file is named as such", async () => {
  const utf16 = Buffer.from(`\ufeff${planJson([["aws_eip.a", "create"]])}`, "utf16le");
  await using dir = await tempDir({ "p.json": utf16, "p.bin": "PK\u0003\u0004\0\0" });
  await using tools = await toolContext(dir.path);
  expect((await tools.run(iacPlan, { plan_file: "p.json" })).text).toStartWith(
    "## Plan: safe, 1 to create",
  );
  expect((await tools.run(iacPlan, { plan_file: "p.bin" })).text).toBe(
    "plan_file: p.bin: It is a plan file in the program's own form. Give the output of `terraform show -json` of it.",
  );
});

test("plan_file that is no plan, or not there, says so", async () => {
  await using dir = await tempDir({ "state.json": '{"format_version":"1.0","values":{}}' });
  await using tools = await toolContext(dir.path);
  expect((await tools.run(iacPlan, { plan_file: "state.json" })).text).toStartWith(
    "plan_file: state.json: It is not a plan that can be read: it is the JSON of a state",
  );
  expect((await tools.run(iacPlan, { plan_file: "none.json" })).text).toStartWith(
    "plan_file: none.json cannot be read",
  );
});

test("without terraform the code is compared with HEAD, and that is called no plan", async () => {
  await using dir = await tempDir({
    "net/main.tf": 'resource "aws_db_instance" "a" {}\nresource "aws_vpc" "v" {}\n',
  });
  await using tools = await toolContext(dir.path);
  await using _ = await noTerraform();
  const git = (...args: string[]) =>
    Bun.spawnSync(["git", "-c", "user.name=t", "-c", "user.email=t@example.com", ...args], {
      cwd: dir.path,
    });
  expect((await tools.run(iacPlan, { dir: "net" })).text).toContain(
    "A static diff is not possible either: there is no commit HEAD here",
  );
  git("init", "-q");
  git("add", ".");
  git("commit", "-q", "-m", "x");
  await writeFile(dir.file("net/main.tf"), 'resource "aws_vpc" "v" {}\n');
  await writeFile(dir.file("net/new.tf"), 'resource "aws_eip" "e" {}\n');
  const { text } = await tools.run(iacPlan, { dir: "net" });
  expect(text).toStartWith(
    "Neither tofu nor terraform is installed, so nothing was planned.\n\n## Static diff (not a plan): danger, 1 to create, 1 to destroy",
  );
  expect(text).toContain("`net: aws_db_instance.a` database is deleted (its block is gone)");
});

test("a cancelled plan answers at once and its process is ended", async () => {
  await using dir = await tempDir({ "main.tf": MAIN, ".fake/plan.exit": "0" });
  await using _ = await fakeTerraform();
  await using tools = await toolContext(dir.path);
  // The script reads its exit code from a pipe that nobody writes to: a plan that hangs.
  Bun.spawnSync(["sh", "-c", "rm .fake/plan.exit; mkfifo .fake/plan.exit"], { cwd: dir.path });
  const running = tools.run(iacPlan, {});
  while (!(await readFile(dir.file(".fake/calls"), "utf8").catch(() => "")).includes("plan "))
    await Bun.sleep(10);
  const started = performance.now();
  tools.abort();
  expect((await running).text).toBe("Cancelled.");
  expect(performance.now() - started).toBeLessThan(1_000);
  await Promise.all(tools.session.ending);
  expect(tools.session.ending.size).toBe(0);
});

test("PlanStream gathers the same from any cut of its bytes, and keeps no values", () => {
  const text = [
    { type: "version", "@message": "x" },
    { type: "refresh_complete", hook: { resource: { addr: "a.b" } } },
    { type: "planned_change", change: {} },
    { type: "apply_start", hook: { resource: { addr: "a.é" }, action: "create" } },
    { type: "apply_start", hook: { resource: { addr: "a.c" }, action: "delete" } },
    { type: "apply_progress", hook: { resource: { addr: "a.c" }, elapsed_seconds: 10 } },
    { type: "provision_progress", hook: { resource: { addr: "a.c" }, output: "hidden" } },
    { type: "apply_complete", hook: { resource: { addr: "a.é" } } },
    { type: "outputs", outputs: { o: { value: "hidden" } } },
  ]
    .map((each) => JSON.stringify(each))
    .join("\n");
  const long = `{"type":"outputs","outputs":{"o":{"value":"${"hidden".repeat(20_000)}"}}}`;
  const bytes = new TextEncoder().encode(`${text}\n${long}\nnot json`);
  for (const size of [1, 7, 64, 10_000]) {
    const stream = new PlanStream();
    for (let at = 0; at < bytes.length; at += size) stream.push(bytes.subarray(at, at + size));
    stream.end();
    expect(stream.progressText()).toBe("1 resource read, 1 change planned");
    expect(stream.progressText(4)).toBe("1 of 4 done\n- `a.c`: delete (10 s)");
    expect([stream.applied, stream.unfinished, stream.otherLines]).toEqual([
      1,
      ["a.c"],
      ["not json"],
    ]);
  }
});
