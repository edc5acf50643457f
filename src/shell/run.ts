// One command of the line: a function, an alias, a builtin, a wrapper, or a program with a table. Emits what runs.

import { join } from "node:path/posix";
import { type CommandClass, type InnerCommand, rankOf, worse } from "./analysis.ts";
import { noteVariable, setVariable } from "./assignments.ts";
import { BUILTINS, INERT_BUILTINS } from "./builtins.ts";
import { classify, type Classified, isKnownProgram, programName } from "./classify.ts";
import { filesOf } from "./files.ts";
import { fromFolder, isForeignProgram, isKeptByTool } from "./paths.ts";
import { runRecipe } from "./run-recipe.ts";
import { type Scope, UNKNOWN_INPUT } from "./scope.ts";
import { assign, emit, emitUnknown } from "./state.ts";
import type { Recipe, Run, TableContext } from "./tables/table.ts";
import { type Stdin, isWrapper, unwrap, type Unwrapped } from "./unwrap.ts";
import { printed } from "./output.ts";
import { MARK } from "./braces.ts";
import { literal, type Values, type Word } from "./words.ts";

/** `NAME=value` before a command. */
export type Prefix = readonly (readonly [name: string, values: Values])[];

const textsOf = (words: readonly Word[]): InnerCommand["argv"] => words.map((word) => word.text);

/** Runs one argument list with its prefix assignments; answers what it prints, where that is known. */
export function runCommand(scope: Scope, words: readonly Word[], prefix: Prefix): Stdin {
  for (const [name, values] of prefix) {
    if (words.length === 0) setVariable(scope, name, values, scope.conditional);
    else noteVariable(scope, name, values);
  }
  if (words.length === 0) return UNKNOWN_INPUT;
  if (words[0]?.text === undefined) {
    emitUnknown(scope.state, "the program is known only at run time", textsOf(words));
    return UNKNOWN_INPUT;
  }
  const from = scope.state.commands.length;
  const isForeign = isForeignProgram(words[0].text, scope.state.variables.get("PATH"));
  const saved = new Map(prefix.map(([name]) => [name, scope.state.variables.get(name)]));
  for (const [name, values] of prefix) assign(scope.state, name, values, false);
  const output = dispatch(scope, words[0].text, words);
  // `./ls` may do anything; what its name already makes destructive stays that.
  const isDestroy = scope.state.commands
    .slice(from)
    .some((command) => rankOf(command.class) >= rankOf("destroy"));
  if (isForeign && !isDestroy)
    emitUnknown(
      scope.state,
      `${words[0].text} stands outside the folders of installed programs: its name does not say what it does`,
      textsOf(words),
    );
  for (const [name, values] of saved) {
    if (values === undefined) scope.state.variables.delete(name);
    else scope.state.variables.set(name, values);
  }
  return output;
}

function dispatch(scope: Scope, name: string, words: readonly Word[]): Stdin {
  const isFunction = runFunction(scope, name, words);
  const isAlias = runAlias(scope, name, words);
  const program = programName(name);
  const isKnown = isKnownProgram(name) || isWrapper(program) || BUILTINS.has(program);
  // Where the name is a known program too, both may be what runs.
  if ((isFunction || isAlias) && !isKnown) return UNKNOWN_INPUT;
  if (
    INERT_BUILTINS.has(program) &&
    words.some(({ text }) => text !== undefined && /\$\(|`/.test(text))
  ) {
    // An array index in a variable's name is evaluated, commands in it run.
    emitUnknown(scope.state, `${program} is given text that the shell may run`, textsOf(words));
    return UNKNOWN_INPUT;
  }
  if (BUILTINS.get(program)?.(scope, words) === true) return UNKNOWN_INPUT;
  const unwrapped = unwrap(words, scope.stdin);
  if (unwrapped !== undefined) return runWrapper(scope, words, unwrapped);
  return runProgram(scope, words);
}

function runFunction(scope: Scope, name: string, words: readonly Word[]): boolean {
  const bodies = scope.state.functions.get(name);
  if (bodies === undefined) return false;
  const args = words.slice(1).map((word) => word.text);
  for (const body of bodies) {
    scope.state.called.add(body);
    withArguments(scope, args, () =>
      scope.walkAll({ ...scope, text: body.text, depth: scope.depth + 1 }, [body.node]),
    );
  }
  return true;
}

/** `$1`, `$@` and so on while `inside` runs. */
export function withArguments(
  scope: Scope,
  args: readonly (string | undefined)[],
  inside: () => void,
): void {
  const names = ["@", "*", ...Array.from({ length: 9 }, (_v, n) => String(n + 1))];
  const saved = new Map(names.map((name) => [name, scope.state.variables.get(name)]));
  const joined = (by: string) => (args.includes(undefined) ? undefined : args.join(by));
  const valueOf = (name: string): string | undefined => {
    if (name === "@") return joined(MARK.item);
    if (name === "*") return joined(" ");
    return Number(name) <= args.length ? args[Number(name) - 1] : "";
  };
  for (const name of names) scope.state.variables.set(name, [valueOf(name)]);
  inside();
  for (const [name, values] of saved) {
    if (values === undefined) scope.state.variables.delete(name);
    else scope.state.variables.set(name, values);
  }
}

/** Aliases count although bash expands them only when told to: what may run counts. */
function runAlias(scope: Scope, name: string, words: readonly Word[]): boolean {
  const bodies = scope.state.aliases.get(name);
  if (bodies === undefined) return false;
  for (const body of bodies) {
    const rest = textsOf(words.slice(1));
    const inner: Scope = { ...scope, depth: scope.depth + 1 };
    // Its own name inside an alias is the program, not the alias again.
    scope.state.aliases.delete(name);
    if (/^[\w\s./:=@%+-]+$/.test(body))
      runCommand(inner, [...body.trim().split(/\s+/).map(literal), ...words.slice(1)], []);
    else if (rest.includes(undefined))
      emitUnknown(scope.state, "an alias is given words known only at run time");
    else
      scope.walkText(
        inner,
        `${body} ${rest.map((word) => `'${(word ?? "").replaceAll("'", "'\\''")}'`).join(" ")}`,
      );
    scope.state.aliases.set(name, bodies);
  }
  return true;
}

function runWrapper(scope: Scope, words: readonly Word[], found: Unwrapped): Stdin {
  if (found.floor !== undefined || found.shown === true) {
    const [name = "", ...rest] = textsOf(words);
    const commandClass = found.floor ?? "read";
    emit(scope.state, {
      argv: [programName(name), ...rest],
      class: commandClass,
      scope: commandClass === "unknown" ? [] : [programName(name)],
      ...(found.reason === undefined ? {} : { reason: found.reason }),
      reads: [],
      writes: [],
    });
  }
  if (found.shown === true)
    scope.state.warnings.add(`${words[0]?.text ?? ""} runs it with the rights of another user`);
  if (found.recipe !== undefined) runRecipe(scope, found.recipe, "unknown");
  const inner = { ...scope, places: [...scope.places, ...(found.places ?? [])] };
  return runAll(inner, found.runs);
}

function runAll(scope: Scope, runs: readonly Run[]): Stdin {
  let output = UNKNOWN_INPUT;
  for (const run of runs)
    output = runOne(
      { ...scope, depth: scope.depth + 1, elsewhere: scope.elsewhere || run.elsewhere === true },
      run,
    );
  return runs.length === 1 ? output : UNKNOWN_INPUT;
}

/** Deepest nesting of wrappers; text that nests is bounded by the walk itself. */
const MAX_WRAPPERS = 24;

function runOne(scope: Scope, run: Run): Stdin {
  if (scope.depth > MAX_WRAPPERS) {
    emitUnknown(scope.state, "nests too deep to follow");
    return UNKNOWN_INPUT;
  }
  if (run.type === "script") {
    const [name, ...args] = run.args ?? [];
    const { folders } = scope.state;
    if (name !== undefined) assign(scope.state, "0", [name.text], false);
    withArguments(
      scope,
      args.map((word) => word.text),
      () => scope.walkText(scope, run.text),
    );
    scope.state.folders = folders;
    return UNKNOWN_INPUT;
  }
  const { folders } = scope.state;
  if (run.directory !== undefined) {
    const target = run.directory.text;
    scope.state.folders = folders.map((folder) =>
      folder === undefined || target === undefined ? undefined : fromFolder(folder, target),
    );
  }
  const prefix = (run.env ?? []).map(([name, value]) => [name, [value.text]] as const);
  const output = runCommand(scope, run.words, prefix);
  if (run.directory !== undefined) scope.state.folders = folders;
  return output;
}

function contextOf(scope: Scope): TableContext {
  return {
    earlier: scope.state.commands,
    variable: (name) => scope.state.variables.get(name) ?? [],
    stdin: scope.stdin.type === "text" ? scope.stdin.text : undefined,
  };
}

function runProgram(scope: Scope, words: readonly Word[]): Stdin {
  const { state } = scope;
  const folders = state.folders.flatMap((folder) => folder ?? []);
  const found = classify(words, contextOf(scope), [state.cwd, ...folders, ...scope.places]);
  for (const warning of found.warnings ?? []) state.warnings.add(warning);
  const files = filesOf(scope, {
    class: found.class,
    reads: (found.reads ?? []).map((word) => word.text),
    writes: (found.writes ?? []).map((word) => word.text),
    namesOnly: found.namesOnly === true,
  });
  const commandClass = worse(found.class, files.floor);
  emit(state, toInner(found, commandClass, files.reads, files.writes, files.reason));
  const recipe = found.recipe ?? fileOf(words, found);
  if (recipe !== undefined) runRecipe(scope, recipe, found.class);
  runAll(scope, found.runs ?? []);
  const [folder, ...others] = state.folders;
  if (
    found.argv[0]?.text === "pwd" &&
    words.length === 1 &&
    folder !== undefined &&
    others.length === 0
  )
    return { type: "text", text: `${join(state.cwd, folder)}\n` };
  return printed(found, scope.stdin);
}

/** An unknown program that is named by its path may be a script: `./deploy.sh`. */
function fileOf(words: readonly Word[], { class: own }: Classified): Recipe | undefined {
  const path = words[0]?.text;
  if (own !== "unknown" || path?.includes("/") !== true) return undefined;
  return { kind: "script", files: [path], targets: [] };
}

const ALWAYS_MAX: CommandClass = "mutate";

function toInner(
  found: Classified,
  commandClass: CommandClass,
  reads: readonly string[],
  writes: readonly string[],
  fileReason: string | undefined,
): InnerCommand {
  const isKept = writes.some(isKeptByTool);
  const always = rankOf(commandClass) <= rankOf(ALWAYS_MAX) && !isKept;
  const reason = commandClass === found.class ? (found.reason ?? fileReason) : fileReason;
  return {
    argv: textsOf(found.argv),
    class: commandClass,
    scope: always ? found.scope : [],
    ...(reason === undefined ? {} : { reason }),
    reads,
    writes,
  };
}
