// What `$x`, `${x}`, `$(…)`, backticks, `<(…)` and `$((…))` stand for. Commands inside them are walked on the way.

import { join } from "node:path/posix";
import { checkArithmetic } from "./arithmetic.ts";
import { namedChildren, type ShellNode } from "./parse.ts";
import { readRedirects } from "./redirects.ts";
import { apart, type Scope } from "./scope.ts";
import { assign, emitUnknown } from "./state.ts";
import { expandWord, type Values, type Word, DYNAMIC } from "./words.ts";
import { noteFiles } from "./files.ts";

const UNKNOWN_VALUE: Values = [undefined];
const UNREADABLE = "holds a word that cannot be read with certainty";

/** The words a node stands for, with every substitution in it walked. */
export function wordsOf(scope: Scope, node: ShellNode): readonly (readonly Word[])[] {
  const rows = expandWord(scope.text, node, (hole) => expansionValues(scope, hole));
  if (rows !== undefined) return rows;
  emitUnknown(scope.state, UNREADABLE);
  return [[DYNAMIC]];
}

/** The values a node has where words are not split: assignments, redirections, here-strings. */
export function valuesOfNode(scope: Scope, node: ShellNode | undefined): Values {
  if (node === undefined) return [""];
  return wordsOf(scope, node).map((words) =>
    words.some((word) => word.text === undefined)
      ? undefined
      : words.map((word) => word.text).join(" "),
  );
}

/** Runs what stands in substitutions anywhere below a node that is no word. */
export function walkSubstitutions(scope: Scope, node: ShellNode): void {
  if (
    /^(simple_expansion|expansion|command_substitution|process_substitution|arithmetic_expansion)$/.test(
      node.type,
    )
  )
    expansionValues(scope, node);
  else for (const child of node.children) walkSubstitutions(scope, child);
}

function variableValues(scope: Scope, name: string): Values {
  if (name === "PWD" && !scope.elsewhere)
    return scope.state.folders.map((folder) =>
      folder === undefined ? undefined : join(scope.state.cwd, folder),
    );
  return scope.state.variables.get(name) ?? UNKNOWN_VALUE;
}

const COMMAND_TEXT = /\$\(|`/;
const hasSubstitution = (node: ShellNode): boolean =>
  node.type === "command_substitution" || node.children.some(hasSubstitution);

function braceValues(scope: Scope, node: ShellNode): Values {
  const text = scope.text.slice(node.start, node.end);
  const plain = /^\$\{(\w+|[@*])\}$/.exec(text)?.[1];
  if (plain !== undefined) return variableValues(scope, plain);
  const array = /^\$\{(\w+)\[[@*]\]\}$/.exec(text)?.[1];
  if (array !== undefined) return variableValues(scope, `${array}[@]`);
  for (const child of node.children) walkSubstitutions(scope, child);
  // The grammar takes some defaults and patterns for plain text although commands stand in them.
  if (
    COMMAND_TEXT.test(text) &&
    (!hasSubstitution(node) || /`/.test(text) || (text.match(/\$\(/g) ?? []).length > 1)
  )
    emitUnknown(scope.state, UNREADABLE);
  if (text.endsWith("@P}"))
    emitUnknown(scope.state, "expands a value as a prompt, which may run commands");
  if (/^\$\{!(?!\w+(\[[@*]\]|[@*])\}$)/.test(text))
    emitUnknown(
      scope.state,
      "names a variable at run time, and an index in the name may run commands",
    );
  // `${x:offset}` counts as arithmetic, `${x:-text}` does not.
  if (node.children.some((child) => child.type === "subscript") || /^\$\{\w+:[^-=+?]/.test(text))
    checkArithmetic(scope, node);
  const withDefault = /^\$\{(\w+):?([-=])([\w./:@%+-]*)\}$/.exec(text);
  const [, name, sign, fallback] = withDefault ?? [];
  if (name === undefined || fallback === undefined) return UNKNOWN_VALUE;
  if (sign === "=") assign(scope.state, name, [fallback], true);
  const known = scope.state.variables.get(name);
  return known === undefined ? [undefined, fallback] : [...known, fallback];
}

function commandValues(scope: Scope, node: ShellNode): Values {
  const text = scope.text.slice(node.start, node.end);
  if (text.startsWith("`") && text.includes("\\")) {
    // Backslashes change meaning inside backticks, and the grammar does not follow them there.
    emitUnknown(scope.state, UNREADABLE);
    return UNKNOWN_VALUE;
  }
  const redirects = readRedirects(scope, node.children, valuesOfNode);
  noteFiles(scope, ["<"], redirects.reads, []);
  const statements = namedChildren(node).filter((child) => !child.type.endsWith("_redirect"));
  const output = apart(scope, (inside) =>
    scope.walkAll({ ...inside, depth: scope.depth + 1 }, statements),
  );
  if (output.type !== "text") return UNKNOWN_VALUE;
  return [output.text.replace(/\n+$/, "")];
}

/** The values a hole in a word can have. */
export function expansionValues(scope: Scope, node: ShellNode): Values {
  if (node.type === "simple_expansion")
    return variableValues(scope, scope.text.slice(node.start + 1, node.end));
  if (node.type === "expansion") return braceValues(scope, node);
  if (node.type === "command_substitution") return commandValues(scope, node);
  if (node.type === "process_substitution") {
    apart(scope, (inside) =>
      scope.walkAll({ ...inside, depth: scope.depth + 1 }, namedChildren(node)),
    );
    return ["/dev/fd/63"];
  }
  checkArithmetic(scope, node);
  for (const child of node.children) walkSubstitutions(scope, child);
  return UNKNOWN_VALUE;
}
