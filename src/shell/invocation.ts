// The words after a program's name, sorted into options and operands as that program would read them.

import { DYNAMIC, type Word } from "./words.ts";

export type OptionSpec = {
  /** Options that take the next word as their value when written without `=`: `-f`, `--context`. */
  readonly withValue?: readonly string[];
  /** Options that take none. One that is in neither list is not trusted to hide or show the word after it. */
  readonly flags?: readonly string[];
  /** `-rf` is `-r -f`, `-nprod` is `-n prod`. */
  readonly clusters?: boolean;
  /** Go's flag package: `--destroy` is `-destroy`. */
  readonly singleDash?: boolean;
  /** The first operand ends the options (wrappers, `docker run IMAGE …`). */
  readonly stopAtOperand?: boolean;
};

export type Option = {
  readonly name: string;
  readonly value?: Word;
  /** False when it stands in neither list of the spec and has no `=`: it might have swallowed the next word. */
  readonly listed: boolean;
  /** Index in `words`. */
  readonly at: number;
};
export type Operand = { readonly word: Word; readonly at: number };

export type Invocation = {
  readonly program: string;
  readonly words: readonly Word[];
  readonly options: readonly Option[];
  readonly operands: readonly Operand[];
  /** Index in `words` right after `--`; undefined without one. */
  readonly afterDashes?: number;
  /** A run-time word stands where an option could: it may be any option. */
  readonly dynamic: boolean;
};

type Draft = { options: Option[]; operands: Operand[]; dynamic: boolean; at: number };

function readCluster(
  words: readonly Word[],
  text: string,
  values: ReadonlySet<string>,
  draft: Draft,
): void {
  const { at } = draft;
  for (let letter = 1; letter < text.length; letter += 1) {
    const name = `-${text[letter]}`;
    if (!values.has(name)) {
      draft.options.push({ name, listed: true, at });
      continue;
    }
    const rest = text.slice(letter + 1).replace(/^=/, "");
    if (rest === "") draft.at += 1;
    const value = rest === "" ? words[draft.at] : { text: rest, prefix: rest };
    draft.options.push({ name, listed: true, at, ...(value === undefined ? {} : { value }) });
    return;
  }
}

function readOption(
  words: readonly Word[],
  text: string,
  spec: OptionSpec,
  sets: Sets,
  draft: Draft,
): void {
  const { at } = draft;
  const equals = text.indexOf("=");
  const written = equals < 0 ? text : text.slice(0, equals);
  const name = spec.singleDash === true ? written.replace(/^--/, "-") : written;
  if (equals > 0) {
    const value = text.slice(equals + 1);
    if (spec.clusters !== true || name.startsWith("--") || sets.values.has(name)) {
      draft.options.push({ name, value: { text: value, prefix: value }, listed: true, at });
      return;
    }
  }
  if (sets.values.has(name)) {
    draft.at += 1;
    const value = words[draft.at];
    draft.options.push({ name, listed: true, at, ...(value === undefined ? {} : { value }) });
  } else if (
    spec.clusters === true &&
    /^-[^-]/.test(text) &&
    text.length > 2 &&
    !sets.flags.has(name)
  )
    readCluster(words, text, sets.values, draft);
  else
    draft.options.push({
      name,
      listed: sets.flags.has(name) || (spec.clusters === true && name.length === 2),
      at,
    });
}

type Sets = { readonly values: ReadonlySet<string>; readonly flags: ReadonlySet<string> };
const setsOf = new WeakMap<OptionSpec, Sets>();
function setsFor(spec: OptionSpec): Sets {
  const known = setsOf.get(spec);
  if (known !== undefined) return known;
  const made = { values: new Set(spec.withValue), flags: new Set(spec.flags) };
  setsOf.set(spec, made);
  return made;
}

/** A run-time word: an option whose value is unknown when its head says so (`-var-file=$X`), else perhaps an option. */
function readDynamic(word: Word, spec: OptionSpec, draft: Draft): void {
  const equals = word.prefix.startsWith("-") ? word.prefix.indexOf("=") : -1;
  if (equals > 0) {
    const written = word.prefix.slice(0, equals);
    const name = spec.singleDash === true ? written.replace(/^--/, "-") : written;
    draft.options.push({ name, value: DYNAMIC, listed: true, at: draft.at });
    return;
  }
  if (word.prefix === "" || word.prefix.startsWith("-")) draft.dynamic = true;
  draft.operands.push({ word, at: draft.at });
}

/** Reads the words after the program's name. Never fails: what is odd ends up as an operand or an unlisted option. */
export function readInvocation(
  program: string,
  words: readonly Word[],
  spec: OptionSpec,
): Invocation {
  const sets = setsFor(spec);
  const draft: Draft = { options: [], operands: [], dynamic: false, at: 0 };
  let afterDashes: number | undefined;
  for (; draft.at < words.length; draft.at += 1) {
    const word = words[draft.at] ?? DYNAMIC;
    const ended =
      afterDashes !== undefined || (spec.stopAtOperand === true && draft.operands.length > 0);
    if (ended) draft.operands.push({ word, at: draft.at });
    else if (word.text === undefined) readDynamic(word, spec, draft);
    else if (word.text === "--") afterDashes = draft.at + 1;
    else if (word.text.startsWith("-") && word.text.length > 1)
      readOption(words, word.text, spec, sets, draft);
    else draft.operands.push({ word, at: draft.at });
  }
  const { options, operands, dynamic } = draft;
  return {
    program,
    words,
    options,
    operands,
    dynamic,
    ...(afterDashes === undefined ? {} : { afterDashes }),
  };
}

/** True when one of `names` is there, exactly as named. */
export const hasOption = (call: Invocation, ...names: readonly string[]): boolean =>
  call.options.some((option) => names.includes(option.name));

/** True when one of `names` may be there: also abbreviated (`--recurs`), as many programs allow. */
export const mayHaveOption = (call: Invocation, ...names: readonly string[]): boolean =>
  call.options.some(
    ({ name }) =>
      names.includes(name) ||
      (name.startsWith("--") && name.length > 2 && names.some((wanted) => wanted.startsWith(name))),
  );

/** All values given to an option, in order; a missing value is left out. */
export const valuesOf = (call: Invocation, ...names: readonly string[]): readonly Word[] =>
  call.options.flatMap(({ name, value }) =>
    names.includes(name) && value !== undefined ? [value] : [],
  );

export const operandWords = (call: Invocation, from = 0): readonly Word[] =>
  call.operands.slice(from).map(({ word }) => word);
