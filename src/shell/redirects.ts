// Redirections: which files they read and write, and what literal text they put on stdin.

import { isHarmlessDevice } from "./paths.ts";
import { fieldsOf, type ShellNode } from "./parse.ts";
import type { Scope } from "./scope.ts";
import { emitUnknown } from "./state.ts";
import type { Stdin } from "./unwrap.ts";
import type { Values } from "./words.ts";

export type Redirects = {
  readonly reads: Values;
  readonly writes: Values;
  /** Words that the grammar hangs below a redirection although they are arguments: `cat > f a`. */
  readonly words: readonly ShellNode[];
  readonly stdin?: Stdin;
};
export const NO_REDIRECTS: Redirects = { reads: [], writes: [], words: [] };

type ValuesOfNode = (scope: Scope, node: ShellNode | undefined) => Values;
type Draft = {
  reads: (string | undefined)[];
  writes: (string | undefined)[];
  words: ShellNode[];
  stdin: Stdin | undefined;
};

function readFile(scope: Scope, node: ShellNode, valuesOf: ValuesOfNode, draft: Draft): void {
  const [target, ...words] = fieldsOf(node, "destination");
  draft.words.push(...words);
  const sign = node.children.find((child) => !child.named && /[<>]/.test(child.type))?.type ?? ">";
  // Closing or copying a descriptor touches no file.
  if (sign.endsWith("-") || target === undefined) return;
  const written = scope.text.slice(target.start, target.end);
  if (sign.endsWith("&") && /^\d+-?$/.test(written)) return;
  const values = valuesOf(scope, target);
  if (sign === "<") {
    draft.reads.push(...values);
    draft.stdin = { type: "unknown" };
  } else
    draft.writes.push(...values.filter((value) => value === undefined || !isHarmlessDevice(value)));
}

/** The text of a here-document; `undefined` when some of it is known only at run time. */
function heredocText(scope: Scope, node: ShellNode, valuesOf: ValuesOfNode): string | undefined {
  const start = node.children.find((child) => child.type === "heredoc_start");
  const body = node.children.find((child) => child.type === "heredoc_body");
  if (start === undefined || body === undefined) return undefined;
  const text = scope.text.slice(body.start, body.end);
  const tabs = node.children.some((child) => child.type === "<<-");
  const lines = tabs ? text.replaceAll(/^\t+/gm, "") : text;
  if (/['"\\]/.test(scope.text.slice(start.start, start.end))) return lines;
  for (const child of body.children) if (child.type !== "heredoc_content") valuesOf(scope, child);
  // The grammar reads no backticks here, bash does.
  if (/(^|[^\\])`/.test(text)) emitUnknown(scope.state, "a here-document holds backticks");
  if (
    /\$\(/.test(text) &&
    !body.children.some((child) => child.named && child.type !== "heredoc_content")
  )
    emitUnknown(scope.state, "a here-document holds a substitution that cannot be read");
  return /[$`\\]/.test(text) ? undefined : lines;
}

/** Reads the redirections among `nodes`; others are left alone. */
export function readRedirects(
  scope: Scope,
  nodes: readonly ShellNode[],
  valuesOf: ValuesOfNode,
): Redirects {
  const draft: Draft = { reads: [], writes: [], words: [], stdin: undefined };
  for (const node of nodes) {
    if (node.type === "file_redirect") readFile(scope, node, valuesOf, draft);
    else if (node.type === "herestring_redirect") {
      const values = valuesOf(
        scope,
        node.children.find((child) => child.named && child.type !== "file_descriptor"),
      );
      const [text] = values;
      draft.stdin =
        values.length === 1 && text !== undefined ? { type: "text", text } : { type: "unknown" };
    } else if (node.type === "heredoc_redirect") {
      const text = heredocText(scope, node, valuesOf);
      draft.stdin = text === undefined ? { type: "unknown" } : { type: "text", text };
      for (const inner of node.children) {
        if (inner.type === "file_redirect") readFile(scope, inner, valuesOf, draft);
      }
    }
  }
  const { stdin, ...rest } = draft;
  return { ...rest, ...(stdin === undefined ? {} : { stdin }) };
}
