// terraform or tofu, run long (a plan, an apply: output to a file, followed) or asked short questions (the state's mark,
// the workspace, a plan as JSON). What their answers mean is decided elsewhere.

import { z } from "zod";
import type { StateMark } from "../iac/plan/card.ts";
import { parseJson } from "../lib/json.ts";
import { type GroupExit, type ProcessGroup, spawnGroup } from "../lib/process-group.ts";
import { exitOrStop, runToEnd } from "../lib/process-run.ts";
import { commandEnvironment } from "./bash-env.ts";
import { whenStateIsWritten } from "./bash-gentle.ts";
import { openLog } from "./bash-output.ts";
import { followFile } from "./bash-run.ts";
import type { ToolSession } from "./tool-session.ts";

/** Of one short question; a remote state may be slow. */
const QUESTION_TIMEOUT_MS = 5 * 60 * 1_000;
/** A plan of 5,000 creates is 4.3 MB of JSON. */
const MAX_ANSWER_BYTES = 256 * 1024 * 1024;
const FOLLOW_MS = 250;
const MAX_REASON_LENGTH = 500;

export type Terraform = {
  /** Absolute path of terraform or tofu. */
  readonly binary: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
};

/** The user's own environment without arguments and logs set for other runs. `workspace` is selected for these runs only. */
export function terraformEnvironment(workspace: string | undefined): Record<string, string> {
  const env = Object.fromEntries(
    Object.entries(commandEnvironment(process.env)).filter(([name]) => !name.startsWith("TF_LOG")),
  );
  return workspace === undefined ? env : { ...env, TF_WORKSPACE: workspace };
}

/** Runs `args` to their end and returns stdout; a failure as a sentence. */
export async function askTerraform(
  { binary, cwd, env }: Terraform,
  args: readonly string[],
  signal: AbortSignal,
): Promise<
  { readonly ok: true; readonly text: string } | { readonly ok: false; readonly why: string }
> {
  const { end, stdout, stderr, omittedBytes } = await runToEnd([binary, ...args], {
    cwd,
    env,
    signal,
    timeoutMs: QUESTION_TIMEOUT_MS,
    maxBytes: MAX_ANSWER_BYTES,
  });
  const command = `\`${nameOf(binary)} ${args[0] ?? ""}\``;
  if (end.type === "exited" && end.exit.exitCode === 0 && omittedBytes === 0)
    return { ok: true, text: new TextDecoder().decode(stdout) };
  const said = new TextDecoder().decode(stderr).trim().slice(-MAX_REASON_LENGTH);
  switch (end.type) {
    case "exited":
      if (end.exit.exitCode === 0) return { ok: false, why: `${command} printed too much` };
      return { ok: false, why: `${command} failed: ${said || "it said nothing"}` };
    case "cancelled":
      return { ok: false, why: `${command} was cancelled` };
    case "timed_out":
      return { ok: false, why: `${command} did not end in time` };
    case "not_started":
      return { ok: false, why: `${command} could not be started: ${end.reason}` };
  }
}

export const nameOf = (binary: string): string => binary.split("/").at(-1) ?? binary;

const stateJson = z.object({ lineage: z.string(), serial: z.number() });

/** `undefined`: it could not be read. The state itself is not kept. */
export async function readStateMark(
  terraform: Terraform,
  signal: AbortSignal,
): Promise<StateMark | "empty" | undefined> {
  const answer = await askTerraform(terraform, ["state", "pull"], signal);
  if (!answer.ok) return undefined;
  if (answer.text.trim() === "") return "empty";
  return stateJson.safeParse(parseJson(answer.text)).data;
}

/** `undefined`: it could not be read. */
export async function readWorkspace(
  terraform: Terraform,
  signal: AbortSignal,
): Promise<string | undefined> {
  const answer = await askTerraform(terraform, ["workspace", "show"], signal);
  return answer.ok ? answer.text.trim() : undefined;
}

/** `terraform 1.11.4`; only the name where the version is not told. */
export async function readVersion(terraform: Terraform, signal: AbortSignal): Promise<string> {
  const answer = await askTerraform(terraform, ["version", "-json"], signal);
  const version = answer.ok
    ? z.object({ terraform_version: z.string() }).safeParse(parseJson(answer.text)).data
    : undefined;
  const name = nameOf(terraform.binary);
  return version === undefined ? name : `${name} ${version.terraform_version}`;
}

type LongRun =
  | { readonly type: "exited"; readonly exit: GroupExit; readonly logPath: string }
  /** The process goes on: ending it, gently or not, is the caller's business. */
  | { readonly type: "cancelled"; readonly group: ProcessGroup; readonly logPath: string }
  | { readonly type: "not_started"; readonly reason: string };

/**
 * Runs without a time limit; answers at once after an abort. All output goes to a file of the session, so that neither a
 * full pipe nor the end of this program touches the run; `onOutput` sees it a few times a second, `onTick` after that.
 */
export async function runLong(
  { binary, cwd, env }: Terraform,
  args: readonly string[],
  options: {
    readonly session: ToolSession;
    readonly signal: AbortSignal;
    readonly onOutput: (bytes: Uint8Array) => void;
    readonly onTick: () => void;
  },
): Promise<LongRun> {
  const { session, signal, onOutput, onTick } = options;
  try {
    const log = openLog(session.outputDir);
    const follow = followFile(log.fd, onOutput);
    const timer = setInterval(() => {
      follow();
      onTick();
    }, FOLLOW_MS);
    try {
      const output = { type: "file", fd: log.fd } as const;
      const group = spawnGroup([binary, ...args], { cwd, env, output });
      const first = await exitOrStop(whenStateIsWritten(group), signal, undefined);
      follow();
      if (first === "cancelled" || first === "timed_out")
        return { type: "cancelled", group, logPath: log.path };
      // Plugins end with the program; one that does not is ended.
      if (group.members().length > 0) endLater(group, session);
      return { type: "exited", exit: first, logPath: log.path };
    } finally {
      clearInterval(timer);
      log.close();
    }
  } catch (error) {
    return { type: "not_started", reason: error instanceof Error ? error.message : String(error) };
  }
}

/** Ends the group while its call has answered already; the session waits for it when it closes. */
export function endLater(group: ProcessGroup, session: ToolSession): void {
  const ending = group.terminate().finally(() => session.ending.delete(ending));
  session.ending.add(ending);
}
