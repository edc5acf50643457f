// iac_apply: only the plan that was shown, refused when anything moved, never killed, checked afterwards.

import { expect, setDefaultTimeout, test } from "bun:test";
import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { decide } from "../../src/permissions/policy.ts";
import { resolveRequest } from "../../src/permissions/request.ts";
import { iacApply } from "../../src/tools/iac-apply.ts";
import { iacPlan } from "../../src/tools/iac-plan.ts";
import { disposeToolSession, takeNotices } from "../../src/tools/tool-session.ts";
import { tempDir, type TempDir } from "../support/temp-dir.ts";
import { toolContext, type TestToolContext } from "../support/tool-context.ts";
import { fakeTerraform, planJson, until } from "./iac-plan-fake.ts";

// Programs are started; on a loaded machine that takes its time.
setDefaultTimeout(30_000);

const hasTerraform = Bun.which("terraform") !== null;
const MAIN = 'resource "terraform_data" "a" {\n  input = "x"\n}\n';
const STATE = (serial: number) => JSON.stringify({ lineage: "l", serial, resources: [] });
const FAKE = {
  "main.tf": MAIN,
  ".fake/plan.json": planJson([["terraform_data.a", "create"]]),
  ".fake/state.json": STATE(1),
};

/** Plans and returns the id. */
async function planned(tools: TestToolContext, args: unknown = {}): Promise<string> {
  const { text } = await tools.run(iacPlan, args);
  const id = /plan_id: ([0-9a-f]{64})/.exec(text)?.[1];
  if (id === undefined) throw new Error(text);
  return id;
}

async function auditOf(tools: TestToolContext): Promise<Record<string, unknown>[]> {
  const text = await readFile(join(tools.session.outputDir, "audit.jsonl"), "utf8");
  return text
    .trim()
    .split("\n")
    .map((line): Record<string, unknown> => JSON.parse(line));
}

test.skipIf(!hasTerraform)(
  "a real plan is shown, applied, planned again, recorded, and cannot be applied twice (needs terraform)",
  async () => {
    await using dir = await tempDir({ "main.tf": MAIN });
    await using tools = await toolContext(dir.path);
    const id = await planned(tools);
    const call = await tools.prepare(iacApply, { plan_id: id });
    expect(call.title).toBe(`Apply plan ${id.slice(0, 12)} to this directory (1 to create)`);
    expect(await call.preview(tools.context)).toMatchObject({
      ok: true,
      content: [{ type: "text", text: expect.stringContaining("## Plan: safe, 1 to create") }],
    });
    const { planFile = "" } = tools.session.plans.get(id) ?? {};
    const result = await call.execute(tools.context);
    expect(result.text).toBe(
      "Applied: 1 of 1 changes done, none failed.\nPlanned again: no changes left.",
    );
    expect(await readFile(dir.file("terraform.tfstate"), "utf8")).toContain('"name": "a"');
    const [row] = await auditOf(tools);
    expect(row).toMatchObject({
      planId: id,
      directory: dir.path,
      workspace: "default",
      verdict: "safe",
      result: "applied",
      done: 1,
    });
    const audit = await stat(join(tools.session.outputDir, "audit.jsonl"));
    expect(audit.mode & 0o777).toBe(0o600);
    expect(await Bun.file(planFile).exists()).toBe(false);
    expect((await tools.run(iacApply, { plan_id: id })).text).toStartWith(
      "This plan was applied already. Nothing was applied.",
    );
  },
);

test.skipIf(!hasTerraform)(
  "a cancelled real apply answers at once, writes its state, and the next turn is told (needs terraform)",
  async () => {
    await using dir = await tempDir({
      "main.tf": `resource "terraform_data" "quick" {
  input = "x"
}
resource "terraform_data" "slow" {
  depends_on = [terraform_data.quick]
  provisioner "local-exec" {
    command = "touch begun; sleep 60"
  }
}
`,
    });
    await using tools = await toolContext(dir.path);
    const id = await planned(tools);
    const running = tools.run(iacApply, { plan_id: id });
    await until(() => Bun.file(dir.file("begun")).exists());
    const started = performance.now();
    tools.abort();
    const result = await running;
    expect(performance.now() - started).toBeLessThan(1_000);
    expect(result.text).toStartWith(
      "Cancelled. The apply was asked to stop (one SIGINT) and has up to 10 minutes",
    );
    expect(tools.session.stopping.size).toBe(1);
    await until(() => tools.session.notices.length === 2);
    const state = await readFile(dir.file("terraform.tfstate"), "utf8");
    expect(state).toContain('"name": "quick"');
    expect(await Bun.file(dir.file(".terraform.tfstate.lock.info")).exists()).toBe(false);
    const [how = "", what = ""] = takeNotices(tools.session);
    expect(how).toContain("was interrupted by the user's cancel and has ended (exit code 1)");
    expect(how).toContain("terraform force-unlock");
    expect(what).toBe("Of that plan 1 of 2 changes were done and 1 failed.");
    expect((await auditOf(tools)).map(({ result: outcome, done }) => [outcome, done])).toEqual([
      ["interrupted", expect.any(Number)],
      ["stopped", 1],
    ]);
  },
);

test.skipIf(!hasTerraform)(
  "a plan is refused when somebody else applied meanwhile (needs terraform)",
  async () => {
    await using dir = await tempDir({ "main.tf": MAIN });
    await using tools = await toolContext(dir.path);
    const first = await planned(tools);
    const second = await planned(tools);
    expect((await tools.run(iacApply, { plan_id: second })).ok).toBe(true);
    expect((await tools.run(iacApply, { plan_id: first })).text).toMatch(
      /^The state changed since the plan \(empty then, serial \d+ now\): somebody else applied\./,
    );
  },
);

test("nothing but a plan_id of this session is taken", async () => {
  await using dir = await tempDir(FAKE);
  await using _ = await fakeTerraform();
  await using tools = await toolContext(dir.path);
  const id = await planned(tools);
  const texts: string[] = [];
  for (const args of [{ plan_id: id, target: "x" }, { plan_id: "0".repeat(64) }, {}]) {
    const prepared = await iacApply.prepare(args, tools.context);
    texts.push(prepared.ok ? "ok" : (prepared.text.split(". ")[0] ?? ""));
  }
  expect(texts[0]).toContain("Unrecognized key");
  expect(texts[1]).toContain("plan_id: this session knows no plan");
  expect(texts[2]).toContain("Invalid arguments for iac_apply: plan_id");
  await using other = await toolContext(dir.path);
  expect((await iacApply.prepare({ plan_id: id }, other.context)).ok).toBe(false);
});

test("age, code, state and workspace that moved since the plan refuse it before anybody is asked", async () => {
  await using dir = await tempDir(FAKE);
  await using _ = await fakeTerraform();
  await using tools = await toolContext(dir.path);
  const refusal = async (change: (id: string) => unknown, undo: () => unknown = () => {}) => {
    const id = await planned(tools);
    await change(id);
    const call = await tools.prepare(iacApply, { plan_id: id });
    const shown = await call.preview(tools.context);
    const executed = await call.execute(tools.context);
    await undo();
    expect(executed.ok).toBe(false);
    return shown.ok ? "shown" : (shown.text.split(". ")[0] ?? "");
  };
  const age = (id: string) => {
    const plan = tools.session.plans.get(id);
    if (plan) tools.session.plans.set(id, { ...plan, plannedAtMs: Date.now() - 31 * 60 * 1_000 });
  };
  expect([
    await refusal(age),
    await refusal(
      () => writeFile(dir.file("main.tf"), `${MAIN}\n`),
      () => writeFile(dir.file("main.tf"), MAIN),
    ),
    await refusal((id) => writeFile(tools.session.plans.get(id)?.planFile ?? "", "other")),
    await refusal(() => writeFile(dir.file("x.auto.tfvars"), "")),
    await refusal(() => writeFile(dir.file(".fake/state.json"), STATE(2))),
    await refusal(() => writeFile(dir.file(".fake/state.json"), STATE(2).replace("l", "m"))),
    await refusal(() => writeFile(dir.file(".fake/workspace"), "prod")),
  ]).toEqual([
    "This plan is older than 30 minutes",
    expect.stringContaining("Files of the project (code, modules, var files"),
    "The plan file is gone or was changed",
    expect.stringContaining("Files of the project (code, modules, var files"),
    "The state changed since the plan (serial 1 then, serial 2 now): somebody else applied",
    expect.stringContaining("The state c"),
    "The workspace is prod and was default at the plan",
  ]);
  const calls = await readFile(dir.file(".fake/calls"), "utf8");
  expect(calls).not.toContain("apply");
});

test("data that would be lost makes it a destroy: once or not at all, in every mode", async () => {
  await using dir = await tempDir({
    ...FAKE,
    "db/main.tf": "",
    "db/.fake/plan.json": planJson([["aws_db_instance.main", "delete", "create"]]),
  });
  await using _ = await fakeTerraform();
  await using tools = await toolContext(dir.path);
  const question = async (id: string, mode: "default" | "auto" | "plan") => {
    const { access } = await tools.prepare(iacApply, { plan_id: id });
    const request = await resolveRequest("iac_apply", access);
    const rules = { deny: [], ask: [], allow: [] };
    const { decision, ...rest } = decide(request, { mode, rules, grants: [], roots: [dir.path] });
    return `${decision}${"always" in rest ? " or always" : ""}`;
  };
  const safe = await planned(tools);
  const lossy = await planned(tools, { dir: "db" });
  const destroy = await planned(tools, { destroy: true });
  for (const id of [lossy, destroy])
    expect([
      await question(id, "default"),
      await question(id, "auto"),
      await question(id, "plan"),
    ]).toEqual(["ask", "ask", "deny"]);
  expect([await question(safe, "default"), await question(safe, "plan")]).toEqual(["ask", "deny"]);
  expect((await tools.prepare(iacApply, { plan_id: lossy })).access).toMatchObject({
    type: "action",
    class: "destroy",
    directory: { realPath: dir.file("db") },
  });
});

test("the question of the gate shows the card", async () => {
  await using dir = await tempDir(FAKE);
  await using _ = await fakeTerraform();
  await using tools = await toolContext(dir.path);
  const call = await tools.prepare(iacApply, { plan_id: await planned(tools) });
  const shown = await call.preview(tools.context);
  expect(shown).toMatchObject({
    ok: true,
    content: [{ text: expect.stringContaining("- 1 × `terraform_data`: `terraform_data.a`") }],
  });
});

test("where a pipeline applies the project, nothing is applied from here", async () => {
  await using dir = await tempDir({
    ...FAKE,
    "main.tf": `terraform {\n  cloud {\n    organization = "acme"\n  }\n}\n${MAIN}`,
  });
  await using _ = await fakeTerraform();
  await using tools = await toolContext(dir.path);
  const result = await tools.run(iacApply, { plan_id: await planned(tools) });
  expect(result.ok).toBe(false);
  expect(result.text).toContain(
    "This project is applied by HCP Terraform (cloud block in main.tf), so nothing was applied from here. Push a branch",
  );
});

test("progress names what runs, and a failed apply tells what was done and where it broke", async () => {
  const line = (type: string, addr: string, more = "") =>
    `{"type":"${type}","hook":{"resource":{"addr":"${addr}"},"action":"create"${more}}}`;
  const broken = `{"type":"diagnostic","diagnostic":{"severity":"error","summary":"Quota exceeded","address":"aws_eip.b","range":{"filename":"main.tf","start":{"line":2,"column":3}}}}`;
  await using dir = await tempDir({
    ...FAKE,
    ".fake/plan.json": planJson([
      ["aws_eip.a", "create"],
      ["aws_eip.b", "create"],
    ]),
  });
  await using _ = await fakeTerraform(
    [
      line("apply_start", "aws_eip.a"),
      line("apply_complete", "aws_eip.a"),
      line("apply_start", "aws_eip.b"),
    ]
      .map((text) => `echo '${text}'`)
      .join("\n") +
      `\nuntil [ -e go ] || [ ! -e main.tf ]; do sleep 0.02; done\necho '${line("apply_errored", "aws_eip.b")}'\necho '${broken}'\nexit 1`,
  );
  await using tools = await toolContext(dir.path);
  const running = tools.run(iacApply, { plan_id: await planned(tools) });
  await until(() => JSON.stringify(tools.progress).includes("1 of 2 done\\n- `aws_eip.b`: create"));
  await writeFile(dir.file("go"), "");
  const { ok, text } = await running;
  expect(ok).toBe(false);
  expect(text.split("\n").slice(0, 2)).toEqual([
    "The apply failed (exit code 1): 1 of 2 changes were done, 1 failed. What was done stays done and is in the state.",
    "main.tf:2:3 error terraform:apply aws_eip.b: Quota exceeded",
  ]);
  expect((await auditOf(tools)).map(({ result }) => result)).toEqual(["failed"]);
});

/** Ends only when told, after its INT: three plugins run beside it, as providers do. */
const STUBBORN = `
    echo 0 > ints
    trap 'echo $(( $(cat ints) + 1 )) > ints' INT
    for n in 1 2 3; do (trap '' INT; exec sleep 300) & echo $! >> plugins; done
    touch begun
    until [ -e go ] || [ ! -e main.tf ]; do sleep 0.05; done
    echo written > .fake/applied
    exit 1`;

/** Cancels as soon as the apply has begun; returns what the model is told. */
async function applyAndCancel(tools: TestToolContext, dir: TempDir): Promise<string> {
  const running = tools.run(iacApply, { plan_id: await planned(tools) });
  await until(() => Bun.file(dir.file("begun")).exists());
  tools.abort();
  return (await running).text;
}

/** Dead ones that nobody has waited for yet do not count. */
async function alivePlugins(dir: TempDir): Promise<number> {
  const pids = (await readFile(dir.file("plugins"), "utf8")).trim().split("\n");
  const isAlive = async (pid: string) => {
    if (process.platform !== "linux") return Bun.spawnSync(["kill", "-0", pid]).exitCode === 0;
    const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
    return stat !== "" && !/\) [ZX] /.test(stat);
  };
  return (await Promise.all(pids.map(isAlive))).filter(Boolean).length;
}

test("an apply that takes its time gets one SIGINT, is not killed, and leaves no plugin behind", async () => {
  await using dir = await tempDir(FAKE);
  await using _ = await fakeTerraform(STUBBORN);
  await using tools = await toolContext(dir.path);
  expect(await applyAndCancel(tools, dir)).toStartWith("Cancelled.");
  await until(async () => (await readFile(dir.file("ints"), "utf8")).trim() === "1");
  expect([tools.session.stopping.size, await alivePlugins(dir)]).toEqual([1, 3]);
  await using next = await toolContext(dir.path, {
    session: tools.session,
    plans: tools.session.plans,
  });
  const plan = await planned(next);
  expect((await next.run(iacApply, { plan_id: plan })).text).toContain(
    "is still writing its state",
  );
  await writeFile(dir.file("go"), "");
  await until(() => tools.session.notices.length === 2);
  expect(await readFile(dir.file(".fake/applied"), "utf8")).toBe("written\n");
  expect((await readFile(dir.file("ints"), "utf8")).trim()).toBe("1");
  expect(await alivePlugins(dir)).toBe(0);
});

test("an apply that dies names what it had begun", async () => {
  const begun = `{"type":"apply_start","hook":{"resource":{"addr":"aws_eip.a"},"action":"create"}}`;
  await using dir = await tempDir(FAKE);
  await using _ = await fakeTerraform(`echo '${begun}'\nkill -KILL $$`);
  await using tools = await toolContext(dir.path);
  const { ok, text } = await tools.run(iacApply, { plan_id: await planned(tools) });
  expect(ok).toBe(false);
  expect(text).toStartWith("The apply failed (SIGKILL): 0 of 1 changes were done, 0 failed.");
  expect(text).toContain("Begun and not seen to end: aws_eip.a; look whether they exist");
});

test("a second stop kills a still stopping apply with all its plugins", async () => {
  await using dir = await tempDir(FAKE);
  await using _ = await fakeTerraform(STUBBORN);
  await using tools = await toolContext(dir.path);
  await applyAndCancel(tools, dir);
  const [run] = tools.session.stopping.values();
  await run?.kill();
  await until(() => tools.session.notices.length === 2);
  expect(await alivePlugins(dir)).toBe(0);
  expect(await Bun.file(dir.file(".fake/applied")).exists()).toBe(false);
  expect(takeNotices(tools.session)[0]).toContain("terraform force-unlock");
});

test("the session's end does not touch an apply that is stopping", async () => {
  await using dir = await tempDir(FAKE);
  await using _ = await fakeTerraform(STUBBORN);
  await using tools = await toolContext(dir.path);
  await applyAndCancel(tools, dir);
  const [run] = tools.session.stopping.values();
  await disposeToolSession(tools.session);
  await writeFile(dir.file("go"), "");
  await run?.ended;
  expect(await readFile(dir.file(".fake/applied"), "utf8")).toBe("written\n");
});

test("changes that are left after an apply are told", async () => {
  await using dir = await tempDir(FAKE);
  await using _ = await fakeTerraform();
  await using tools = await toolContext(dir.path);
  const { ok, text } = await tools.run(iacApply, { plan_id: await planned(tools) });
  expect(ok).toBe(true);
  expect(text).toContain("Planned again: changes are left, though none were expected.");
  expect(text).toContain("## Plan: safe, 1 to create");
});
