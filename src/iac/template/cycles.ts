// Circular dependencies in a graph of names.

/** One cycle for each set of nodes that reach one another, each starting at its first node in `edges`. */
export function cyclesOf(edges: ReadonlyMap<string, ReadonlySet<string>>): readonly string[][] {
  const cycles: string[][] = [];
  const finished = new Set<string>();
  for (const start of edges.keys()) {
    if (finished.has(start)) continue;
    const cycle = pathBack(start, edges, finished);
    if (cycle === undefined) continue;
    cycles.push(cycle);
    for (const name of cycle) finished.add(name);
  }
  return cycles;
}

/** The shortest way from `start` to itself, or `undefined`. Breadth first, so no recursion on long chains. */
function pathBack(
  start: string,
  edges: ReadonlyMap<string, ReadonlySet<string>>,
  skip: ReadonlySet<string>,
): string[] | undefined {
  const from = new Map<string, string>();
  const queue = [start];
  for (const node of queue) {
    for (const next of edges.get(node) ?? []) {
      if (next === start) return wayTo(node, from);
      if (from.has(next) || skip.has(next)) continue;
      from.set(next, node);
      queue.push(next);
    }
  }
  return undefined;
}

function wayTo(node: string, from: ReadonlyMap<string, string>): string[] {
  const way = [node];
  for (let at = from.get(node); at !== undefined; at = from.get(at)) way.unshift(at);
  return way;
}
