// git verbs whose class hangs on their flags or operands: the same verb lists, changes or throws work away.

import {
  hasOption,
  type Invocation,
  mayHaveOption,
  operandWords,
  valuesOf,
} from "../invocation.ts";
import type { Run, Verdict } from "./table.ts";

/** Words that stand for a file rather than for a branch. */
const NAMES_FILE =
  /^\.{1,2}(\/|$)|\/$|[*?[]|\.(tf|tfvars|hcl|ya?ml|json|toml|md|txt|sh|py|go|ts|js|lock|tpl|cfg|conf|ini|env)$/i;

const FORCE_PUSH = [
  "-f",
  "--force",
  "--force-with-lease",
  "--force-if-includes",
  "--delete",
  "-d",
  "--mirror",
  "--prune",
];

function inspectPush(call: Invocation, verdict: Verdict): Verdict {
  const refs = operandWords(call, 1);
  const forced =
    mayHaveOption(call, ...FORCE_PUSH) ||
    refs.some(({ text }) => text?.startsWith("+") === true || text?.startsWith(":") === true);
  if (forced)
    return { ...verdict, class: "destroy", reason: "overwrites or deletes what others see" };
  if (hasOption(call, "--dry-run", "-n")) return { ...verdict, class: "plan" };
  return verdict;
}

/** Verbs whose class hangs on their flags or operands. */
const RULES: Readonly<Record<string, (call: Invocation, verdict: Verdict) => Verdict>> = {
  push: inspectPush,
  reset: (call, verdict) =>
    mayHaveOption(call, "--hard", "--merge", "--keep")
      ? { ...verdict, class: "destroy", reason: "throws away changes" }
      : verdict,
  clean: (call, verdict) => {
    if (hasOption(call, "-n", "--dry-run") && !mayHaveOption(call, "-f", "--force"))
      return { ...verdict, class: "read" };
    return {
      ...verdict,
      class: "destroy",
      reason: "deletes files that git does not know, states and .env files among them",
      warnings: mayHaveOption(call, "-x", "-X")
        ? ["state files at risk: -x deletes ignored files too"]
        : [],
    };
  },
  checkout: (call, verdict) => {
    const discards =
      mayHaveOption(
        call,
        "-f",
        "--force",
        "--ours",
        "--theirs",
        "-p",
        "--patch",
        "--pathspec-from-file",
      ) ||
      call.afterDashes !== undefined ||
      (!mayHaveOption(call, "-b", "--orphan", "-t", "--track") && call.operands.length > 2) ||
      operandWords(call, 1).some(({ text }) => text !== undefined && NAMES_FILE.test(text)) ||
      hasOption(call, "-B");
    return discards
      ? { ...verdict, class: "destroy", reason: "throws away changes in files" }
      : verdict;
  },
  switch: (call, verdict) =>
    mayHaveOption(call, "-f", "--force", "--discard-changes", "-C")
      ? { ...verdict, class: "destroy", reason: "throws away changes" }
      : verdict,
  restore: (call, verdict) =>
    hasOption(call, "--staged", "-S") && !mayHaveOption(call, "--worktree", "-W")
      ? { ...verdict, class: "write" }
      : verdict,
  branch: (call, verdict) => {
    if (mayHaveOption(call, "-D", "-f", "--force", "-d", "--delete", "-M", "-C"))
      return {
        ...verdict,
        class:
          hasOption(call, "-D") || mayHaveOption(call, "-f", "--force", "-M", "-C")
            ? "destroy"
            : "write",
        reason: "deletes or moves a branch",
      };
    const lists =
      call.operands.length <= 1 ||
      hasOption(
        call,
        "-l",
        "--list",
        "--contains",
        "--merged",
        "--no-merged",
        "-a",
        "-r",
        "-v",
        "-vv",
        "--show-current",
      );
    const writes = mayHaveOption(
      call,
      "-m",
      "--move",
      "-c",
      "--copy",
      "-u",
      "--set-upstream-to",
      "--unset-upstream",
      "--edit-description",
      "--track",
    );
    return { ...verdict, class: lists && !writes && !call.dynamic ? "read" : "write" };
  },
  tag: (call, verdict) => {
    if (mayHaveOption(call, "-f", "--force", "-d", "--delete"))
      return { ...verdict, class: "destroy", reason: "deletes or moves a tag" };
    return {
      ...verdict,
      class:
        (call.operands.length <= 1 ||
          hasOption(call, "-l", "--list", "--contains", "--points-at")) &&
        !hasOption(call, "-a", "-s", "-m", "-F")
          ? "read"
          : "write",
    };
  },
  remote: (call, verdict) => {
    const verb = call.operands[1]?.word.text;
    if (call.operands.length === 1 || verb === "get-url") return { ...verdict, class: "read" };
    return {
      ...verdict,
      class: verb === "show" || verb === "update" || verb === "prune" ? "plan" : "write",
    };
  },
  stash: (call, verdict) => {
    const verb = call.operands[1]?.word.text;
    if (verb === "list" || verb === "show") return { ...verdict, class: "read" };
    return verb === "drop" || verb === "clear"
      ? { ...verdict, class: "destroy", reason: "throws stashed changes away" }
      : verdict;
  },
  config: (call, verdict) => {
    const first = call.operands[1]?.word.text;
    const reads =
      hasOption(call, "--get", "--get-all", "--get-regexp", "--list", "-l", "--show-origin") ||
      first === "get" ||
      first === "list" ||
      (call.operands.length === 2 &&
        first !== undefined &&
        first !== "edit" &&
        !mayHaveOption(
          call,
          "--unset",
          "--unset-all",
          "--add",
          "--replace-all",
          "--edit",
          "-e",
          "--remove-section",
        ));
    return {
      ...verdict,
      class: reads && !call.dynamic ? "read" : "mutate",
      ...(reads ? {} : { reason: "changes what git runs and where it pushes" }),
    };
  },
  worktree: (call, verdict) =>
    call.operands[1]?.word.text === "list"
      ? { ...verdict, class: "read" }
      : call.operands[1]?.word.text === "remove"
        ? { ...verdict, class: "destroy" }
        : verdict,
  submodule: (call, verdict) =>
    /^(status|summary)$/.test(call.operands[1]?.word.text ?? "status")
      ? { ...verdict, class: "read" }
      : call.operands[1]?.word.text === "foreach"
        ? foreach(call, verdict)
        : { ...verdict, class: "mutate" },
  reflog: (call, verdict) =>
    /^(expire|delete)$/.test(call.operands[1]?.word.text ?? "")
      ? { ...verdict, class: "destroy" }
      : verdict,
  rebase: (call, verdict) => execRun(call, verdict, ["-x", "--exec"]),
  bisect: (call, verdict) =>
    call.operands[1]?.word.text === "run"
      ? { ...verdict, runs: [{ type: "words", words: operandWords(call, 2) }] }
      : call.operands[1]?.word.text === "log"
        ? { ...verdict, class: "read" }
        : verdict,
  rm: (call, verdict) =>
    mayHaveOption(call, "-r", "-f", "--force")
      ? { ...verdict, class: "destroy", reason: "deletes files, changed ones and folders too" }
      : verdict,
  gc: (call, verdict) =>
    mayHaveOption(call, "--prune")
      ? { ...verdict, class: "destroy", reason: "removes the way back to lost commits" }
      : verdict,
  "update-ref": (call, verdict) =>
    mayHaveOption(call, "-d", "--stdin")
      ? { ...verdict, class: "destroy", reason: "deletes references" }
      : verdict,
  apply: (call, verdict) =>
    hasOption(call, "--check", "--stat", "--numstat", "--summary") && !hasOption(call, "--apply")
      ? { ...verdict, class: "read" }
      : verdict,
  notes: (call, verdict) =>
    /^(list|show)$/.test(call.operands[1]?.word.text ?? "list")
      ? { ...verdict, class: "read" }
      : verdict,
};

function foreach(call: Invocation, verdict: Verdict): Verdict {
  const words = operandWords(call, 2);
  if (words.some(({ text }) => text === undefined)) return { ...verdict, class: "unknown" };
  return {
    ...verdict,
    class: "read",
    runs: [{ type: "script", text: words.map(({ text }) => text).join(" ") }],
  };
}

function execRun(call: Invocation, verdict: Verdict, names: readonly string[]): Verdict {
  const runs: Run[] = [];
  for (const word of valuesOf(call, ...names)) {
    if (word.text === undefined)
      return { ...verdict, class: "unknown", reason: "runs text known only at run time" };
    runs.push({ type: "script", text: word.text });
  }
  return { ...verdict, runs };
}

/** What the flags of a verb make of its verdict. */
export const GIT_BY_FLAGS: ReadonlyMap<string, (call: Invocation, verdict: Verdict) => Verdict> =
  new Map(Object.entries(RULES));
