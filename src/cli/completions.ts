// iac-code completions: what a shell needs to complete commands, options and their words, made from the commands themselves.

import type { ArgDef } from "citty";
import { type CliCommand, EXIT, UsageError, defineCli, textOf } from "./command.ts";
import { KNOWN_WORDS } from "./reference.ts";
import { toBash, toFish, toZsh } from "./completion-scripts.ts";

/** What an option or argument takes. */
export type Takes =
  | { readonly type: "nothing" }
  | { readonly type: "text" }
  | { readonly type: "files" }
  | { readonly type: "folders" }
  | { readonly type: "words"; readonly words: readonly string[] };
export type Completion = {
  readonly name: string;
  readonly help: string;
  readonly options: readonly {
    readonly flag: string;
    readonly help: string;
    readonly takes: Takes;
  }[];
  /** Words of the first argument. */
  readonly words: readonly string[];
};

const SHELLS = { bash: toBash, zsh: toZsh, fish: toFish } as const;
const FOLDER_HINTS: ReadonlySet<string> = new Set(["DIR"]);
const FILE_HINTS: ReadonlySet<string> = new Set(["FILE", "PATH"]);

function takesOf(flag: string, definition: ArgDef): Takes {
  const words = KNOWN_WORDS[flag];
  if (definition.type === "boolean") return { type: "nothing" };
  if (definition.type === "enum") return { type: "words", words: definition.options ?? [] };
  if (words !== undefined) return { type: "words", words };
  if (FOLDER_HINTS.has(definition.valueHint ?? "")) return { type: "folders" };
  return { type: FILE_HINTS.has(definition.valueHint ?? "") ? "files" : "text" };
}

function toCompletion({ name, summary, args }: CliCommand): Completion {
  const options = Object.entries(args)
    .filter(([, { type }]) => type !== "positional")
    .map(([option, definition]) => {
      const flag = `--${option}`;
      return { flag, help: definition.description ?? "", takes: takesOf(flag, definition) };
    });
  const first = Object.keys(args).find((key) => args[key]?.type === "positional");
  const help = { flag: "--help", help: "print help", takes: { type: "nothing" } } as const;
  return {
    name,
    help: summary,
    options: [...options, help],
    words: KNOWN_WORDS[`${name} ${first}`] ?? [],
  };
}

const isShell = (name: string | undefined): name is keyof typeof SHELLS =>
  name !== undefined && Object.hasOwn(SHELLS, name);

export const completions = defineCli({
  name: "completions",
  summary: "print completions for bash, zsh or fish",
  args: {
    shell: { type: "positional", required: false, description: Object.keys(SHELLS).join(", ") },
  },
  run: async (args) => {
    const shell = textOf(args, "shell");
    if (!isShell(shell)) throw new UsageError(`Name a shell: ${Object.keys(SHELLS).join(", ")}`);
    const { commands } = await import("./all.ts");
    const loaded = await Promise.all(Object.values(commands).map((load) => load()));
    process.stdout.write(SHELLS[shell](loaded.map(toCompletion)));
    return EXIT.ok;
  },
});
