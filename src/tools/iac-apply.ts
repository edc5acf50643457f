// iac_apply: runs exactly the plan that was shown, or nothing. Has no time limit; a cancel asks it once to stop and lets it
// write its state. Afterwards it plans again, since only that shows whether the apply did what was meant.

import { openSync, closeSync } from "node:fs";
import { rm } from "node:fs/promises";
import { z } from "zod";
import type { CommandClass } from "../conversation/access.ts";
import { formatFinding } from "../iac/findings.ts";
import { countsText, renderCard } from "../iac/plan/render.ts";
import type { ProcessGroup } from "../lib/process-group.ts";
import { cancelled, failed } from "./answers.ts";
import { stopGently } from "./bash-gentle.ts";
import { followFile } from "./bash-run.ts";
import { recordApply } from "./plan-audit.ts";
import { makePlan, nameDirectory } from "./plan-make.ts";
import { nameOf, runLong } from "./plan-process.ts";
import { terraformOf, whyNot } from "./plan-refusal.ts";
import { PlanStream, toFindings } from "./plan-stream.ts";
import { showPath } from "./tool-path.ts";
import type { StoredPlan } from "./tool-session.ts";
import { defineTool, type Preview, type ToolContext, type ToolResult } from "./tool.ts";

const LOCK_TIMEOUT = "20s";
const MAX_SHOWN_FINDINGS = 50;
const SHORT_ID_LENGTH = 12;
const MAX_NAMED = 10;

export const iacApply = defineTool({
  name: "iac_apply",
  kind: "execute",
  description:
    "Apply a plan made by iac_plan in this session, exactly as it was shown; the plan_id is the only argument. Refused when the plan is older than 30 minutes, was applied already, or when code, state or workspace changed since: plan again then. Plans again afterwards and says whether changes are left.",
  args: z.strictObject({ plan_id: z.string().describe("As iac_plan returned it.") }),
  open: ({ plan_id: planId }, { plans, cwd }) => {
    const plan = plans?.get(planId);
    if (plan === undefined)
      return `plan_id: this session knows no plan ${JSON.stringify(planId.slice(0, 80))}. Make one with iac_plan, and give the id it returns.`;
    const directory = nameDirectory(plan.request.directory.path, cwd);
    const subject = `Apply plan ${planId.slice(0, SHORT_ID_LENGTH)} to ${directory} (${countsText(plan.card.counts)})`;
    return {
      title: subject,
      access: {
        type: "action",
        class: classOf(plan),
        subject,
        directory: plan.request.directory,
      },
      preview: (context) => preview(plan, context),
      execute: (context) => apply(planId, context),
    };
  },
});

/** No standing answer may ever cover lost data, a wrong state or a planned destroy. */
function classOf({ card, request }: StoredPlan): CommandClass {
  return card.verdict === "danger" || request.isDestroy ? "destroy" : "mutate";
}

async function preview(plan: StoredPlan, context: ToolContext): Promise<Preview> {
  const refusal = await whyNot(plan, context);
  if (refusal !== undefined) return { ok: false, text: refusal };
  return { ok: true, content: [{ type: "text", text: renderCard(plan.card) }] };
}

async function apply(planId: string, context: ToolContext): Promise<ToolResult> {
  const { session, signal, progress } = context;
  if (signal.aborted) return cancelled();
  // Looked up anew: another call may have applied it while this one was asked about.
  const plan = session.plans.get(planId);
  if (plan === undefined) return failed("This plan is no longer known. Make a new one.");
  const refusal = await whyNot(plan, context);
  if (refusal !== undefined) return failed(refusal);
  if (signal.aborted) return cancelled();
  session.plans.set(planId, { ...plan, status: "applied" });
  const stream = new PlanStream();
  const total = stepsOf(plan);
  const run = await runLong(
    terraformOf(plan),
    ["apply", "-input=false", "-json", `-lock-timeout=${LOCK_TIMEOUT}`, plan.planFile],
    {
      session,
      signal,
      onOutput: (bytes) => stream.push(bytes),
      onTick: () => progress([{ type: "text", text: stream.progressText(total) }]),
    },
  );
  if (run.type === "cancelled") return stop(plan, run, context);
  await rm(plan.planFile, { force: true });
  stream.end();
  const { applied: done, failed: broken } = stream;
  if (run.type === "not_started") {
    recordApply(session, plan, { result: "not_started", done, failed: broken, detail: run.reason });
    return failed(`${nameOf(plan.binary)} could not be started: ${run.reason}`);
  }
  const { exitCode, signal: endSignal } = run.exit;
  const isOk = exitCode === 0;
  const detail = endSignal === undefined ? `exit code ${exitCode ?? "unknown"}` : endSignal;
  recordApply(session, plan, {
    result: isOk ? "applied" : "failed",
    done,
    failed: broken,
    detail,
  });
  return isOk ? checked(plan, stream, context) : broke(plan, stream, { detail, ...run }, context);
}

/** Changes that the program reports one by one: a replace is two. */
function stepsOf({ card: { counts } }: StoredPlan): number {
  return counts.create + counts.update + counts.delete + counts.read + 2 * counts.replace;
}

/** One SIGINT, and the answer at once. How it ended is recorded and told to the next turn. */
function stop(
  plan: StoredPlan,
  { group, logPath }: { readonly group: ProcessGroup; readonly logPath: string },
  { session }: ToolContext,
): ToolResult {
  const name = nameOf(plan.binary);
  const command = `${name} apply (plan ${plan.planId.slice(0, SHORT_ID_LENGTH)})`;
  const soFar = readLog(logPath);
  recordApply(session, plan, {
    result: "interrupted",
    done: soFar.applied,
    failed: soFar.failed,
  });
  stopGently(group, { command, logPath }, session);
  void session.stopping.get(group.pid)?.ended.then(() => {
    const whole = readLog(logPath);
    void rm(plan.planFile, { force: true });
    recordApply(session, plan, { result: "stopped", done: whole.applied, failed: whole.failed });
    session.notices.push(
      `Of that plan ${whole.applied} of ${stepsOf(plan)} changes were done and ${whole.failed} failed.${unfinishedText(whole)}`,
    );
  });
  return failed(
    `Cancelled. The apply was asked to stop (one SIGINT) and has up to 10 minutes to write its state; ${soFar.applied} of ${stepsOf(plan)} changes were done by then. Its output goes on in ${logPath}. Do not touch this state until it has ended.`,
  );
}

/** An object that was being changed when the program ended may be real and unknown to the state. */
function unfinishedText({ unfinished }: PlanStream): string {
  if (unfinished.length === 0) return "";
  const named = unfinished.slice(0, MAX_NAMED).join(", ");
  const more = unfinished.length > MAX_NAMED ? ` and ${unfinished.length - MAX_NAMED} more` : "";
  return ` Begun and not seen to end: ${named}${more}; look whether they exist although the state does not know them.`;
}

/** What its output file says so far. */
function readLog(path: string): PlanStream {
  const stream = new PlanStream();
  try {
    const file = openSync(path, "r");
    try {
      followFile(file, (bytes) => stream.push(bytes))();
    } finally {
      closeSync(file);
    }
  } catch {
    // Somebody removed the file: then nothing is known of it.
  }
  stream.end();
  return stream;
}

async function checked(
  plan: StoredPlan,
  stream: PlanStream,
  { cwd, session, signal, progress }: ToolContext,
): Promise<ToolResult> {
  const done = `Applied: ${stream.applied} of ${stepsOf(plan)} changes done, none failed.`;
  const outcome = await makePlan(plan.binary, plan.request, {
    cwd,
    session,
    signal,
    onProgress: (text) => progress([{ type: "text", text: `${done}\n\nPlanning again: ${text}` }]),
  });
  const answer = (text: string, left: number | null): ToolResult => ({
    ok: true,
    text: `${done}\n${text}`,
    content: [{ type: "text", text: `${done}\n\n${text}` }],
    rawOutput: { applied: stream.applied, changes_left: left },
  });
  switch (outcome.type) {
    case "cancelled":
      return answer("It was not planned again: cancelled.", null);
    case "failed":
      return answer(
        `Planning again failed, so nothing is known of what is left: ${outcome.text}`,
        null,
      );
    case "planned": {
      await rm(outcome.plan.planFile, { force: true });
      const { card } = outcome.plan;
      const left = card.changes.filter(({ action }) => action !== "read").length;
      return left === 0
        ? answer("Planned again: no changes left.", 0)
        : answer(
            `Planned again: changes are left, though none were expected.\n\n${renderCard(card)}`,
            left,
          );
    }
  }
}

function broke(
  plan: StoredPlan,
  stream: PlanStream,
  { detail, logPath }: { readonly detail: string; readonly logPath: string },
  { cwd }: ToolContext,
): ToolResult {
  const name = nameOf(plan.binary);
  const directory = showPath(plan.request.directory.path, cwd);
  const findings = toFindings(stream.diagnostics, `${name}:apply`, (file) =>
    directory === "." ? file : `${directory}/${file}`,
  );
  const isLocked = stream.diagnostics.some(({ summary }) => /state lock/i.test(summary));
  const text = [
    `The apply failed (${detail}): ${stream.applied} of ${stepsOf(plan)} changes were done, ${stream.failed} failed. What was done stays done and is in the state.${unfinishedText(stream)}`,
    ...findings.slice(0, MAX_SHOWN_FINDINGS).map(formatFinding),
    ...(findings.length === 0 ? [stream.otherLines.join("\n").trim()] : []),
    ...(isLocked
      ? [
          `The state is locked by another run. Wait for it; only when nothing runs any more: \`${name} force-unlock ID\`.`,
        ]
      : []),
    `Its output is in ${logPath}. Make a new plan with iac_plan to see what is left.`,
  ].filter((line) => line !== "");
  return failed(text.join("\n"));
}
