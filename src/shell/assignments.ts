// `NAME=value` in its forms, and which assignments are dangerous by themselves.

import { checkArithmetic } from "./arithmetic.ts";
import { valuesOfNode, wordsOf } from "./expansions.ts";
import { fieldOf, namedChildren, type ShellNode } from "./parse.ts";
import { isHarmlessValue, isPlainVariable, isRiskyVariable } from "./risky-variables.ts";
import { MARK } from "./braces.ts";
import type { Scope } from "./scope.ts";
import { assign, emit, emitUnknown } from "./state.ts";
import type { Values, Word } from "./words.ts";

/** `NAME=value`, also inside export and declare. */
export function assignVariable(scope: Scope, node: ShellNode): void {
  const name = fieldOf(node, "name");
  if (name === undefined) return;
  if (name.type === "subscript") {
    checkArithmetic(scope, name);
    for (const index of namedChildren(name)) if (index.field === "index") wordsOf(scope, index);
    const array = fieldOf(name, "name");
    const values = valuesOfNode(scope, fieldOf(node, "value"));
    if (array !== undefined)
      setVariable(scope, scope.text.slice(array.start, array.end), values, true);
    return;
  }
  const appends = node.children.some((child) => child.type === "+=");
  const key = scope.text.slice(name.start, name.end);
  const array = fieldOf(node, "value")?.type === "array" ? fieldOf(node, "value") : undefined;
  if (array !== undefined) return assignArray(scope, key, array, appends);
  const values = valuesOfNode(scope, fieldOf(node, "value"));
  const before = scope.state.variables.get(key) ?? [undefined];
  const joined = values.flatMap((value) =>
    before.map((old) => (old === undefined || value === undefined ? undefined : old + value)),
  );
  setVariable(scope, key, appends ? joined : values, scope.conditional);
}

/** `NAME=(a b)`: the list under `NAME[@]`, its first item under `NAME`. */
function assignArray(scope: Scope, name: string, array: ShellNode, appends: boolean): void {
  const items = namedChildren(array).flatMap((item) => wordsOf(scope, item).flat());
  const texts = items.map((word) => word.text);
  const whole = texts.includes(undefined) || appends ? undefined : texts.join(MARK.item);
  setVariable(scope, `${name}[@]`, [whole], scope.conditional);
  if (!appends) setVariable(scope, name, [texts[0]], scope.conditional);
}

/** True when setting `name` to one of `values` may make other code run. */
const isRisky = (name: string, values: Values): boolean =>
  (isRiskyVariable(name) && !values.every((value) => isHarmlessValue(name, value))) ||
  values.some((value) => value !== undefined && /\$\(|`/.test(value));

/**
 * Says what a variable in the environment of a command may do to it. One whose effect is not known is asked about: many
 * programs read their options, their configuration or the name of a helper from there.
 */
export function noteVariable(scope: Scope, name: string, values: Values): void {
  if (isRisky(name, values)) emitUnknown(scope.state, `${name} decides which code runs`, [name]);
  else if (!isPlainVariable(name))
    emit(scope.state, {
      argv: [name],
      class: "plan",
      scope: [],
      reason: `${name} may change what a command does`,
      reads: [],
      writes: [],
    });
}

/** Sets a variable and says so when that may make other code run. */
export function setVariable(
  scope: Scope,
  name: string,
  values: Values,
  conditional: boolean,
): void {
  assign(scope.state, name, values, conditional);
  if (isRisky(name, values)) emitUnknown(scope.state, `${name} decides which code runs`, [name]);
}

/** Why `declare -i` is unknown. */
export const INTEGER =
  "what is assigned to an integer is evaluated, and an index in it may run commands";

/** export, declare, local, readonly, typeset, unset. */
export function declareAll(scope: Scope, node: ShellNode): void {
  const parts = namedChildren(node);
  const exports = /^(export|(declare|typeset|local|readonly)\s+-\w*x)/.test(
    scope.text.slice(node.start, node.end),
  );
  if (/^\w+(\s+-\w+)*\s+-\w*i/.test(scope.text.slice(node.start, node.end)))
    emitUnknown(scope.state, INTEGER);
  const isListing = parts.every((child) => child.type === "word") && !node.type.startsWith("unset");
  if (isListing) {
    scope.state.warnings.add("prints secrets: the environment may hold keys");
    const argv = scope.text.slice(node.start, node.end).split(/\s+/);
    emit(scope.state, { argv, class: "plan", scope: argv.slice(0, 1), reads: [], writes: [] });
  }
  for (const child of namedChildren(node)) {
    if (child.type === "variable_assignment") {
      assignVariable(scope, child);
      if (exports) noteExported(scope, child);
    } else if (child.type === "subscript") emitUnknown(scope.state, "declares an array element");
    else if (child.type !== "variable_name")
      for (const word of wordsOf(scope, child).flat()) declareWord(scope, word);
  }
}

/** The risky ones were noted when they were set. */
function noteExported(scope: Scope, assignment: ShellNode): void {
  const name = fieldOf(assignment, "name");
  const key = name === undefined ? "" : scope.text.slice(name.start, name.end);
  if (key !== "" && !isRiskyVariable(key)) noteVariable(scope, key, []);
}

function declareWord(scope: Scope, word: Word): void {
  const parts = /^([A-Za-z_]\w*)\+?=([\s\S]*)$/.exec(word.prefix);
  if (word.text !== undefined && parts?.[1] !== undefined)
    setVariable(scope, parts[1], [parts[2]], scope.conditional);
  else if (word.text === undefined || /[[$`]/.test(word.text))
    emitUnknown(scope.state, "declares a variable named only at run time");
}
