// Where secrets stand in a text: what every detector of this room returns, and how their finds are joined.

/** `[start, end)` in UTF-16 units; `label` says what it is, never what it holds. */
export type Span = { readonly start: number; readonly end: number; readonly label: string };

/** What is known of the text beside the text. */
export type Hint = {
  /** The file it was read from. */
  readonly path?: string;
  /** The command that printed it. */
  readonly command?: string;
};

const CODE = /\.(?:[cm]?[jt]sx?|py|go|rs|java|kt|rb|cs|cpp|c|h|swift|php)$/;

/** True for source code, where an unquoted word is a name. */
export const isCodePath = (path: string | undefined): boolean => CODE.test(path ?? "");

/** `balanced` leaves placeholders such as `changeme` and unlabelled random text alone; `strict` masks both. */
export type Level = "strict" | "balanced" | "off";

/**
 * Joins overlapping spans into one that covers them all, so that no part of the longer find is left over; the label is
 * that of the span given first. Result sorted by position.
 */
export function joinSpans(spans: readonly Span[]): Span[] {
  const ranked = spans
    .map((span, rank) => ({ ...span, rank }))
    .filter(({ start, end }) => end > start)
    .toSorted((a, b) => a.start - b.start || a.rank - b.rank);
  const joined: (Span & { readonly rank: number })[] = [];
  for (const span of ranked) {
    const last = joined.at(-1);
    if (last === undefined || span.start >= last.end) joined.push(span);
    else {
      const first = last.rank <= span.rank ? last : span;
      const end = Math.max(last.end, span.end);
      joined[joined.length - 1] = { start: last.start, end, label: first.label, rank: first.rank };
    }
  }
  return joined.map(({ start, end, label }) => ({ start, end, label }));
}

/** The parts of `spans` that lie outside `holes`; both sorted and without overlaps. */
export function cutOut(spans: readonly Span[], holes: readonly Span[]): Span[] {
  if (holes.length === 0) return [...spans];
  return spans.flatMap((span) => {
    const parts: Span[] = [];
    let from = span.start;
    for (const hole of holes) {
      if (hole.end <= from || hole.start >= span.end) continue;
      if (hole.start > from) parts.push({ ...span, start: from, end: hole.start });
      from = Math.max(from, hole.end);
    }
    if (from < span.end) parts.push({ ...span, start: from });
    return parts;
  });
}
