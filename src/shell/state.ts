// What the shell knows while a line is walked: variables with every value they may have, folders it may stand in,
// functions, aliases. Branches that may or may not run only ever add values, so nothing is forgotten.

import { type CommandClass, type InnerCommand, worse } from "./analysis.ts";
import type { Parsed, ShellNode } from "./parse.ts";
import type { Values } from "./words.ts";

/** Most values that are kept for a variable; beyond that it is known only at run time. */
const MAX_VALUES = 32;
/** Most inner commands of one line; beyond that the line is unknown. */
const MAX_INNER_COMMANDS = 2_000;

export type FunctionBody = { readonly node: ShellNode; readonly text: string };

/** The files that recipes were asked for and their text; `undefined` as a value when there is none. */
export type RecipeTexts = ReadonlyMap<string, string | undefined>;

export type ShellState = {
  readonly variables: Map<string, Values>;
  readonly functions: Map<string, FunctionBody[]>;
  /** Bodies that were walked: a name may be defined anew, and then stands for another one. */
  readonly called: Set<FunctionBody>;
  readonly aliases: Map<string, string[]>;
  /** Folders the shell may stand in, relative to where the line starts; `undefined` is one known only at run time. */
  folders: readonly (string | undefined)[];
  /** Where a `cd` that succeeds leads. */
  cdTarget: readonly (string | undefined)[] | undefined;
  readonly commands: InnerCommand[];
  readonly warnings: Set<string>;
  /** Entries of `commands` that only start a recipe. */
  readonly starters: Set<InnerCommand>;
  /** The most harmful class so far: whether an earlier part of the line may change a recipe. */
  worst: CommandClass;
  readonly recipes: RecipeTexts;
  /** Recipe files that were looked for and not yet read. */
  readonly wanted: Set<string>;
  readonly parse: (text: string) => Parsed;
  /** Statements walked so far; a bound on what functions that call each other may cost. */
  steps: number;
  /** Absolute path of where the line starts. */
  readonly cwd: string;
};

export type Surroundings = Pick<ShellState, "recipes" | "parse" | "cwd"> & {
  readonly env: Readonly<Record<string, string | undefined>>;
};

export function createState({ env, recipes, parse, cwd }: Surroundings): ShellState {
  const variables = new Map<string, Values>();
  for (const [name, value] of Object.entries(env))
    if (value !== undefined) variables.set(name, [value]);
  return {
    variables,
    functions: new Map(),
    called: new Set(),
    aliases: new Map(),
    folders: [""],
    cdTarget: undefined,
    commands: [],
    warnings: new Set(),
    starters: new Set(),
    worst: "read",
    recipes,
    wanted: new Set(),
    parse,
    cwd,
    steps: 0,
  };
}

/** Adds a command to what is found. Past the limit one last entry says that there is more. */
export function emit(state: ShellState, command: InnerCommand): void {
  if (state.commands.length > MAX_INNER_COMMANDS) return;
  const isLast = state.commands.length === MAX_INNER_COMMANDS;
  const reason = `more than ${MAX_INNER_COMMANDS} commands`;
  const entry: InnerCommand = isLast
    ? { argv: [], class: "unknown", scope: [], reason, reads: [], writes: [] }
    : command;
  state.commands.push(entry);
  state.worst = worse(state.worst, entry.class);
}

/** An entry for something that is not understood. */
export function emitUnknown(
  state: ShellState,
  reason: string,
  argv: InnerCommand["argv"] = [],
): void {
  emit(state, { argv, class: "unknown", scope: [], reason, reads: [], writes: [] });
}

/** Sets a variable; where that may not happen, the earlier values stay possible. */
export function assign(
  state: ShellState,
  name: string,
  values: Values,
  conditional: boolean,
): void {
  const before = conditional ? (state.variables.get(name) ?? [undefined]) : [];
  const joined = [...new Set([...before, ...values])];
  state.variables.set(name, joined.length > MAX_VALUES ? [undefined] : joined);
}

export const joinFolders = (
  a: ShellState["folders"],
  b: ShellState["folders"],
): ShellState["folders"] => [...new Set([...a, ...b])];

/** A fingerprint of what later commands depend on; loops are walked until it stands still. */
export function fingerprint(state: ShellState): string {
  const sizes = [...state.variables].map(
    ([name, values]) => `${name}=${values.map(String).join("\u0001")}`,
  );
  return `${sizes.join("\u0002")}|${state.folders.map(String).join("\u0001")}|${state.functions.size}|${state.aliases.size}`;
}
