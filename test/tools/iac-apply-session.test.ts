// Plan and apply through the whole program: model, gate, session, and what the program's own end does to an apply.

import { expect, setDefaultTimeout, test } from "bun:test";
import { readFile, writeFile } from "node:fs/promises";
import { answerPermissions, openAgent } from "../support/acp-client.ts";
import { fakeModel, text, toolCall, type FakeRequest } from "../support/fake-model.ts";
import { PROGRAM } from "../support/program.ts";
import { runCli } from "../support/run-cli.ts";
import { tempDir } from "../support/temp-dir.ts";
import { fakeTerraform, planJson, until } from "./iac-plan-fake.ts";

// Programs are started; on a loaded machine that takes its time.
setDefaultTimeout(30_000);

const hasTerraform = Bun.which("terraform") !== null;

/** The model that takes the plan_id out of the tool's answer, as a real one does. */
const applyWhatWasPlanned = ({ messages }: FakeRequest) => {
  const planId = /plan_id: ([0-9a-f]{64})/.exec(JSON.stringify(messages))?.[1] ?? "none";
  return toolCall("iac_apply", { plan_id: planId });
};

test.skipIf(!hasTerraform)(
  "a model plans and applies: the card reaches it, the apply happens (needs terraform)",
  async () => {
    await using dir = await tempDir({
      "main.tf": 'resource "terraform_data" "a" {\n  input = "x"\n}\n',
    });
    await using model = await fakeModel([
      toolCall("iac_plan", {}),
      applyWhatWasPlanned,
      text("Done."),
    ]);
    const run = await runCli(["run", "--mode", "auto", "Plan and apply"], {
      cwd: dir.path,
      env: model.env(),
    });
    expect([run.code, run.out.trim()]).toEqual([0, "Done."]);
    const [, afterPlan, afterApply] = model.requests;
    expect(afterPlan?.raw).toContain("## Plan: safe, 1 to create");
    expect(afterApply?.raw).toContain("Planned again: no changes left.");
    expect(await readFile(dir.file("terraform.tfstate"), "utf8")).toContain('"terraform_data"');
    model.assertValid();
  },
);

test("a plan that loses data is asked about in mode auto too, and without an answer not applied", async () => {
  await using dir = await tempDir({
    "main.tf": "",
    ".fake/plan.json": planJson([["aws_db_instance.main", "delete"]]),
  });
  await using _ = await fakeTerraform();
  await using model = await fakeModel([
    toolCall("iac_plan", {}),
    applyWhatWasPlanned,
    text("Not allowed."),
  ]);
  const run = await runCli(["run", "--mode", "auto", "Apply it"], {
    cwd: dir.path,
    env: model.env(),
  });
  expect(run.code).toBe(3);
  expect(model.requests[2]?.raw).toContain("Permission denied.");
  expect(await readFile(dir.file(".fake/calls"), "utf8")).not.toContain("apply");
});

test("SIGTERM to the program asks the apply to stop once and lets it write its state", async () => {
  await using dir = await tempDir({
    "main.tf": "",
    ".fake/plan.json": planJson([["terraform_data.a", "create"]]),
  });
  await using _ = await fakeTerraform(`
    trap 'echo int >> ints' INT TERM
    touch begun
    until [ -e go ] || [ ! -e main.tf ]; do sleep 0.05; done
    echo written > .fake/applied
    exit 1`);
  await using home = await tempDir();
  await using model = await fakeModel([toolCall("iac_plan", {}), applyWhatWasPlanned]);
  const program = Bun.spawn([...PROGRAM, "run", "--mode", "auto", "Apply it"], {
    cwd: dir.path,
    env: {
      PATH: process.env["PATH"] ?? "",
      HOME: home.path,
      IACCODE_HOME: home.file(".iac-code"),
      OLLAMA_HOST: "127.0.0.1:9",
      ...model.env(),
    },
    stdin: "ignore",
    stdout: "ignore",
    stderr: "ignore",
  });
  await until(() => Bun.file(dir.file("begun")).exists());
  program.kill("SIGTERM");
  const started = performance.now();
  await program.exited;
  expect(performance.now() - started).toBeLessThan(10_000);
  expect(await readFile(dir.file("ints"), "utf8")).toBe("int\n");
  expect(await Bun.file(dir.file(".fake/applied")).exists()).toBe(false);
  await writeFile(dir.file("go"), "");
  await until(() => Bun.file(dir.file(".fake/applied")).exists());
});

test("a second cancel, well after the first, ends a still stopping apply and the next turn is told how to unlock", async () => {
  await using dir = await tempDir({
    "main.tf": "",
    ".fake/plan.json": planJson([["terraform_data.a", "create"]]),
  });
  await using _ = await fakeTerraform(`
    trap 'echo int >> ints' INT
    echo $$ > pid
    until [ ! -e main.tf ]; do sleep 0.05; done`);
  await using model = await fakeModel([toolCall("iac_plan", {}), applyWhatWasPlanned], {
    fallback: text("I see."),
  });
  await using client = await openAgent("stdio", { env: model.env() });
  const sessionId = await client.newSession(dir.path);
  answerPermissions(client, "allow_once");
  const prompt = client.prompt(sessionId, "Apply it");
  await until(() => Bun.file(dir.file("pid")).exists());
  const cancel = () => client.notify("session/cancel", { sessionId });
  await cancel();
  expect((await prompt)["stopReason"]).toBe("cancelled");
  // A doubled key press.
  await cancel();
  await until(() => Bun.file(dir.file("ints")).exists());
  const cancelledAt = performance.now();
  const pid = Number(await readFile(dir.file("pid"), "utf8"));
  const isAlive = () => Bun.spawnSync(["kill", "-0", String(pid)]).exitCode === 0;
  await until(() => performance.now() - cancelledAt > 2_200);
  expect(isAlive()).toBe(true);
  await cancel();
  await until(async () => {
    const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
    return stat === "" || /\) [ZX] /.test(stat);
  });
  // The watch over it looks a few times a second.
  await until(async () => {
    await client.prompt(sessionId, "And?");
    return client.text(sessionId).includes("terraform force-unlock");
  });
  expect(await readFile(dir.file("ints"), "utf8")).toBe("int\n");
});
