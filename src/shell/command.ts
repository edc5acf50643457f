// A command node: its words in every variant, its prefix assignments and redirections, handed to run.ts.

import { valuesOfNode, wordsOf } from "./expansions.ts";
import { noteFiles } from "./files.ts";
import { fieldOf, namedChildren, type ShellNode } from "./parse.ts";
import { readRedirects, type Redirects } from "./redirects.ts";
import { runCommand } from "./run.ts";
import { type Scope, UNKNOWN_INPUT } from "./scope.ts";
import { emitUnknown } from "./state.ts";
import type { Stdin } from "./unwrap.ts";
import { DYNAMIC, type Word } from "./words.ts";

/** Most argument lists that one command may stand for. */
const MAX_COMMANDS_PER_NODE = 64;

/** The words of a command node, in every variant that variables allow. */
export function argumentLists(
  scope: Scope,
  nodes: readonly ShellNode[],
): readonly (readonly Word[])[] {
  let lists: Word[][] = [[]];
  for (const node of nodes) {
    const variants = wordsOf(
      scope,
      node.type === "command_name" ? (node.children[0] ?? node) : node,
    );
    const [only, ...others] = variants;
    // The usual case; copying every list for every word would be quadratic.
    if (only !== undefined && others.length === 0) for (const words of lists) words.push(...only);
    else lists = lists.flatMap((words) => variants.map((more) => [...words, ...more]));
    if (lists.length > MAX_COMMANDS_PER_NODE) {
      emitUnknown(scope.state, "stands for too many different commands");
      return [[DYNAMIC]];
    }
  }
  return lists;
}

function joinRedirects(inner: Redirects, outer: Redirects): Redirects {
  const stdin = outer.stdin ?? inner.stdin;
  return {
    reads: [...inner.reads, ...outer.reads],
    writes: [...inner.writes, ...outer.writes],
    words: [...inner.words, ...outer.words],
    ...(stdin === undefined ? {} : { stdin }),
  };
}

export function command(
  scope: Scope,
  node: ShellNode,
  outer: Redirects,
  extra: readonly ShellNode[],
): Stdin {
  const redirects = joinRedirects(readRedirects(scope, node.children, valuesOfNode), outer);
  const named = namedChildren(node).filter((child) => !child.type.endsWith("_redirect"));
  const prefix = named.filter((child) => child.type === "variable_assignment");
  for (const child of named) if (child.type === "subshell") scope.walkAll(scope, [child]);
  const parts = named.filter(
    (child) => child.type !== "variable_assignment" && child.type !== "subshell",
  );
  const env = prefix.flatMap((child) => {
    const name = fieldOf(child, "name");
    if (name === undefined) return [];
    return [
      [
        scope.text.slice(name.start, name.end),
        valuesOfNode(scope, fieldOf(child, "value")),
      ] as const,
    ];
  });
  const lists = argumentLists(scope, [...parts, ...redirects.words, ...extra]);
  let output: Stdin = UNKNOWN_INPUT;
  const inside = { ...scope, stdin: redirects.stdin ?? scope.stdin };
  const lone =
    parts.every((part) => part.type === "command_name") &&
    named.some((child) => child.type === "subshell");
  for (const words of lists)
    if (!lone || words[0]?.text !== "time") output = runCommand(inside, words, env);
  noteRedirects(scope, redirects);
  return lists.length === 1 && redirects.writes.length === 0 ? output : UNKNOWN_INPUT;
}

export function noteRedirects(scope: Scope, redirects: Redirects): void {
  noteFiles(scope, ["<"], redirects.reads, []);
  noteFiles(scope, [">"], [], redirects.writes);
}
