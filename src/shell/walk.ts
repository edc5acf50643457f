// Walks the statements of a line in the order they would run and hands every command to run.ts. Branches, loops and
// subshells are all taken: what may run counts as run.

import { checkArithmetic } from "./arithmetic.ts";
import { assignVariable, declareAll } from "./assignments.ts";
import { valuesOfNode, walkSubstitutions, wordsOf } from "./expansions.ts";
import { fieldOf, fieldsOf, namedChildren, type ShellNode } from "./parse.ts";
import { NO_REDIRECTS, readRedirects } from "./redirects.ts";
import { argumentLists, command, noteRedirects } from "./command.ts";
import { runCommand } from "./run.ts";
import { apart, type Scope, UNKNOWN_INPUT as NOTHING } from "./scope.ts";
import { assign, emitUnknown, fingerprint, joinFolders, type ShellState } from "./state.ts";
import type { Stdin } from "./unwrap.ts";
import type { Word } from "./words.ts";

/** Deepest nesting of scripts, functions and substitutions that is followed. */
const MAX_DEPTH = 24;
/** Most statements that are walked, loops and functions counted each time. */
const MAX_STEPS = 20_000;
/** How often a loop is walked before its variables count as unknown. */
const MAX_LOOP_WALKS = 6;
/** Walks the statements of a text of its own: `bash -c`, `eval`, a recipe. Too deep or unreadable is unknown. */
export function walkText(scope: Scope, text: string): Stdin {
  if (scope.depth > MAX_DEPTH) {
    emitUnknown(scope.state, "nests too deep to follow");
    return NOTHING;
  }
  const parsed = scope.state.parse(text);
  if (!parsed.ok) {
    emitUnknown(scope.state, `an inner script ${parsed.why}`);
    return NOTHING;
  }
  return walkAll({ ...scope, text, depth: scope.depth + 1 }, namedChildren(parsed.root));
}

/** Walks statements in order; answers what the last one prints, where that is known. */
export function walkAll(scope: Scope, nodes: readonly ShellNode[]): Stdin {
  let output = NOTHING;
  if (scope.depth > MAX_DEPTH) {
    emitUnknown(scope.state, "nests too deep to follow");
    return output;
  }
  for (const node of nodes) output = walk(scope, node);
  return nodes.length === 1 ? output : NOTHING;
}

type Walker = (scope: Scope, node: ShellNode) => Stdin;

const inner: Walker = (scope, node) => walkAll(scope, namedChildren(node));
const branch: Walker = (scope, node) => inner({ ...scope, conditional: true }, node);

const pipeline: Walker = (scope, node) => {
  let stdin = scope.stdin;
  const before = scope.state.folders;
  let inLast = before;
  for (const stage of namedChildren(node)) {
    stdin = apart({ ...scope, stdin }, (stageScope) => {
      const output = walk(stageScope, stage);
      inLast = scope.state.folders;
      return output;
    });
  }
  // Some shells, and bash with lastpipe, run the last stage in the shell itself.
  scope.state.folders = joinFolders(before, inLast);
  return stdin;
};

type Link = { readonly operator: string; readonly node: ShellNode };

function linksOf(node: ShellNode, operator: string): Link[] {
  if (node.type !== "list") return [{ operator, node }];
  const [left, sign, right] = node.children.filter((child) => child.type !== "comment");
  if (left === undefined || sign === undefined || right === undefined) return [{ operator, node }];
  return [...linksOf(left, operator), ...linksOf(right, sign.type)];
}

const list: Walker = (scope, node) => {
  const before = scope.state.folders;
  const links = linksOf(node, "");
  let output = NOTHING;
  for (const link of links) {
    const { cdTarget } = scope.state;
    // Only after a cd that worked does the next command of an && chain run.
    if (link.operator === "&&" && cdTarget !== undefined) scope.state.folders = cdTarget;
    scope.state.cdTarget = undefined;
    output = walk({ ...scope, conditional: scope.conditional || link.operator !== "" }, link.node);
  }
  scope.state.folders = joinFolders(before, scope.state.folders);
  return links.length === 1 ? output : NOTHING;
};

const loop: Walker = (scope, node) => {
  const body: Scope = { ...scope, conditional: true };
  for (let walks = 0; walks < MAX_LOOP_WALKS; walks += 1) {
    const before = fingerprint(scope.state);
    const known = scope.state.commands.length;
    for (const child of namedChildren(node))
      if (child.field !== "variable" && child.field !== "value") walk(body, child);
    if (before === fingerprint(scope.state)) return NOTHING;
    if (walks > 0) dropRepeats(scope.state, known);
  }
  emitUnknown(scope.state, "a loop changes its variables in ways that cannot be followed");
  return NOTHING;
};

/** A second walk of a loop repeats its commands; only what it adds is kept. */
function dropRepeats(state: ShellState, from: number): void {
  const seen = new Set(state.commands.slice(0, from).map((command) => JSON.stringify(command)));
  const added = state.commands.splice(from).filter((command) => !seen.has(JSON.stringify(command)));
  state.commands.push(...added);
}

const forLoop: Walker = (scope, node) => {
  const name = fieldOf(node, "variable");
  const values = fieldsOf(node, "value").flatMap((value) =>
    wordsOf(scope, value)
      .flat()
      .map((word) => word.text),
  );
  if (name !== undefined) {
    const variable = scope.text.slice(name.start, name.end);
    // `for x; do` runs over the script's own arguments.
    assign(scope.state, variable, values.length === 0 ? [undefined] : values, false);
  }
  return loop(scope, node);
};

const caseStatement: Walker = (scope, node) => {
  for (const child of namedChildren(node)) {
    if (child.type !== "case_item") walkSubstitutions(scope, child);
    else {
      for (const pattern of fieldsOf(child, "value")) walkSubstitutions(scope, pattern);
      walkAll(
        { ...scope, conditional: true },
        namedChildren(child).filter((part) => part.field !== "value"),
      );
    }
  }
  return NOTHING;
};

const expression: Walker = (scope, node) => {
  walkSubstitutions(scope, node);
  return NOTHING;
};

const compound: Walker = (scope, node) =>
  node.children[0]?.type === "((" ? arithmetic(scope, node) : inner(scope, node);

/** Arithmetic evaluates what variables hold as an expression again, and an array index in it may run commands. */
const arithmetic: Walker = (scope, node) => {
  checkArithmetic(scope, node);
  return expression(scope, node);
};

const functionDefinition: Walker = (scope, node) => {
  const name = fieldOf(node, "name");
  const body = fieldOf(node, "body");
  if (name === undefined || body === undefined) return NOTHING;
  noteRedirects(scope, readRedirects(scope, node.children, valuesOfNode));
  const key = scope.text.slice(name.start, name.end);
  const earlier = scope.state.functions.get(key) ?? [];
  if (!earlier.some((known) => known.node === body))
    scope.state.functions.set(key, [...earlier, { node: body, text: scope.text }]);
  return NOTHING;
};

const declaration: Walker = (scope, node) => {
  declareAll(scope, node);
  return NOTHING;
};

const commandStatement: Walker = (scope, node) => command(scope, node, NO_REDIRECTS, []);

const redirected: Walker = (scope, node) => {
  const body = fieldOf(node, "body");
  const redirects = readRedirects(scope, node.children, valuesOfNode);
  const heredocs = node.children.filter((child) => child.type === "heredoc_redirect");
  const extra = heredocs.flatMap((heredoc) => fieldsOf(heredoc, "argument"));
  if (body?.type === "command")
    return afterHeredoc(scope, heredocs, command(scope, body, redirects, extra));
  if (extra.length > 0 || (redirects.words.length > 0 && body !== undefined))
    emitUnknown(scope.state, "words follow a redirection where none may stand");
  if (body === undefined && redirects.words.length > 0)
    runAll(scope, argumentLists(scope, redirects.words));
  noteRedirects(scope, redirects);
  const output =
    body === undefined ? NOTHING : walk({ ...scope, stdin: redirects.stdin ?? scope.stdin }, body);
  return afterHeredoc(scope, heredocs, redirects.writes.length === 0 ? output : NOTHING);
};

function runAll(scope: Scope, lists: readonly (readonly Word[])[]): void {
  for (const words of lists) runCommand(scope, words, []);
}

/** `cmd <<E | next` and `cmd <<E && next`: the grammar hangs the rest of the line below the here-document. */
function afterHeredoc(scope: Scope, heredocs: readonly ShellNode[], output: Stdin): Stdin {
  let last = output;
  for (const child of heredocs.flatMap((heredoc) => heredoc.children)) {
    if (child.type === "pipeline") last = pipeline({ ...scope, stdin: last }, child);
    else if (child.field === "right") last = walk({ ...scope, conditional: true }, child);
  }
  return last;
}

const STATEMENTS: Readonly<Record<string, Walker>> = {
  program: inner,
  command: commandStatement,
  redirected_statement: redirected,
  list,
  pipeline,
  negated_command: inner,
  subshell: (scope, node) => apart(scope, (inside) => inner(inside, node)),
  compound_statement: compound,
  do_group: inner,
  if_statement: branch,
  elif_clause: branch,
  else_clause: branch,
  while_statement: loop,
  for_statement: forLoop,
  c_style_for_statement: (scope, node) => {
    for (const part of node.children) if (part.field !== "body") checkArithmetic(scope, part);
    return loop(scope, node);
  },
  case_statement: caseStatement,
  function_definition: functionDefinition,
  declaration_command: declaration,
  unset_command: declaration,
  test_command: (scope, node) =>
    /-(eq|ne|lt|le|gt|ge)\b|-v\b/.test(scope.text.slice(node.start, node.end))
      ? arithmetic(scope, node)
      : expression(scope, node),
  variable_assignment: (scope, node) => {
    assignVariable(scope, node);
    return NOTHING;
  },
  variable_assignments: inner,
  binary_expression: expression,
  unary_expression: expression,
  postfix_expression: expression,
  parenthesized_expression: expression,
  number: expression,
  word: expression,
  string: expression,
  expansion: expression,
  simple_expansion: expression,
  command_substitution: expression,
  subscript: expression,
  ternary_expression: expression,
  variable_name: expression,
};

/** Walks one statement. A kind of node that is not known here is unknown. */
export function walk(scope: Scope, node: ShellNode): Stdin {
  scope.state.steps += 1;
  if (scope.state.steps > MAX_STEPS) {
    if (scope.state.steps === MAX_STEPS + 1)
      emitUnknown(scope.state, "is too complex to follow to the end");
    return NOTHING;
  }
  const walker = STATEMENTS[node.type];
  if (walker !== undefined) return walker(scope, node);
  emitUnknown(scope.state, `holds shell syntax that is not understood (${node.type})`);
  return NOTHING;
}
