// How alike two short texts are, for suggestions only.

/** Longer texts are compared by their beginning. */
const MAX_COMPARED = 400;

/** Dice coefficient of the texts' letter pairs: 1 for equal, 0 for nothing in common. */
export function similarity(a: string, b: string): number {
  if (a === b) return 1;
  const left = pairsOf(a);
  const right = pairsOf(b);
  let total = 0;
  let shared = 0;
  for (const n of left.values()) total += n;
  for (const [pair, n] of right) {
    total += n;
    shared += Math.min(n, left.get(pair) ?? 0);
  }
  return total === 0 ? 0 : (2 * shared) / total;
}

function pairsOf(text: string): Map<string, number> {
  const pairs = new Map<string, number>();
  const end = Math.min(text.length, MAX_COMPARED) - 1;
  for (let i = 0; i < end; i++) {
    const pair = text.slice(i, i + 2);
    pairs.set(pair, (pairs.get(pair) ?? 0) + 1);
  }
  return pairs;
}
