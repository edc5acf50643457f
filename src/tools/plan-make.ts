// Makes a plan: runs it into a private file, reads it back as JSON, and ties the card to what must still hold when it is
// applied. Also how an apply is checked afterwards.

import { createHash } from "node:crypto";
import { closeSync, mkdirSync, openSync, readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { type Finding, sortFindings } from "../iac/findings.ts";
import type { PlanCard, PlanFacts } from "../iac/plan/card.ts";
import { cardOf } from "../iac/plan.ts";
import { newUuid } from "../lib/ids.ts";
import { parseJson } from "../lib/json.ts";
import { describeBackend, hashCode } from "./plan-code.ts";
import {
  askTerraform,
  endLater,
  nameOf,
  readStateMark,
  readVersion,
  readWorkspace,
  runLong,
  type Terraform,
  terraformEnvironment,
} from "./plan-process.ts";
import { withoutSecrets } from "./plan-secrets.ts";
import { type Diagnostic, PlanStream, toFindings } from "./plan-stream.ts";
import { showPath } from "./tool-path.ts";
import type { PlanRequest, StoredPlan, ToolSession } from "./tool-session.ts";

/** Exit code of `-detailed-exitcode` for a plan that holds changes. */
const HAS_CHANGES = 2;
const LOCK_TIMEOUT = "20s";
/** A plan is applied within this time or not at all. */
export const PLAN_MAX_AGE_MS = 30 * 60 * 1_000;

export type PlanOutcome =
  | { readonly type: "planned"; readonly plan: StoredPlan; readonly warnings: readonly Finding[] }
  | { readonly type: "failed"; readonly text: string; readonly findings: readonly Finding[] }
  | { readonly type: "cancelled" };

type PlanWork = {
  /** The session's working directory, which file names in findings are relative to. */
  readonly cwd: string;
  readonly session: ToolSession;
  readonly signal: AbortSignal;
  /** Markdown, a few times a second. */
  readonly onProgress: (text: string) => void;
};

/** Never rejects for what the program or the disk did. The plan is not put into the session's registry. */
export async function makePlan(
  binary: string,
  request: PlanRequest,
  work: PlanWork,
): Promise<PlanOutcome> {
  const { session, signal } = work;
  const cwd = request.directory.realPath;
  const terraform = { binary, cwd, env: terraformEnvironment(request.workspace) };
  const workspace = (await readWorkspace(terraform, signal)) ?? request.workspace ?? "default";
  const codeHash = await hashCode(cwd, request.varFiles);
  const planFile = reservePlanFile(session);
  if (typeof planFile !== "string") return failed(planFile.why);
  const stream = new PlanStream();
  const run = await runLong(terraform, planArguments(request, planFile), {
    session,
    signal,
    onOutput: (bytes) => stream.push(bytes),
    onTick: () => work.onProgress(stream.progressText()),
  });
  stream.end();
  if (run.type === "cancelled") endLater(run.group, session);
  const isMade =
    run.type === "exited" && (run.exit.exitCode === 0 || run.exit.exitCode === HAS_CHANGES);
  if (!isMade) {
    await rm(planFile, { force: true });
    if (run.type === "cancelled" || signal.aborted) return { type: "cancelled" };
    if (run.type === "not_started")
      return failed(`${nameOf(binary)} could not be started: ${run.reason}`);
    return planFailure(stream, request, { binary, cwd: work.cwd, logPath: run.logPath });
  }
  const read = await readBack(terraform, planFile, { request, workspace, session, signal });
  if (typeof read === "string") {
    await rm(planFile, { force: true });
    return signal.aborted ? { type: "cancelled" } : failed(read);
  }
  const plannedAtMs = Date.now();
  const plan: StoredPlan = {
    planId: planIdOf(planFile, [cwd, workspace, String(plannedAtMs)]),
    request,
    status: "ready",
    planFile,
    binary,
    workspace,
    ...read,
    plannedAtMs,
    codeHash,
  };
  const warnings = findingsOf(stream.diagnostics, request, { binary, cwd: work.cwd });
  return { type: "planned", plan, warnings };
}

/** What is run, as a person would type it; the plan file is left out. */
export function planCommand(name: string, request: PlanRequest): string {
  const words = planArguments(request, "").filter((word) => !word.startsWith("-out="));
  const workspace = request.workspace === undefined ? "" : `TF_WORKSPACE=${request.workspace} `;
  return `${workspace}${[name, ...words].map(shellWord).join(" ")}`;
}

const shellWord = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;

function planArguments(request: PlanRequest, planFile: string): string[] {
  return [
    "plan",
    "-input=false",
    "-json",
    `-lock-timeout=${LOCK_TIMEOUT}`,
    "-detailed-exitcode",
    `-out=${planFile}`,
    ...(request.isDestroy ? ["-destroy"] : []),
    ...(request.isRefreshOnly ? ["-refresh-only"] : []),
    ...request.targets.map((target) => `-target=${target}`),
    ...request.varFiles.map((file) => `-var-file=${file}`),
  ];
}

/** Made before the program writes it, so that nobody else can ever read it. */
function reservePlanFile({ outputDir }: ToolSession): string | { readonly why: string } {
  try {
    mkdirSync(outputDir, { recursive: true, mode: 0o700 });
    const path = join(outputDir, `plan-${newUuid().slice(0, 13)}.tfplan`);
    closeSync(openSync(path, "wx", 0o600));
    return path;
  } catch (error) {
    return {
      why: `There is no place for the plan file: ${error instanceof Error ? error.message : String(error)}`,
    };
  }
}

async function readBack(
  terraform: Terraform,
  planFile: string,
  about: {
    readonly request: PlanRequest;
    readonly workspace: string;
    readonly session: ToolSession;
    readonly signal: AbortSignal;
  },
): Promise<{ readonly card: PlanCard; readonly state?: NonNullable<PlanFacts["state"]> } | string> {
  const { request, workspace, session, signal } = about;
  const shown = await askTerraform(terraform, ["show", "-json", "-no-color", planFile], signal);
  if (!shown.ok) return `The plan was made but could not be read back: ${shown.why}`;
  const state = await readStateMark(terraform, signal);
  const previousState = lastPlanOf(session, request, workspace)?.state;
  const card = cardOf(parseJson(shown.text), {
    tool: await readVersion(terraform, signal),
    directory: terraform.cwd,
    workspace,
    backend: await describeBackend(terraform.cwd),
    isDestroy: request.isDestroy,
    isRefreshOnly: request.isRefreshOnly,
    targets: request.targets,
    ...(state === undefined ? {} : { state }),
    ...(previousState === undefined ? {} : { previousState }),
  });
  if (typeof card === "string") return `The plan was made but is not understood: ${card}`;
  return { card: withoutSecrets(card, shown.text), ...(state === undefined ? {} : { state }) };
}

function lastPlanOf(
  { plans }: ToolSession,
  { directory }: PlanRequest,
  workspace: string,
): StoredPlan | undefined {
  return [...plans.values()].findLast(
    (plan) =>
      plan.request.directory.realPath === directory.realPath && plan.workspace === workspace,
  );
}

function planIdOf(planFile: string, parts: readonly string[]): string {
  const hash = createHash("sha256").update(readFileSync(planFile));
  for (const part of parts) hash.update(`\0${part}`);
  return hash.digest("hex");
}

/** The file is there and is the one that was made and shown. */
export function isPlanIntact(plan: StoredPlan): boolean {
  const { planId, planFile, request, workspace, plannedAtMs } = plan;
  try {
    const parts = [request.directory.realPath, workspace, String(plannedAtMs)];
    return planIdOf(planFile, parts) === planId;
  } catch {
    // Removed or not readable: not the plan that was shown.
    return false;
  }
}

const failed = (text: string, findings: readonly Finding[] = []): PlanOutcome => ({
  type: "failed",
  text,
  findings,
});

type Place = { readonly binary: string; readonly cwd: string };

function findingsOf(
  diagnostics: readonly Diagnostic[],
  { directory }: PlanRequest,
  { binary, cwd }: Place,
): Finding[] {
  const toFile = (file: string) => showPath(join(directory.path, file), cwd);
  return sortFindings(toFindings(diagnostics, `${nameOf(binary)}:plan`, toFile));
}

/** Wordings of a directory that was never initialised, or whose modules or providers changed since. */
const NEEDS_INIT =
  /initialization required|init"|Module not installed|Inconsistent dependency lock file|Required plugins are not installed|Module source has changed|Module version requirements have changed|Missing required provider|Could not load plugin/i;
const IS_LOCKED = /acquiring the state lock/i;
const MISSING_VARIABLE = /input variable "([^"]+)" is not set/;

/** For titles and sentences. */
export function nameDirectory(path: string, cwd: string): string {
  const shown = showPath(path, cwd);
  return shown === "." ? "this directory" : shown;
}

function planFailure(
  { diagnostics, otherLines }: PlanStream,
  request: PlanRequest,
  place: Place & { readonly logPath: string },
): PlanOutcome {
  const name = nameOf(place.binary);
  const where = nameDirectory(request.directory.path, place.cwd);
  const chdir = request.directory.path === place.cwd ? "" : ` -chdir=${where}`;
  const findings = findingsOf(diagnostics, request, place);
  const missing = diagnostics
    .flatMap(({ detail }) => MISSING_VARIABLE.exec(detail ?? "")?.[1] ?? [])
    .toSorted();
  const hints = [
    ...(diagnostics.some(({ summary }) => NEEDS_INIT.test(summary))
      ? [
          `${where} must be initialised first: run \`${name}${chdir} init\` (iac_plan never does that by itself).`,
        ]
      : []),
    ...(missing.length > 0
      ? [
          `These variables have no value: ${missing.join(", ")}. Give them in a file named in var_files, or as TF_VAR_… in the environment.`,
        ]
      : []),
  ];
  if (diagnostics.some(({ summary }) => IS_LOCKED.test(summary)))
    hints.push(
      `The state is locked by another run: wait for it. Only when nothing runs any more: \`${name} force-unlock ID\`.`,
    );
  const said = diagnostics.length === 0 ? otherLines.join("\n").trim() : "";
  const text = [
    `${name} plan failed in ${where}.`,
    ...hints,
    ...(said === "" ? [] : [said]),
    ...(diagnostics.length === 0 ? [`Its output is in ${place.logPath}.`] : []),
  ];
  return failed(text.join("\n"), findings);
}
