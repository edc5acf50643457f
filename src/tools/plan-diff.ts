// The code of a directory in two versions, from git and from the disk, for a comparison where nothing can plan.

import { readFile, realpath } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import type { SourceText } from "../iac/map/read-files.ts";
import { type StaticDiff, staticDiff } from "../iac/plan/static-diff.ts";
import { isInside } from "../lib/path-inside.ts";
import { runToEnd } from "../lib/process-run.ts";
import { commandEnvironment } from "./bash-env.ts";

const MAX_FILES = 1_000;
const MAX_FILE_BYTES = 2 * 1024 * 1024;
const GIT_TIMEOUT_MS = 60_000;
const CODE = ["*.tf", "*.tofu", "*.tf.json", "*.tofu.json"];
/** Settings of a repository that would run its own programs; this only reads. */
const QUIET = ["-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"];

export type CodeDiff =
  | { readonly ok: true; readonly diff: StaticDiff; readonly files: readonly string[] }
  | { readonly ok: false; readonly why: string };

/**
 * Compares `base` (a commit; where HEAD left it, if it went on since) with the working tree below `directory`, untracked
 * files included. Paths are relative to `root`. `isDenied` leaves files out by real path.
 */
export async function diffCode(
  directory: string,
  options: {
    readonly root: string;
    readonly base: string;
    readonly signal: AbortSignal;
    readonly isDenied?: (realPath: string) => boolean;
  },
): Promise<CodeDiff> {
  const { base, signal } = options;
  const git = (args: readonly string[]) => runGit(args, directory, signal);
  if (base.startsWith("-") || base === "")
    return { ok: false, why: `base: ${JSON.stringify(base)} is no name of a commit` };
  const commit = await git(["rev-parse", "--verify", "--quiet", `${base}^{commit}`]);
  if (!commit.ok)
    return {
      ok: false,
      why:
        commit.text === ""
          ? `there is no commit ${base} here to compare with`
          : `there is no commit ${base} here to compare with (${commit.text})`,
    };
  // Where the base went on since this branch left it, its own changes are not this branch's.
  const fork = await git(["merge-base", commit.text.trim(), "HEAD"]);
  const hash = (fork.ok ? fork : commit).text.trim();
  const names = await changedNames(git, hash);
  if (typeof names === "string") return { ok: false, why: names };
  const before: SourceText[] = [];
  const after: SourceText[] = [];
  for (const name of names) {
    const path = relative(options.root, join(directory, name)).split(sep).join("/");
    const text = await readInside(join(directory, name), directory, options.isDenied);
    if (text === "denied") continue;
    const old = await git(["show", `${hash}:./${name}`]);
    if (old.ok) before.push({ path, text: old.text });
    if (text !== undefined) after.push({ path, text: text.text });
  }
  const files = names.map((name) => relative(options.root, join(directory, name)));
  return { ok: true, diff: staticDiff(before, after, base), files };
}

type Git = (args: readonly string[]) => Promise<{ readonly ok: boolean; readonly text: string }>;

/** Relative to the directory; a string says why there is no answer. */
async function changedNames(git: Git, base: string): Promise<readonly string[] | string> {
  const options = "--name-only -z --relative --no-renames --no-ext-diff --no-textconv".split(" ");
  const tracked = await git(["diff", ...options, base, "--", ...CODE]);
  const untracked = await git(["ls-files", "-z", "--others", "--exclude-standard", "--", ...CODE]);
  if (!tracked.ok || !untracked.ok) return `git failed: ${tracked.text || untracked.text}`;
  const names = [...new Set(`${tracked.text}\0${untracked.text}`.split("\0"))].filter(Boolean);
  return names.length > MAX_FILES
    ? `${names.length} files differ, more than ${MAX_FILES}: give a smaller directory`
    : names.filter((name) => !name.split("/").includes(".terraform")).toSorted();
}

async function readInside(
  path: string,
  directory: string,
  isDenied: ((realPath: string) => boolean) | undefined,
): Promise<{ readonly text: string } | "denied" | undefined> {
  try {
    const real = await realpath(path);
    if (!isInside(directory, real) || isDenied?.(real) === true) return "denied";
    if (Bun.file(real).size > MAX_FILE_BYTES) return "denied";
    return { text: await readFile(real, "utf8") };
  } catch {
    // Deleted in the working tree: that is what the comparison tells.
    return undefined;
  }
}

async function runGit(
  args: readonly string[],
  cwd: string,
  signal: AbortSignal,
): Promise<{ readonly ok: boolean; readonly text: string }> {
  const { end, stdout, stderr } = await runToEnd(["git", ...QUIET, ...args], {
    cwd,
    env: { ...commandEnvironment(process.env), GIT_OPTIONAL_LOCKS: "0" },
    signal,
    timeoutMs: GIT_TIMEOUT_MS,
  });
  const decoder = new TextDecoder();
  const isOk = end.type === "exited" && end.exit.exitCode === 0;
  if (isOk) return { ok: true, text: decoder.decode(stdout) };
  const why = end.type === "not_started" ? end.reason : decoder.decode(stderr).trim();
  return { ok: false, text: why };
}
