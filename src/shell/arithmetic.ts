// Where the shell evaluates text as arithmetic: an index in that text (`a[$(cmd)]`) is expanded once more, so text that
// comes from a file or a program runs what it says.

import type { ShellNode } from "./parse.ts";
import type { Scope } from "./scope.ts";
import { emitUnknown } from "./state.ts";

/** Last commands of a substitution that print numbers and nothing else. */
const PRINTS_NUMBER =
  /^\s*(wc\b|nproc\s*$|date\s+(-u\s+)?["']?\+%[sYmdHMjNu]+["']?\s*$|grep\s+-\w*c\w*\s|grep\s+--count\s|id\s+-[ug]\s*$|pgrep\s+-c\s|tput\s+(cols|lines)\s*$|stat\s+-c\s*["']?%[sYXZaug]["']?\s)/;

function printsNumber(scope: Scope, node: ShellNode): boolean {
  const inside = scope.text.slice(node.start, node.end).replaceAll(/^\$\(|^`|\)$|`$/g, "");
  const last = inside.split(/[|;&\n]/).at(-1) ?? "";
  const program = /^\s*(\w+)/.exec(last)?.[1] ?? "";
  return PRINTS_NUMBER.test(last) && !scope.state.functions.has(program);
}

/** Text of the line itself, and what a command prints: `[[ $(cat f) -eq 1 ]]`. */
function isEvaluated(scope: Scope, node: ShellNode): boolean {
  if (node.type === "command_substitution") return !printsNumber(scope, node);
  if (/^(raw_string|ansi_c_string)$/.test(node.type))
    return /\$\(|`/.test(scope.text.slice(node.start, node.end));
  return node.children.some((child) => isEvaluated(scope, child));
}

/** Flags arithmetic over values that come from outside the line: `x=$(cat f); echo $((x))` runs what f says. */
export function checkArithmetic(scope: Scope, node: ShellNode): void {
  // `[` compares numbers without evaluating them; its variables are looked at nevertheless, for other shells.
  const names = scope.text.slice(node.start, node.end).match(/[A-Za-z_]\w*/g) ?? [];
  if (
    names.some((name) => scope.state.variables.get(name)?.includes(undefined) === true) ||
    (node.children[0]?.type !== "[" && isEvaluated(scope, node))
  )
    emitUnknown(scope.state, "arithmetic over a value known only at run time");
}
