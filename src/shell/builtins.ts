// The shell's own commands that change what later commands mean. Others are in the tables or unknown.

import { INTEGER, setVariable } from "./assignments.ts";
import { runRecipe } from "./run-recipe.ts";
import { MARK } from "./braces.ts";
import { fromFolder } from "./paths.ts";
import type { Scope } from "./scope.ts";
import { assign, emit, emitUnknown, joinFolders } from "./state.ts";
import type { Word } from "./words.ts";

/** Handles a builtin; false leaves the words to the tables. */
type Builtin = (scope: Scope, words: readonly Word[]) => boolean;

/** Builtins whose arguments name variables, where an index is evaluated. */
export const INERT_BUILTINS: ReadonlySet<string> = new Set(
  "test [ printf read unset let declare typeset local export readonly mapfile readarray wait getopts".split(
    " ",
  ),
);

function note(scope: Scope, words: readonly Word[], reads: readonly string[] = []): void {
  const argv = words.map((word) => word.text);
  emit(scope.state, { argv, class: "read", scope: [argv[0] ?? ""], reads, writes: [] });
}

const changeFolder: Builtin = (scope, words) => {
  const target = words
    .slice(1)
    .find((word) => word.text === undefined || !/^-[LPe@]+$|^--$/.test(word.text));
  const { folders } = scope.state;
  const text = target === undefined ? (scope.state.variables.get("HOME")?.[0] ?? "~") : target.text;
  const isPlain = text !== undefined && text !== "-" && !/^[+-]\d|[*?[]/.test(text);
  const next = folders.map((folder) =>
    isPlain && folder !== undefined ? fromFolder(folder, text) : undefined,
  );
  // It may fail, and the next command then runs where the shell stood before.
  scope.state.folders = joinFolders(next, folders);
  scope.state.cdTarget = next;
  note(
    scope,
    words,
    next.flatMap((folder) => folder ?? []),
  );
  return true;
};

const evaluate: Builtin = (scope, words) => {
  const texts = words.slice(1).map((word) => word.text);
  if (texts.includes(undefined))
    emitUnknown(scope.state, "eval runs text known only at run time", ["eval", ...texts]);
  else scope.walkText(scope, texts.join(" "));
  return true;
};

const source: Builtin = (scope, words) => {
  const argv = words.map((word) => word.text);
  emitUnknown(scope.state, "runs a file in this shell", argv);
  const file = argv[1];
  if (file !== undefined)
    runRecipe(scope, { kind: "script", files: [file], targets: [] }, "unknown");
  return true;
};

const trap: Builtin = (scope, words) => {
  const [, action, ...signals] = words;
  note(scope, words);
  if (
    action === undefined ||
    action.text === "" ||
    action.text === "-" ||
    /^-[lp]$/.test(action.text ?? "?") ||
    signals.length === 0
  )
    return true;
  if (action.text === undefined) emitUnknown(scope.state, "trap runs text known only at run time");
  else scope.walkText({ ...scope, conditional: true }, action.text);
  return true;
};

const alias: Builtin = (scope, words) => {
  note(scope, words);
  for (const word of words.slice(1)) {
    const parts = /^([^=]+)=([\s\S]*)$/.exec(word.text ?? "");
    if (word.text === undefined)
      emitUnknown(scope.state, "defines an alias known only at run time");
    const [, name, body] = parts ?? [];
    if (name !== undefined && body !== undefined)
      scope.state.aliases.set(name, [...(scope.state.aliases.get(name) ?? []), body]);
  }
  return true;
};

/** read, mapfile: variables get what stands on stdin. */
const readVariables: Builtin = (scope, words) => {
  const names = words
    .slice(1)
    .flatMap((word) =>
      word.text === undefined ? ["?"] : word.text.startsWith("-") ? [] : [word.text],
    );
  if (names.includes("?") || words.some((word) => /^-[^-]*C/.test(word.text ?? "")))
    emitUnknown(scope.state, "reads into variables named only at run time");
  note(scope, words);
  for (const name of [...names, "REPLY", "MAPFILE"])
    if (/^[A-Za-z_]\w*$/.test(name)) setVariable(scope, name, [undefined], false);
  return true;
};

/** Prints every variable, keys among them. */
function noteEnvironment(scope: Scope, words: readonly Word[]): void {
  scope.state.warnings.add("prints secrets: the environment may hold keys");
  const argv = words.map((word) => word.text);
  emit(scope.state, { argv, class: "plan", scope: [argv[0] ?? ""], reads: [], writes: [] });
}

const set: Builtin = (scope, words) => {
  if (words.length === 1) {
    noteEnvironment(scope, words);
    return true;
  }
  const dashes = words.findIndex((word) => word.text === "--");
  note(scope, words);
  const first = words[1]?.text;
  const args =
    dashes >= 0
      ? words.slice(dashes + 1)
      : first === undefined || !/^[+-]/.test(first)
        ? words.slice(1)
        : [];
  if (words.length > 1 && (dashes >= 0 || args.length > 0)) {
    assign(
      scope.state,
      "@",
      [
        args.some((word) => word.text === undefined)
          ? undefined
          : args.map((word) => word.text).join(MARK.item),
      ],
      false,
    );
    for (const [index, word] of args.entries())
      assign(scope.state, String(index + 1), [word.text], false);
  }
  return true;
};

const shift: Builtin = (scope, words) => {
  note(scope, words);
  for (const name of ["@", "*", "1", "2", "3", "4", "5", "6", "7", "8", "9"])
    assign(scope.state, name, [undefined], false);
  return true;
};

/** `command export A=1`: declarations that reach us as plain words. */
const declare: Builtin = (scope, words) => {
  if (words.slice(1).every((word) => word.text?.startsWith("-") === true))
    noteEnvironment(scope, words);
  else note(scope, words);
  if (words.some((word) => /^-[^-]*i/.test(word.text ?? ""))) emitUnknown(scope.state, INTEGER);
  for (const word of words.slice(1)) {
    const parts = /^([A-Za-z_]\w*)\+?=([\s\S]*)$/.exec(word.prefix);
    if (parts?.[1] !== undefined)
      setVariable(
        scope,
        parts[1],
        [word.text === undefined ? undefined : parts[2]],
        scope.conditional,
      );
    else if (word.text === undefined)
      emitUnknown(scope.state, "declares a variable named only at run time");
  }
  return true;
};

const printf: Builtin = (scope, words) => {
  if (words[1]?.text !== "-v") return false;
  readVariables(scope, [words[0] ?? words[1], ...words.slice(2, 3)]);
  return true;
};

/** `test -v NAME` evaluates an index in the name. */
const test: Builtin = (scope, words) => {
  if (words.some((word) => word.text === "-v") && words.some((word) => word.text === undefined))
    emitUnknown(scope.state, "names a variable at run time");
  return false;
};

const letBuiltin: Builtin = (scope, words) => {
  const names = words.slice(1).flatMap((word) => word.text?.match(/[A-Za-z_]\w*/g) ?? []);
  if (
    words.some((word) => word.text === undefined) ||
    names.some((name) => scope.state.variables.get(name)?.includes(undefined) === true)
  )
    emitUnknown(scope.state, "arithmetic over a value known only at run time");
  note(scope, words);
  return true;
};

export const BUILTINS: ReadonlyMap<string, Builtin> = new Map(
  Object.entries({
    cd: changeFolder,
    pushd: changeFolder,
    popd: (scope, words) => {
      scope.state.folders = [undefined];
      note(scope, words);
      return true;
    },
    eval: evaluate,
    source,
    ".": source,
    trap,
    alias,
    read: readVariables,
    mapfile: readVariables,
    readarray: readVariables,
    getopts: readVariables,
    set,
    shift,
    export: declare,
    declare,
    typeset: declare,
    local: declare,
    readonly: declare,
    printf,
    test,
    "[": test,
    let: letBuiltin,
  }),
);
