// The declared name that a wrong one was probably meant to be.

const MAX_CANDIDATES = 500;

/** ` Did you mean x?`, or nothing when no candidate is close. */
export function didYouMean(name: string, candidates: Iterable<string>): string {
  let best: string | undefined;
  let bestDistance = Math.max(1, Math.floor(name.length / 3)) + 1;
  let looked = 0;
  for (const candidate of candidates) {
    if (++looked > MAX_CANDIDATES) break;
    if (Math.abs(candidate.length - name.length) >= bestDistance) continue;
    const distance = editDistance(name, candidate);
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance];
  }
  return best === undefined ? "" : ` Did you mean ${best}?`;
}

/** The `most` candidates that are close to the name, closest first. */
export function nearest(name: string, candidates: Iterable<string>, most: number): string[] {
  const limit = Math.max(2, Math.floor(name.length / 2));
  const ranked: { readonly candidate: string; readonly distance: number }[] = [];
  for (const candidate of candidates) {
    if (ranked.length >= MAX_CANDIDATES) break;
    if (Math.abs(candidate.length - name.length) > limit && !candidate.includes(name)) continue;
    const distance = candidate.includes(name) ? 0.5 : editDistance(name, candidate);
    if (distance <= limit) ranked.push({ candidate, distance });
  }
  return ranked
    .toSorted((a, b) => a.distance - b.distance)
    .slice(0, most)
    .map(({ candidate }) => candidate);
}

/** Insertions, deletions, replacements and swaps of neighbours, each counted as one. */
function editDistance(a: string, b: string): number {
  let before: readonly number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a.charCodeAt(i - 1) === b.charCodeAt(j - 1) ? 0 : 1;
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swapped = isSwap ? (before[j - 2] ?? 0) + 1 : Infinity;
      next.push(
        Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + same, swapped),
      );
    }
    before = row;
    row = next;
  }
  return row.at(-1) ?? 0;
}
