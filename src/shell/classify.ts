// One command's words → its class, by the table of its program. Unwrapping and recursion are not here.

import { type CommandClass, rankOf, worse } from "./analysis.ts";
import { type Invocation, type Operand, readInvocation } from "./invocation.ts";
import { adjust, canRise, isLiterallyOff, isSure } from "./adjust.ts";
import { ALL_TABLES } from "./tables/all.ts";
import type { CliTable, Rule, TableContext, Verdict } from "./tables/table.ts";
import { DYNAMIC, literal, type Word } from "./words.ts";

const tableOf = new Map<string, CliTable>();
for (const table of ALL_TABLES) for (const program of table.programs) tableOf.set(program, table);

/** Longest verb of any table, in words. */
const MAX_VERB_WORDS = 4;

export type Classified = Verdict & {
  /** Words in normal order: program, verb, the rest. */
  readonly argv: readonly Word[];
  readonly scope: readonly string[];
};

/** The program's name without its folder; Windows' `.exe` does not make another program. */
export const programName = (text: string): string =>
  (text.split("/").at(-1) ?? text).replace(/\.exe$/i, "");

/** True when a table knows the program. */
export const isKnownProgram = (name: string): boolean => tableOf.has(programName(name));

type RuleData = Exclude<Rule, CommandClass>;
type Found = { readonly rule: Rule; readonly verb: readonly Operand[] };

function findRule(table: CliTable, operands: readonly Operand[]): Found {
  const verbs = table.verbs ?? {};
  for (let length = Math.min(MAX_VERB_WORDS, operands.length); length >= 0; length -= 1) {
    const verb = operands.slice(0, length);
    if (verb.some(({ word }) => word.text === undefined)) continue;
    const key = verb.map(({ word }) => word.text).join(" ");
    // `""` is the bare program, not a match for a verb that is missing from the list.
    if (length === 0 && operands.length > 0) break;
    const rule = Object.hasOwn(verbs, key) ? verbs[key] : undefined;
    if (rule !== undefined) return { rule, verb };
  }
  return { rule: table.otherwise ?? "unknown", verb: [] };
}

function appended(table: CliTable, words: readonly Word[], context: TableContext): readonly Word[] {
  if (table.argsVariable === undefined) return words;
  const verb =
    words.find((word) => word.text !== undefined && !word.text.startsWith("-"))?.text ?? "";
  const names = [table.argsVariable, `${table.argsVariable}_${verb}`];
  const extra = names.flatMap((name) =>
    context.variable(name).flatMap((value) =>
      value === undefined
        ? [DYNAMIC]
        : value
            .split(/\s+/)
            .filter((part) => part !== "")
            .map((part) => literal(part.replaceAll(/^["']|["']$/g, ""))),
    ),
  );
  return extra.length === 0 ? words : [...words, ...extra];
}

function fileWords(
  table: CliTable,
  call: Invocation,
  found: Found,
  kind: "read" | "write",
): readonly Word[] {
  const named = call.options.flatMap(({ name, value }) =>
    table.fileOptions?.[name] === kind && value !== undefined && value.text !== "-" ? [value] : [],
  );
  const rule = found.rule;
  const operands =
    typeof rule === "object" && rule.files === kind ? call.operands.slice(found.verb.length) : [];
  return [...operands.map(({ word }) => word), ...named];
}

/** The rule's class with its own options: raised by any that may be there, lowered only by one that certainly is. */
function classByOptions(rule: RuleData, call: Invocation): CommandClass {
  let found = rule.class;
  for (const [name, to] of Object.entries(rule.options ?? {})) {
    const given = call.options.filter((option) => option.name === name);
    if (given.length === 0) continue;
    if (rankOf(to) > rankOf(rule.class))
      found = given.every(isLiterallyOff) ? found : worse(found, to);
    else if (found === rule.class && isSure(call, given)) found = to;
  }
  return found;
}

/** What the table's data says, before `inspect`. */
function fromData(table: CliTable, call: Invocation, found: Found): Verdict {
  const rule: RuleData = typeof found.rule === "string" ? { class: found.rule } : found.rule;
  const firstAt = found.verb.at(-1)?.at ?? 0;
  const isBare = table.verbs !== undefined && call.operands.length === 0;
  const hidden = call.options.some(
    (option) => !option.listed && (isBare || (found.verb.length > 0 && option.at < firstAt)),
  );
  const byOptions = classByOptions(rule, call);
  const mayRise =
    Object.values(rule.options ?? {}).some((to) => rankOf(to) > rankOf(byOptions)) ||
    (canRise(byOptions) && table.raises !== undefined);
  const reason = hidden ? "an option that is not known stands before the verb" : rule.reason;
  return {
    class: hidden || (call.dynamic && mayRise) ? "unknown" : byOptions,
    ...(reason === undefined ? {} : { reason }),
    warnings: rule.warning === undefined ? [] : [rule.warning],
    reads: fileWords(table, call, found, "read"),
    writes: fileWords(table, call, found, "write"),
    ...(rule.choosesPlace === true ? { choosesPlace: true } : {}),
    ...(rankOf(byOptions) > rankOf(rule.class) ? { always: false } : {}),
  };
}

/** Values of options that can only be paths outside where it runs: `--files0-from=/etc/shadow`. */
const POINTS_AWAY = /^(\/.|~|\.\.\/)/;

/** What reads unasked must not read elsewhere by way of an option that no table knows. */
function withNamedFiles(call: Invocation, verdict: Verdict): Verdict {
  if (verdict.class !== "read") return verdict;
  const values = call.options.flatMap(({ value }) =>
    value?.text !== undefined && POINTS_AWAY.test(value.text) ? [value] : [],
  );
  return values.length === 0
    ? verdict
    : { ...verdict, reads: [...(verdict.reads ?? []), ...values] };
}

function normalArgv(call: Invocation, found: Found): readonly Word[] {
  const verbAt = new Set(found.verb.map(({ at }) => at));
  const rest = call.words.filter((_word, at) => !verbAt.has(at));
  return [literal(call.program), ...found.verb.map(({ word }) => word), ...rest];
}

/**
 * The class of one command. `folders` are where it may run, for production-looking paths.
 * A program without a table, or a name known only at run time, is `unknown`.
 */
export function classify(
  words: readonly Word[],
  context: TableContext,
  folders: readonly string[],
): Classified {
  const name = words[0]?.text;
  if (name === undefined)
    return {
      class: "unknown",
      reason: "the program is known only at run time",
      argv: words,
      scope: [],
    };
  const program = programName(name);
  const table = tableOf.get(program);
  if (table === undefined)
    return {
      class: "unknown",
      reason: `${program} is not a program whose effect is known`,
      argv: [literal(program), ...words.slice(1)],
      scope: [],
    };
  const call = readInvocation(
    program,
    appended(table, words.slice(1), context),
    table.options ?? {},
  );
  const found = findRule(table, call.operands);
  const argv = normalArgv(call, found);
  const scope = [
    program,
    ...found.verb.flatMap(({ word }) => (word.text === undefined ? [] : [word.text])),
  ];
  const data = fromData(table, call, found);
  const seen = withNamedFiles(call, table.inspect?.(call, data, context) ?? data);
  const decided = typeof found.rule === "string" ? [] : Object.keys(found.rule.options ?? {});
  const adjusted = adjust(table, call, seen.class, {
    context,
    folders,
    decided,
    chosen: seen.choosesPlace === true,
  });
  const always =
    seen.always !== false && !adjusted.raised && rankOf(adjusted.class) < rankOf("destroy");
  return {
    ...seen,
    class: adjusted.class,
    warnings: [...(seen.warnings ?? []), ...adjusted.warnings],
    argv,
    scope: always ? scope : [],
  };
}
