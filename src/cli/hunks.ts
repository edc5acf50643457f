// Two lists of lines → the regions where they differ, with the lines around them. Pure. The shortest edit script is found
// as in Myers, "An O(ND) difference algorithm and its variations" (1986).

export type DiffLine = { readonly mark: " " | "-" | "+"; readonly text: string };
export type Hunk = {
  /** Line of the new text where the region's first change is, from 1. */
  readonly line: number;
  readonly lines: readonly DiffLine[];
};

/** Beyond this many changed lines the middle is shown as removed, then as added: time and memory are its square. */
const MAX_EDITS = 1_000;

type Ends = readonly [head: number, tail: number];

function sharedEnds(before: readonly string[], after: readonly string[]): Ends {
  const most = Math.min(before.length, after.length);
  let head = 0;
  while (head < most && before[head] === after[head]) head += 1;
  let tail = 0;
  while (tail < most - head && before.at(-1 - tail) === after.at(-1 - tail)) tail += 1;
  return [head, tail];
}

/** For each number of edits how far every diagonal gets; `undefined` when more than MAX_EDITS are needed. */
function explore(before: readonly string[], after: readonly string[]): Int32Array[] | undefined {
  const most = Math.min(before.length + after.length, MAX_EDITS);
  const reach = new Int32Array(2 * most + 3);
  const trace: Int32Array[] = [];
  for (let edits = 0; edits <= most; edits += 1) {
    trace.push(reach.slice());
    for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
      let x = stepOn(reach, diagonal, edits, most).x;
      while (x < before.length && x - diagonal < after.length && before[x] === after[x - diagonal])
        x += 1;
      reach[diagonal + most + 1] = x;
      if (x >= before.length && x - diagonal >= after.length) return trace;
    }
  }
  return undefined;
}

/** The better of the two ways onto a diagonal: down (an added line) or right (a removed one). */
function stepOn(
  reach: Int32Array,
  diagonal: number,
  edits: number,
  most: number,
): { readonly isAdded: boolean; readonly x: number } {
  const above = reach[diagonal + most + 2] ?? 0;
  const left = reach[diagonal + most] ?? 0;
  const isAdded = diagonal === -edits || (diagonal !== edits && left < above);
  return { isAdded, x: isAdded ? above : left + 1 };
}

/** Every line of both texts, in order, marked. */
export function editScript(before: readonly string[], after: readonly string[]): DiffLine[] {
  const [head, tail] = sharedEnds(before, after);
  const oldMiddle = before.slice(head, before.length - tail);
  const newMiddle = after.slice(head, after.length - tail);
  const as = (mark: DiffLine["mark"]) => (text: string) => ({ mark, text });
  return [
    ...before.slice(0, head).map(as(" ")),
    ...(fromTrace(oldMiddle, newMiddle) ?? [...oldMiddle.map(as("-")), ...newMiddle.map(as("+"))]),
    ...before.slice(before.length - tail).map(as(" ")),
  ];
}

function fromTrace(before: readonly string[], after: readonly string[]): DiffLine[] | undefined {
  const trace = explore(before, after);
  if (trace === undefined) return undefined;
  const most = Math.min(before.length + after.length, MAX_EDITS);
  const backwards: DiffLine[] = [];
  let x = before.length;
  let y = after.length;
  for (let edits = trace.length - 1; edits >= 0; edits -= 1) {
    const reach = trace[edits] ?? new Int32Array();
    const { isAdded, x: start } = stepOn(reach, x - y, edits, most);
    const startY = start - (x - y);
    const isFirst = edits === 0;
    while (x > (isFirst ? 0 : start) && y > (isFirst ? 0 : startY)) {
      x -= 1;
      y -= 1;
      backwards.push({ mark: " ", text: before[x] ?? "" });
    }
    if (isFirst) break;
    if (isAdded) y -= 1;
    else x -= 1;
    backwards.push(
      isAdded ? { mark: "+", text: after[y] ?? "" } : { mark: "-", text: before[x] ?? "" },
    );
  }
  return backwards.toReversed();
}

/** The changed regions with `context` unchanged lines around each; regions whose context touches are one. */
export function toHunks(script: readonly DiffLine[], context: number): Hunk[] {
  const changes = script.flatMap(({ mark }, index) => (mark === " " ? [] : [index]));
  const groups: { readonly first: number; last: number }[] = [];
  for (const index of changes) {
    const group = groups.at(-1);
    if (group !== undefined && index - group.last <= 2 * context + 1) group.last = index;
    else groups.push({ first: index, last: index });
  }
  return groups.map(({ first, last }) => ({
    line: script.slice(0, first).filter(({ mark }) => mark !== "-").length + 1,
    lines: script.slice(Math.max(0, first - context), last + context + 1),
  }));
}
