// iac_plan: what an apply would do, as a card with a verdict. Never initialises, never applies; the plan itself stays in a
// private file of the session and is named by its id.

import { existsSync } from "node:fs";
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { type Finding, formatFinding } from "../iac/findings.ts";
import { renderCard } from "../iac/plan/render.ts";
import { isInside } from "../lib/path-inside.ts";
import { cancelled, codeContent, failed } from "./answers.ts";
import { terraformBinary } from "./iac-programs/terraform.ts";
import { cardResult, openDiff, openStored, withoutProgram } from "./iac-plan-read.ts";
import { findPipeline } from "./plan-code.ts";
import {
  makePlan,
  nameDirectory,
  PLAN_MAX_AGE_MS,
  planCommand,
  type PlanOutcome,
} from "./plan-make.ts";
import { nameOf } from "./plan-process.ts";
import { toAccess, type ToolPath, toToolPath } from "./tool-path.ts";
import type { PlanRequest, StoredPlan } from "./tool-session.ts";
import {
  defineTool,
  type Preview,
  type ToolContext,
  type ToolPlace,
  type ToolResult,
} from "./tool.ts";

const MAX_TARGETS = 100;
const MAX_VAR_FILES = 50;
const MAX_SHOWN_FINDINGS = 100;
/** Plans remembered of one session; the oldest is forgotten first. */
const MAX_PLANS = 50;
const VERSION_FILES = [".opentofu-version", ".terraform-version"];
/** What a standing permission covers; asked once per directory and session. */
const SCOPE = "iac_plan";

export const iacPlan = defineTool({
  name: "iac_plan",
  kind: "execute",
  description:
    "Plan a Terraform or OpenTofu directory and get a card: counts, what is replaced and which attribute forces it, data that would be lost, what becomes public, wider permissions, drift, failed checks, account, region, workspace, backend, and a verdict (safe, review, danger). Returns a plan_id for iac_apply, good for 30 minutes. Changes nothing and never runs init. plan_file reads a stored plan instead: `terraform show -json` output, a CloudFormation change set, a ROS preview, or `kubectl diff`/`helm diff` text. diff compares the code with a commit instead, which is not a plan; without terraform or tofu that is done with git HEAD.",
  args: z.object({
    dir: z.string().default(".").describe("The directory to plan."),
    target: z
      .array(z.string().min(1))
      .max(MAX_TARGETS)
      .optional()
      .describe("Only these addresses and what they need."),
    var_files: z.array(z.string()).max(MAX_VAR_FILES).optional(),
    destroy: z.boolean().optional().describe("Plan to destroy everything."),
    refresh_only: z.boolean().optional().describe("Only take drift into the state."),
    workspace: z
      .string()
      .regex(/^[\w.-]{1,90}$/, "is no name of a workspace")
      .optional()
      .describe("Default: the selected one."),
    plan_file: z.string().optional().describe("A stored plan to read instead of planning."),
    diff: z
      .string()
      .min(1)
      .optional()
      .describe("Compare the code of dir with this commit or branch instead of planning."),
  }),
  open: async (args, place) => {
    if (args.plan_file !== undefined) return openStored(args.plan_file, place);
    if (args.destroy === true && args.refresh_only === true)
      return "destroy and refresh_only exclude each other: give one of them.";
    const directory = await toToolPath(args.dir, place);
    if (typeof directory === "string") return directory.replace(/^path/, "dir");
    if (args.diff !== undefined) return openDiff(args.diff, directory);
    const varFiles = await varFilesOf(args.var_files ?? [], place);
    if (typeof varFiles === "string") return varFiles;
    const request: PlanRequest = {
      directory: toAccess(directory),
      targets: args.target ?? [],
      varFiles: varFiles.map(({ path }) => path),
      isDestroy: args.destroy === true,
      isRefreshOnly: args.refresh_only === true,
      ...(args.workspace === undefined ? {} : { workspace: args.workspace }),
    };
    const name = nameDirectory(directory.path, place.cwd);
    const subject = `Plan ${request.isDestroy ? "to destroy " : ""}${name}`;
    return {
      title: args.workspace === undefined ? subject : `${subject} (workspace ${args.workspace})`,
      access: {
        type: "action",
        class: "plan",
        subject,
        directory: request.directory,
        scope: SCOPE,
      },
      preview: (context) => preview(request, directory, context),
      execute: (context) => plan(request, directory, context),
    };
  },
});

/** A var file may hold secrets, so only those of the project are taken. A string is an error text for the model. */
async function varFilesOf(
  written: readonly string[],
  place: ToolPlace,
): Promise<readonly ToolPath[] | string> {
  const found: ToolPath[] = [];
  for (const one of written) {
    const path = await toToolPath(one, place);
    if (typeof path === "string") return path.replace(/^path/, "var_files");
    if (!place.roots.some((root) => isInside(root, path.realPath)))
      return `var_files: ${one} lies outside of the project. Copy it in, or run the plan with bash.`;
    found.push(path);
  }
  return found;
}

/** The user's own choice, else the version file of the directory, that of the project, what is installed. */
function binaryFor(
  { realPath }: ToolPath,
  { roots: [project = realPath], settings: { iacBinary } }: ToolContext,
): string | undefined {
  if (iacBinary !== undefined)
    return terraformBinary({ root: realPath, env: process.env, binary: iacBinary });
  const pinned = [realPath, project].find((folder) =>
    VERSION_FILES.some((name) => existsSync(join(folder, name))),
  );
  return terraformBinary({ root: pinned ?? realPath, env: process.env });
}

/** Another program than the one the user chose would plan with another version, so nothing stands in for it. */
function missingChoice(binary: string | undefined, { settings }: ToolContext): string | undefined {
  if (binary !== undefined || settings.iacBinary === undefined) return undefined;
  return `iac.binary of config.json names ${settings.iacBinary}, which is not installed. Nothing was planned.`;
}

/** The command as it will be run; what cannot be planned ends here, before anybody is asked. */
async function preview(
  request: PlanRequest,
  directory: ToolPath,
  context: ToolContext,
): Promise<Preview> {
  const binary = binaryFor(directory, context);
  const unfit = missingChoice(binary, context) ?? (await whyUnfit(directory));
  if (unfit !== undefined) return { ok: false, text: unfit };
  const command =
    binary === undefined
      ? "git diff HEAD  # neither tofu nor terraform is installed"
      : planCommand(nameOf(binary), request);
  return { ok: true, content: codeContent(`cd ${directory.path}\n${command}`, "sh") };
}

async function plan(
  request: PlanRequest,
  directory: ToolPath,
  context: ToolContext,
): Promise<ToolResult> {
  const { session, signal, isPathDenied } = context;
  if (signal.aborted) return cancelled();
  const denied = request.varFiles.find((file) => isPathDenied?.(file) === true);
  if (denied !== undefined) return failed(`var_files: a rule forbids reading ${denied}.`);
  const binary = binaryFor(directory, context);
  const unfit = missingChoice(binary, context) ?? (await whyUnfit(directory));
  if (unfit !== undefined) return failed(unfit);
  if (binary === undefined) return withoutProgram(directory, context);
  const outcome = await makePlan(binary, request, {
    cwd: context.cwd,
    session,
    signal,
    onProgress: (text) => context.progress([{ type: "text", text }]),
  });
  if (outcome.type === "cancelled") return cancelled();
  if (outcome.type === "failed") return failure(outcome, context);
  const [root = directory.realPath] = context.roots;
  const pipeline = await findPipeline(directory.realPath, root);
  await remember(context, outcome.plan);
  return planned(outcome.plan, outcome.warnings, pipeline);
}

/** Planned by the bare program, a Terragrunt unit would miss its backend and inputs: that is how a wrong state is met. */
async function whyUnfit({ realPath, shown }: ToolPath): Promise<string | undefined> {
  let names: readonly string[];
  try {
    names = await readdir(realPath);
  } catch (error) {
    return `dir: ${shown} cannot be listed: ${error instanceof Error ? error.message : String(error)}.`;
  }
  if (!names.includes("terragrunt.hcl")) return undefined;
  return `dir: ${shown} is a Terragrunt unit. Plan it with bash (\`terragrunt plan -out=plan.bin\`, then \`terragrunt show -json plan.bin > plan.json\`) and give plan.json as plan_file.`;
}

/** Keeps the plan; files of plans that may not be applied any more are removed, since they may hold secrets. */
async function remember({ session }: ToolContext, stored: StoredPlan): Promise<void> {
  const { plans } = session;
  plans.set(stored.planId, stored);
  const [oldest] = plans.values();
  if (plans.size > MAX_PLANS && oldest !== undefined) {
    plans.delete(oldest.planId);
    await rm(oldest.planFile, { force: true });
  }
  for (const { planFile, plannedAtMs } of plans.values())
    if (Date.now() - plannedAtMs > PLAN_MAX_AGE_MS) await rm(planFile, { force: true });
}

function planned(
  { card, planId, binary }: StoredPlan,
  warnings: readonly Finding[],
  pipeline: string | undefined,
): ToolResult {
  const text = [
    renderCard(card),
    ...(warnings.length === 0 ? [] : [findingsText(warnings)]),
    `plan_id: ${planId} (made with ${nameOf(binary)}; iac_apply takes it for 30 minutes, while code, state and workspace stay as they are)`,
    ...(pipeline === undefined
      ? []
      : [`This project is applied by ${pipeline}: push a branch rather than applying from here.`]),
  ].join("\n\n");
  return cardResult(card, text, { plan_id: planId, workspace: card.place.workspace ?? "" });
}

function failure(
  { text, findings }: Extract<PlanOutcome, { type: "failed" }>,
  { cwd }: ToolContext,
): ToolResult {
  const all = findings.length === 0 ? text : `${text}\n${findingsText(findings)}`;
  return {
    ok: false,
    text: all,
    locations: findings
      .slice(0, MAX_SHOWN_FINDINGS)
      .map(({ file, line }) => ({ path: file.startsWith("/") ? file : `${cwd}/${file}`, line })),
  };
}

function findingsText(findings: readonly Finding[]): string {
  const lines = findings.slice(0, MAX_SHOWN_FINDINGS).map(formatFinding);
  const more = findings.length - lines.length;
  return [...lines, ...(more > 0 ? [`[${more} more are left out]`] : [])].join("\n");
}
