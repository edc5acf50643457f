// The contract of a sub-command and the strict way its arguments are read: citty accepts unknown options silently, so
// they are checked here first.

import { type ArgsDef, parseArgs } from "citty";
import { didYouMean } from "../iac/nearest.ts";

export type CliArgs = Readonly<Record<string, string | boolean | readonly string[] | undefined>>;

export type CliCommand = {
  readonly name: string;
  readonly summary: string;
  /** Longer help behind the options. */
  readonly details?: string;
  readonly args: ArgsDef;
  /** Options that may be given more than once. */
  readonly repeatable?: readonly string[];
  /** Exit code of a wrong call, where 2 already means something else. */
  readonly usageExit?: number;
  /** Resolves with the exit code. */
  readonly run: (args: CliArgs, signal: AbortSignal) => Promise<number>;
};

/** A wrong call: exit code 2, a message and the way to the help. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

export const EXIT = { ok: 0, error: 1, usage: 2, denied: 3, cancelled: 130 } as const;

export function defineCli(command: CliCommand): CliCommand {
  return command;
}

/** Reads `argv` by the command's own definition. Throws UsageError for unknown options, missing values and extra words. */
export function readArgs({ args, repeatable = [] }: CliCommand, argv: readonly string[]): CliArgs {
  const byFlag = new Map<string, string>();
  for (const [name, definition] of Object.entries(args)) {
    if (definition.type === "positional") continue;
    byFlag.set(`--${name}`, name);
    if (definition.type === "boolean") byFlag.set(`--no-${name}`, name);
  }
  const repeated: Record<string, string[]> = {};
  const words: string[] = [];
  for (let index = 0; index < argv.length; index += 1) {
    const word = argv[index] ?? "";
    if (word === "--") {
      words.push(...argv.slice(index + 1));
      break;
    }
    if (!word.startsWith("-") || word === "-") {
      words.push(word);
      continue;
    }
    const [flag = word, inline] = word.split(/=(.*)/s);
    const name = byFlag.get(flag);
    if (name === undefined)
      throw new UsageError(`Unknown option ${flag}.${didYouMean(flag, byFlag.keys())}`);
    if (args[name]?.type === "boolean") continue;
    const value = inline ?? argv[(index += 1)];
    if (value === undefined || (inline === undefined && value.startsWith("--")))
      throw new UsageError(`Option ${flag} needs a value`);
    if (repeatable.includes(name)) (repeated[name] ??= []).push(value);
  }
  const places = Object.values(args).filter(
    (definition) => definition.type === "positional",
  ).length;
  if (words.length > places)
    throw new UsageError(
      `Unexpected argument ${JSON.stringify(words[places])}; quote a text of several words`,
    );
  let parsed: CliArgs;
  try {
    parsed = parseArgs([...argv], args);
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
  return { ...pick(parsed, Object.keys(args)), ...repeated };
}

function pick(args: CliArgs, names: readonly string[]): CliArgs {
  return Object.fromEntries(names.map((name) => [name, args[name]]));
}

/** A text option, `undefined` when absent. */
export function textOf(args: CliArgs, name: string): string | undefined {
  const value = args[name];
  return typeof value === "string" ? value : undefined;
}
