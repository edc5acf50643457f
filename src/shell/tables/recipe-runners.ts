// make, just and task: a target's recipe is read and analysed, never trusted blindly.

import {
  hasOption,
  type Invocation,
  mayHaveOption,
  operandWords,
  valuesOf,
} from "../invocation.ts";
import type { CliTable, Recipe, Verdict } from "./table.ts";
import { list } from "./verbs.ts";

type Kind = "make" | "just" | "task";
const FILES: Readonly<Record<Kind, readonly string[]>> = {
  make: ["GNUmakefile", "makefile", "Makefile"],
  just: ["justfile", "Justfile", ".justfile"],
  task: ["Taskfile.yml", "Taskfile.yaml", "taskfile.yml", "taskfile.yaml", "Taskfile.dist.yml"],
};
const FILE_OPTIONS = list("-f --file --makefile -t --taskfile --justfile");
const FOLDER_OPTIONS = list("-C --directory -d --dir --working-directory");

function recipeOf(kind: Kind, call: Invocation): Recipe | undefined {
  const words = operandWords(call).map(({ text }) => text);
  // Variables on the command line change the recipe, and just gives further words to the first target.
  if (words.some((word) => word === undefined || word.includes("="))) return undefined;
  const files = valuesOf(
    call,
    ...(kind === "task"
      ? FILE_OPTIONS.filter((name) => name !== "-f")
      : FILE_OPTIONS.filter((name) => name !== "-t")),
  ).map(({ text }) => text);
  const folder = valuesOf(call, ...FOLDER_OPTIONS).map(({ text }) => text);
  if (
    files.includes(undefined) ||
    folder.includes(undefined) ||
    folder.length > 1 ||
    files.length > 1
  )
    return undefined;
  const named = files.flatMap((file) => file ?? []);
  const inFolder = (file: string): string =>
    folder[0] === undefined ? file : `${folder[0]}/${file}`;
  return {
    kind,
    files: (named.length > 0 ? named : FILES[kind]).map(inFolder),
    targets: words.flatMap((word) => word ?? []),
  };
}

function inspect(kind: Kind, lists: readonly string[]) {
  return (call: Invocation, verdict: Verdict): Verdict => {
    if (hasOption(call, ...lists) && call.operands.length === 0)
      return { ...verdict, class: "read" };
    const recipe = recipeOf(kind, call);
    const unsafe =
      call.dynamic ||
      mayHaveOption(
        call,
        "--eval",
        "-E",
        "-I",
        "--include-dir",
        "--shell",
        "--shell-arg",
        "--set",
      ) ||
      call.options.some(({ listed }) => !listed);
    if (recipe === undefined || unsafe || valuesOf(call, ...FOLDER_OPTIONS).length > 0) {
      return {
        ...verdict,
        class: "unknown",
        reason: "what the target runs depends on the command line",
        ...(recipe === undefined ? {} : { recipe }),
      };
    }
    return {
      ...verdict,
      class: "write",
      reason: `runs a target of ${kind}`,
      recipe,
      always: false,
    };
  };
}

const SHORT = { clusters: true };

export const make: CliTable = {
  name: "make",
  programs: ["make", "gmake"],
  options: {
    ...SHORT,
    withValue: list(
      "-f --file --makefile -C --directory -j --jobs -l -o -W -I --include-dir --eval -E",
    ),
    flags: list(
      "-s --silent --quiet -k --keep-going -B --always-make -n --dry-run --just-print -v --version --no-print-directory -i --ignore-errors",
    ),
  },
  otherwise: "write",
  // -n still runs $(shell …) and lines with +, so it lowers nothing.
  inspect: inspect("make", ["-v", "--version"]),
};

export const just: CliTable = {
  name: "just",
  programs: ["just"],
  options: {
    ...SHORT,
    withValue: list("-f --justfile -d --working-directory --set --shell --shell-arg"),
    flags: list("-l --list --summary --version -q --quiet -v --verbose --show -n --dry-run --yes"),
  },
  otherwise: "write",
  inspect: inspect("just", ["-l", "--list", "--summary", "--version", "-V"]),
};

export const task: CliTable = {
  name: "task",
  programs: ["task", "go-task"],
  options: {
    ...SHORT,
    withValue: list("-t --taskfile -d --dir -o --output -C --concurrency"),
    flags: list(
      "-l --list -a --list-all --version -s --silent -v --verbose -f --force -y --yes -n --dry",
    ),
  },
  otherwise: "write",
  inspect: inspect("task", ["-l", "--list", "-a", "--list-all", "--version"]),
};
