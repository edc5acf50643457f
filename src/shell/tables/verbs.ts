// Short notation for the data of a table: lists of words as one string, verbs grouped by class.

import type { CommandClass } from "../analysis.ts";
import type { Rule } from "./table.ts";

/** The words of a text that is separated by blanks or line ends. */
export const list = (text: string): readonly string[] => text.trim().split(/\s+/);

/** Verbs by class, separated by commas (a verb may hold spaces), and those that need more than a class. */
export function verbs(
  byClass: Readonly<Partial<Record<CommandClass, string>>>,
  special: Readonly<Record<string, Rule>> = {},
): Readonly<Record<string, Rule>> {
  const rules: Record<string, Rule> = {};
  for (const commandClass of ["read", "write", "plan", "mutate", "destroy", "unknown"] as const)
    for (const verb of byClass[commandClass]?.split(",") ?? []) rules[verb.trim()] = commandClass;
  return { ...rules, ...special };
}
