// Command text → a plain tree of shell syntax. Fails closed: what the grammar does not fully understand is a fault,
// never a guess. Which commands the tree runs is walk.ts's business.

import type { Parser, TreeCursor } from "web-tree-sitter";
import { hasInvisible } from "../lib/text.ts";
import { normalize } from "./normalize.ts";

/** Longest text that is analysed, in UTF-16 units. A longer command is a script and is asked about as such. */
export const MAX_COMMAND_LENGTH = 65_536;
/** Most syntax nodes of one text, and how deep they may nest. */
const MAX_NODES = 60_000;
const MAX_DEPTH = 200;

export type ShellNode = {
  readonly type: string;
  readonly named: boolean;
  /** The field it fills in its parent: `name`, `argument`, `body`; empty without one. */
  readonly field: string;
  /** UTF-16 offsets into the whole text. */
  readonly start: number;
  readonly end: number;
  readonly children: readonly ShellNode[];
};

export type Parsed =
  | { readonly ok: true; readonly root: ShellNode; readonly text: string }
  | { readonly ok: false; readonly why: string };

type Budget = { nodes: number };

function toNode(cursor: TreeCursor, budget: Budget, depth: number): ShellNode | undefined {
  budget.nodes -= 1;
  if (budget.nodes < 0 || depth > MAX_DEPTH) return undefined;
  const node = {
    type: cursor.nodeType,
    named: cursor.nodeIsNamed,
    field: cursor.currentFieldName ?? "",
    start: cursor.startIndex,
    end: cursor.endIndex,
  };
  const children: ShellNode[] = [];
  if (cursor.gotoFirstChild()) {
    do {
      const child = toNode(cursor, budget, depth + 1);
      if (child === undefined) return undefined;
      children.push(child);
    } while (cursor.gotoNextSibling());
    cursor.gotoParent();
  }
  return normalize({ ...node, children });
}

/** Parses one command text. Faults: too long, invisible or control characters, syntax the grammar rejects, too complex. */
export function parseShell(parser: Parser, text: string): Parsed {
  if (text.length > MAX_COMMAND_LENGTH)
    return { ok: false, why: `is longer than ${MAX_COMMAND_LENGTH} characters` };
  if (hasInvisible(text)) return { ok: false, why: "holds invisible or control characters" };
  const tree = parser.parse(text);
  if (tree === null) return { ok: false, why: "cannot be parsed as bash" };
  try {
    if (tree.rootNode.hasError) return { ok: false, why: "cannot be parsed as bash" };
    const cursor = tree.walk();
    const root = toNode(cursor, { nodes: MAX_NODES }, 0);
    cursor.delete();
    return root === undefined
      ? { ok: false, why: "is too complex to analyse" }
      : { ok: true, root, text };
  } finally {
    tree.delete();
  }
}

export const namedChildren = (node: ShellNode): readonly ShellNode[] =>
  node.children.filter((child) => child.named && child.type !== "comment");
export const fieldOf = (node: ShellNode, field: string): ShellNode | undefined =>
  node.children.find((child) => child.field === field);
export const fieldsOf = (node: ShellNode, field: string): readonly ShellNode[] =>
  node.children.filter((child) => child.field === field && child.named);
