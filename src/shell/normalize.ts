// Puts redirections where bash puts them. The grammar hangs `a && b > f` as (a && b) > f; bash redirects b alone, and
// `echo ls | bash < f` runs what f says, not `ls`.

import type { ShellNode } from "./parse.ts";

const CHAINS = new Set(["list", "pipeline", "negated_command"]);

function pushDown(body: ShellNode, outer: ShellNode, redirects: readonly ShellNode[]): ShellNode {
  if (!CHAINS.has(body.type))
    return { ...outer, children: [{ ...body, field: "body" }, ...redirects] };
  const last = body.children.findLastIndex((child) => child.named && child.type !== "comment");
  return {
    ...body,
    field: outer.field,
    children: body.children.map((child, index) =>
      index === last ? pushDown(child, { ...outer, field: child.field }, redirects) : child,
    ),
  };
}

/** The same node with its redirections at the command they belong to; its children are normal already. */
export function normalize(node: ShellNode): ShellNode {
  if (node.type !== "redirected_statement") return node;
  const body = node.children.find((child) => child.field === "body");
  if (body === undefined || !CHAINS.has(body.type)) return node;
  return pushDown(
    body,
    node,
    node.children.filter((child) => child !== body),
  );
}
