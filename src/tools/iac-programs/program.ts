// How programs of others are run for a check: argv without a shell, no terminal, a clean environment, a time limit.

import { runToEnd } from "../../lib/process-run.ts";
import type { Finding } from "../../iac/findings.ts";
import type { ProjectIndex } from "../../iac/map/project-index.ts";

/** What ran, what it found, and what it left open. */
export type ProgramReport = {
  /** `terraform fmt`; empty when nothing ran. */
  readonly ran: readonly string[];
  readonly findings: readonly Finding[];
  readonly notChecked: readonly string[];
};

export const NOTHING: ProgramReport = { ran: [], findings: [], notChecked: [] };

/** One program (or two words of one) with the knowledge of when it is of use. */
export type Program = (project: ProgramProject) => Promise<ProgramReport>;

export type ProgramProject = {
  readonly root: string;
  readonly index: ProjectIndex;
  readonly signal: AbortSignal;
  /** The environment to clean; `PATH` decides what is found. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The user's own terraform or tofu: a name or an absolute path. */
  readonly binary?: string;
};

export type ProgramOutput = {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
};

/** Long enough for a first run of a linter in a large project. */
const DEFAULT_TIMEOUT_MS = 120_000;
const MAX_OUTPUT_BYTES = 8 * 1024 * 1024;
const MAX_REASON_CHARACTERS = 200;

/** Finds a program on the `PATH` of `env`; a relative entry there never counts, it would run the project's own files. */
export function findProgram(name: string, env: ProgramProject["env"]): string | undefined {
  if (name.includes("/")) return name.startsWith("/") ? (Bun.which(name) ?? undefined) : undefined;
  const path = (env["PATH"] ?? "").split(":").filter((entry) => entry.startsWith("/"));
  return Bun.which(name, { PATH: path.join(":") }) ?? undefined;
}

/** Arguments and logs set for the user's own runs, our own settings and keys, and switches of this runtime stay behind. */
export function programEnvironment(env: ProgramProject["env"]): Record<string, string> {
  const kept = Object.entries(env).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined &&
      !/^(?:TF_CLI_ARGS|TF_LOG|IACCODE_|BUN_)/.test(entry[0]) &&
      !entry[0].endsWith("_API_KEY"),
  );
  return {
    ...Object.fromEntries(kept),
    TF_IN_AUTOMATION: "1",
    TF_INPUT: "0",
    CHECKPOINT_DISABLE: "1",
    NO_COLOR: "1",
  };
}

export type RunSettings = Pick<ProgramProject, "env" | "signal"> & {
  /** Of each stream; default 8 MiB. */
  readonly maxBytes?: number;
};

/** Runs `argv`; a text says in one sentence why there is no result. */
export async function runProgram(
  argv: readonly string[],
  cwd: string,
  { env, signal, maxBytes }: RunSettings,
): Promise<ProgramOutput | string> {
  const name = (argv[0] ?? "").split("/").at(-1) ?? "";
  const result = await runToEnd(argv, {
    cwd,
    env: programEnvironment(env),
    signal,
    timeoutMs: DEFAULT_TIMEOUT_MS,
    maxBytes: maxBytes ?? MAX_OUTPUT_BYTES,
  });
  const { end } = result;
  if (end.type === "timed_out") return `${name} was ended after ${DEFAULT_TIMEOUT_MS / 1000} s`;
  if (end.type === "cancelled") return `${name} was cancelled`;
  if (end.type === "not_started") return `${name} could not be started: ${end.reason}`;
  if (end.exit.exitCode === undefined)
    return `${name} was killed by ${end.exit.signal ?? "a signal"}`;
  const decoder = new TextDecoder();
  return {
    exitCode: end.exit.exitCode,
    stdout: decoder.decode(result.stdout),
    stderr: decoder.decode(result.stderr),
  };
}

/** What a run leaves out because there is too much of it. */
export function leftOut(number: number, name: string): string {
  return `${name} of ${number} more: give paths to have them checked`;
}

/** `tflint failed (exit 1): what it said first`. */
export function failure(name: string, { exitCode, stdout, stderr }: ProgramOutput): string {
  const said = (stderr.trim() === "" ? stdout : stderr)
    .trim()
    .split("\n")
    .filter((line) => /\w/.test(line));
  return `${name} failed (exit ${exitCode}): ${(said[0] ?? "it said nothing").slice(0, MAX_REASON_CHARACTERS)}`;
}

/** Relative to the root with forward slashes, from a path that a program gave relative to `directory` or absolute. */
export function toProjectPath(root: string, directory: string, path: string): string {
  if (path.startsWith(`${root}/`)) return path.slice(root.length + 1);
  const bare = path.replace(/^(?:\.\/|\/)+/, "");
  return directory === "" ? bare : `${directory}/${bare}`;
}
