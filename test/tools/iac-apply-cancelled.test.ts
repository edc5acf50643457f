// Many cancelled applies of one project, by terraform itself: each must leave a state that is whole, no lock, and no process.
// 3 of them by default; `CANCELLED_APPLIES=50 bun test test/tools/iac-apply-cancelled.test.ts` is the long form.

import { expect, test } from "bun:test";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { iacApply } from "../../src/tools/iac-apply.ts";
import { iacPlan } from "../../src/tools/iac-plan.ts";
import { tempDir, type TempDir } from "../support/temp-dir.ts";
import { toolContext } from "../support/tool-context.ts";
import { until } from "./iac-plan-fake.ts";

const APPLIES = Number(process.env["CANCELLED_APPLIES"] ?? 3);
/** Generous: a loaded machine plans in seconds. */
const MAX_MS_OF_ONE = 60_000;
const canRun = Bun.which("terraform") !== null && process.platform === "linux";

/** One resource that is done before the cancel, one whose command is under way, and that command's own child. */
const project = (round: number): string => `resource "terraform_data" "quick" {
  input = "round ${round}"
}
resource "terraform_data" "slow" {
  depends_on       = [terraform_data.quick]
  triggers_replace = ${round}
  provisioner "local-exec" {
    command = "(sleep 600 & touch begun; wait)"
  }
}
`;

/** Where a cancel finds the apply: at work on a resource, or as soon as it holds the lock. */
const MOMENTS = ["begun", ".terraform.tfstate.lock.info"] as const;

type State = { readonly serial: number; readonly lineage: string; readonly resources: unknown[] };

/** Fails on a state that is cut off. */
const readState = (dir: TempDir): State =>
  JSON.parse(readFileSync(dir.file("terraform.tfstate"), "utf8"));

/** Processes that work in the folder, and dead ones that nobody waited for: `pid name`. */
function leftBehind(folder: string): string[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const [, name = "", state = "", parent = ""] =
          /^\d+ \((.*)\) (\S) (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, "utf8")) ?? [];
        const isZombie = state === "Z" && Number(parent) === process.pid;
        return isZombie || readlinkSync(`/proc/${pid}/cwd`) === folder ? [`${pid} ${name}`] : [];
      } catch {
        // Gone meanwhile, or another user's.
        return [];
      }
    });
}

async function cancelOne(dir: TempDir, moment: string): Promise<void> {
  await using tools = await toolContext(dir.path);
  const { text } = await tools.run(iacPlan, {});
  const id = /plan_id: ([0-9a-f]{64})/.exec(text)?.[1] ?? text;
  let end: string | undefined;
  const running = tools.run(iacApply, { plan_id: id }).then((result) => (end = result.text));
  await until(
    async () => end !== undefined || (await Bun.file(dir.file(moment)).exists()),
    MAX_MS_OF_ONE,
  );
  expect(end).toBeUndefined();
  tools.abort();
  expect(await running).toStartWith("Cancelled.");
  await until(() => tools.session.stopping.size === 0, MAX_MS_OF_ONE);
}

test.skipIf(!canRun)(
  `${APPLIES} cancelled applies leave a whole state, no lock and no process (needs terraform)`,
  async () => {
    await using dir = await tempDir({});
    let before: State | undefined;
    for (let round = 1; round <= APPLIES; round++) {
      await rm(dir.file("begun"), { force: true });
      await writeFile(dir.file("main.tf"), project(round));
      const moment = MOMENTS[round % MOMENTS.length] ?? "begun";
      await cancelOne(dir, moment);
      await until(() => leftBehind(dir.path).length === 0);
      expect(await Bun.file(dir.file(".terraform.tfstate.lock.info")).exists()).toBe(false);
      if (before === undefined && !(await Bun.file(dir.file("terraform.tfstate")).exists()))
        continue;
      const state = readState(dir);
      expect(state.serial).toBeGreaterThanOrEqual(before?.serial ?? 0);
      expect(state.lineage).toBe(before?.lineage ?? state.lineage);
      if (moment === "begun") expect(JSON.stringify(state)).toContain(`round ${round}`);
      before = state;
    }
    expect(before?.resources).not.toEqual([]);
  },
  APPLIES * 2 * MAX_MS_OF_ONE,
);
