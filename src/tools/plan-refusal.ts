// Why a plan must not be applied any more: it is old, used, or something it was made from has moved.

import type { StateMark } from "../iac/plan/card.ts";
import { findPipeline, hashCode } from "./plan-code.ts";
import { isPlanIntact, PLAN_MAX_AGE_MS } from "./plan-make.ts";
import {
  readStateMark,
  readWorkspace,
  type Terraform,
  terraformEnvironment,
} from "./plan-process.ts";
import type { StoredPlan } from "./tool-session.ts";
import type { ToolContext } from "./tool.ts";

/** The program as the plan was made with it. */
export const terraformOf = ({ binary, request }: StoredPlan): Terraform => ({
  binary,
  cwd: request.directory.realPath,
  env: terraformEnvironment(request.workspace),
});

/** Why the plan must not be applied any more; looked at before the question and again after the answer. */
export async function whyNot(plan: StoredPlan, context: ToolContext): Promise<string | undefined> {
  const { signal, roots, session } = context;
  const { request, plannedAtMs, codeHash, workspace, status } = plan;
  const again = "Nothing was applied. Make a new plan with iac_plan.";
  if (status === "applied") return `This plan was applied already. ${again}`;
  if (Date.now() - plannedAtMs > PLAN_MAX_AGE_MS)
    return `This plan is older than ${PLAN_MAX_AGE_MS / 60_000} minutes. ${again}`;
  if (!isPlanIntact(plan)) return `The plan file is gone or was changed. ${again}`;
  const [stopping] = session.stopping.values();
  if (stopping !== undefined)
    return `\`${stopping.command}\` was interrupted and is still writing its state (pid ${stopping.pid}). Nothing was applied. Wait until it has ended.`;
  const cwd = request.directory.realPath;
  const pipeline = await findPipeline(cwd, roots[0] ?? cwd);
  if (pipeline !== undefined)
    return `This project is applied by ${pipeline}, so nothing was applied from here. Push a branch and let it run the apply. If the user wants it from here all the same, they can allow the command itself through bash.`;
  if ((await hashCode(cwd, request.varFiles)) !== codeHash)
    return `Files of the project (code, modules, var files, lock file or backend settings) changed since the plan. ${again}`;
  const terraform = terraformOf(plan);
  const now = await readWorkspace(terraform, signal);
  if (now !== workspace)
    return `The workspace is ${now ?? "not readable"} and was ${workspace} at the plan. ${again}`;
  const state = await readStateMark(terraform, signal);
  if (signal.aborted || plan.state === undefined) return undefined;
  if (state === undefined) return `The state cannot be read. ${again}`;
  if (!isSameState(state, plan.state))
    return `The state changed since the plan (${markText(plan.state)} then, ${markText(state)} now): somebody else applied. ${again}`;
  return undefined;
}

type Mark = StateMark | "empty";

function isSameState(one: Mark, other: Mark): boolean {
  if (one === "empty" || other === "empty") return one === other;
  return one.lineage === other.lineage && one.serial === other.serial;
}

const markText = (mark: Mark): string => (mark === "empty" ? "empty" : `serial ${mark.serial}`);
