// `bash -c …`, `sh -ec …`, a here-document into a shell: the text the shell runs, when it is literal.

import { type Invocation, readInvocation, valuesOf } from "./invocation.ts";
import { isHarmlessShopt } from "./shell-options.ts";
import type { Recipe, Run } from "./tables/table.ts";
import type { Word } from "./words.ts";

/** Shells whose language is close enough to bash's to be analysed as bash. */
export const SHELLS: ReadonlySet<string> = new Set([
  "bash",
  "sh",
  "dash",
  "zsh",
  "ksh",
  "mksh",
  "ash",
  "rbash",
]);

const OPTIONS = {
  withValue: ["-o", "+o", "-O", "+O", "--rcfile", "--init-file"],
  flags: [
    "--norc",
    "--noprofile",
    "--posix",
    "--login",
    "--verbose",
    "--restricted",
    "--noediting",
  ],
  clusters: true,
  stopAtOperand: true,
} as const;

type Unwrapped = {
  readonly runs: readonly Run[];
  readonly floor?: "unknown" | "read";
  readonly reason?: string;
  readonly recipe?: Recipe;
};
const unknown = (reason: string): Unwrapped => ({ runs: [], floor: "unknown", reason });

function fromStdin(
  program: string,
  call: Invocation,
  stdin: { readonly type: string; readonly text?: string },
): Unwrapped {
  if (stdin.type === "text" && stdin.text !== undefined)
    return {
      runs: [{ type: "script", text: stdin.text, args: call.operands.map(({ word }) => word) }],
    };
  return unknown(`${program} runs whatever comes in on its input`);
}

/** What a shell started with these words runs. */
export function unwrapShell(
  program: string,
  words: readonly Word[],
  stdin: { readonly type: string; readonly text?: string },
): Unwrapped {
  const call = readInvocation(program, words, OPTIONS);
  const names = call.options.map((option) => option.name);
  if (
    call.options.some(
      (option) =>
        !option.listed || (option.value?.text === undefined && option.value !== undefined),
    )
  )
    return unknown(`${program} has an option that is not known here`);
  if (names.length === 1 && names[0] === "--version") return { runs: [], floor: "read" };
  if (valuesOf(call, "--rcfile", "--init-file").length > 0)
    return unknown(`${program} loads a start-up file`);
  if (
    valuesOf(call, "-O", "+O").some(({ text }) => !isHarmlessShopt(text)) ||
    valuesOf(call, "-o").some(({ text }) => text === "extendedglob" || text === "globdots")
  )
    return unknown(`${program} has an option that changes what patterns stand for`);
  const [first, ...rest] = call.operands.map(({ word }) => word);
  if (names.includes("-c")) {
    if (first?.text === undefined) return unknown(`${program} -c runs text known only at run time`);
    return { runs: [{ type: "script", text: first.text, args: rest }] };
  }
  if (names.includes("-s") || first === undefined || (first.text === "-" && rest.length === 0))
    return fromStdin(program, call, stdin);
  return {
    runs: [],
    floor: "unknown",
    reason: `${program} runs a script file, which may change before it runs`,
    ...(first.text === undefined
      ? {}
      : { recipe: { kind: "script", files: [first.text], targets: [] } }),
  };
}
