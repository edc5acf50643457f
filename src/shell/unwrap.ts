// One level of wrapping off a command: `sudo -u x terraform destroy` → `terraform destroy`. What an inner script or
// command means is the walker's business; which wrappers exist is wrappers.ts's.

import type { CommandClass } from "./analysis.ts";
import { type Invocation, hasOption, readInvocation, valuesOf } from "./invocation.ts";
import { programName } from "./classify.ts";
import { unwrapShell, SHELLS } from "./unwrap-shell.ts";
import { unwrapParallel, unwrapXargs } from "./unwrap-lists.ts";
import type { Recipe, Run } from "./tables/table.ts";
import { literal, type Word } from "./words.ts";
import type { Wrapper } from "./wrapper.ts";
import { WRAPPERS } from "./wrappers.ts";

export type Unwrapped = {
  readonly runs: readonly Run[];
  /** The wrapper's own least class, when it does something itself. */
  readonly floor?: CommandClass;
  readonly reason?: string;
  /** The wrapper's own words, where a profile or an environment may look like production. */
  readonly places?: readonly string[];
  /** Listed as a command of its own. */
  readonly shown?: boolean;
  readonly recipe?: Recipe;
};

/** What the command's stdin is: nothing, literal text, names of files, or something known only at run time. */
export type Stdin =
  | { readonly type: "none" }
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "paths"; readonly paths: readonly string[] }
  | { readonly type: "unknown" };

const unknown = (reason: string): Unwrapped => ({ runs: [], floor: "unknown", reason });

const byProgram = new Map<string, Wrapper[]>();
for (const wrapper of WRAPPERS)
  for (const program of wrapper.programs)
    byProgram.set(program, [...(byProgram.get(program) ?? []), wrapper]);

const ASSIGNMENT = /^([A-Za-z_]\w*)=/;

function takeAssignments(words: readonly Word[]): {
  env: (readonly [string, Word])[];
  rest: readonly Word[];
} {
  const env: (readonly [string, Word])[] = [];
  for (const [index, word] of words.entries()) {
    const name = ASSIGNMENT.exec(word.prefix)?.[1];
    if (name === undefined) return { env, rest: words.slice(index) };
    const value = word.prefix.slice(name.length + 1);
    env.push([name, word.text === undefined ? { text: undefined, prefix: value } : literal(value)]);
  }
  return { env, rest: [] };
}

function scriptOf(words: readonly Word[]): Run | undefined {
  if (words.some((word) => word.text === undefined)) return undefined;
  return { type: "script", text: words.map((word) => word.text).join(" ") };
}

/** The wrapper's own words and the inner command, apart. */
function split(
  wrapper: Wrapper,
  program: string,
  words: readonly Word[],
): { call: Invocation; inner: readonly Word[] } {
  const dashes = wrapper.dashes === true ? words.findIndex((word) => word.text === "--") : -1;
  if (wrapper.dashes === true) {
    const own = dashes < 0 ? words : words.slice(0, dashes);
    const call = readInvocation(program, own, wrapper.options ?? {});
    return { call, inner: dashes < 0 ? [] : words.slice(dashes + 1) };
  }
  const call = readInvocation(program, words, { ...wrapper.options, stopAtOperand: true });
  const first = call.operands[0];
  return { call, inner: first === undefined ? [] : words.slice(first.at) };
}

function afterSkipped(wrapper: Wrapper, words: readonly Word[]): readonly Word[] {
  let rest = words.slice(wrapper.skip ?? 0);
  // `aws-vault exec prod -- terraform plan`: the dashes stand after the skipped words, perhaps after more options.
  const dashes = rest.findIndex((word) => word.text === "--");
  const first = rest.findIndex((word) => word.text === undefined || !word.text.startsWith("-"));
  if (dashes >= 0 && (first < 0 || first > dashes)) rest = rest.slice(dashes + 1);
  return rest;
}

function runsOf(
  wrapper: Wrapper,
  call: Invocation,
  inner: readonly Word[],
): readonly Run[] | undefined {
  const scripts = valuesOf(call, ...(wrapper.scripts ?? [])).map((script) => scriptOf([script]));
  const rest = restRuns(wrapper, call, inner);
  if (rest === undefined || scripts.includes(undefined)) return undefined;
  return [...scripts.flatMap((script) => script ?? []), ...rest];
}

/** What the words after the wrapper's own run. */
function restRuns(
  wrapper: Wrapper,
  call: Invocation,
  inner: readonly Word[],
): readonly Run[] | undefined {
  const taken = afterSkipped(wrapper, inner);
  const { env, rest } =
    wrapper.assignments === true ? takeAssignments(taken) : { env: [], rest: taken };
  if (rest.length === 0) return [];
  if (rest[0]?.text !== undefined && wrapper.scripts?.includes(rest[0].text) === true) {
    // `flock file -c 'script'`: the script's option stands after the operand.
    const script = scriptOf(rest.slice(1, 2));
    return script === undefined ? undefined : [script];
  }
  if (wrapper.joined === true) {
    const script = scriptOf(rest);
    return script === undefined ? undefined : [script];
  }
  const directory = valuesOf(call, ...(wrapper.directory ?? [])).at(-1);
  return [{ type: "words", words: rest, env, ...(directory === undefined ? {} : { directory }) }];
}

/** `env -S "a b" c`: the string is split and stands before the rest. */
function splitString(call: Invocation): Unwrapped | undefined {
  const values = valuesOf(call, "-S", "--split-string");
  if (call.program !== "env" || values.length === 0) return undefined;
  const text = values[0]?.text;
  if (text === undefined) return unknown("env -S splits a string known only at run time");
  const rest = call.operands.map(({ word }) => word.text);
  if (rest.some((word) => word === undefined))
    return unknown("env -S runs words known only at run time");
  return { runs: [{ type: "script", text: ["env", text, ...rest].join(" ") }] };
}

function applyWrapper(
  wrapper: Wrapper,
  program: string,
  words: readonly Word[],
): Unwrapped | undefined {
  const verb = wrapper.verb ?? [];
  if (!verb.every((word, index) => words[index]?.text === word)) return undefined;
  const { call, inner } = split(wrapper, program, words.slice(verb.length));
  if (call.options.some((option) => !option.listed))
    return unknown(`${program} has an option that is not known here`);
  const splitUp = splitString(call);
  if (splitUp !== undefined) return splitUp;
  if (program === "command" && hasOption(call, "-v", "-V")) return { runs: [], floor: "read" };
  const runs = runsOf(wrapper, call, inner);
  if (runs === undefined) return unknown(`${program} runs text known only at run time`);
  // Bare `env` prints; bare `exec > file` redirects. Both have tables of their own.
  if (runs.length === 0)
    return program === "env" || program === "exec" || program === "time"
      ? undefined
      : unknown(`${program} starts something that is not named`);
  const own = words.slice(0, words.length - inner.length + (wrapper.skip ?? 0));
  return {
    runs,
    places: own.flatMap((word) => word.text ?? []),
    ...(wrapper.downloads === true
      ? { floor: "write", reason: `${program} may download and run code` }
      : {}),
    ...(wrapper.privileged === true ? { shown: true } : {}),
  };
}

/** True for programs that are seen through here. */
export const isWrapper = (program: string): boolean =>
  byProgram.has(program) || SHELLS.has(program) || /^(g?xargs|parallel)$/.test(program);

/** The commands inside `words`; `undefined` when the program is no wrapper. */
export function unwrap(words: readonly Word[], stdin: Stdin): Unwrapped | undefined {
  const name = words[0]?.text;
  if (name === undefined) return undefined;
  const program = programName(name);
  const rest = words.slice(1);
  if (SHELLS.has(program)) return unwrapShell(program, rest, stdin);
  if (program === "xargs" || program === "gxargs") return unwrapXargs(rest, stdin);
  if (program === "parallel") return unwrapParallel(rest);
  for (const wrapper of byProgram.get(program) ?? []) {
    const found = applyWrapper(wrapper, program, rest);
    if (found !== undefined) return found;
  }
  return undefined;
}
