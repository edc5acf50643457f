// The rows that benchmarks give, and how they are judged: each beside a reference measured in the same run.

export type Row = {
  readonly name: string;
  readonly unit: string;
  readonly median: number;
  readonly min: number;
  readonly max: number;
  /** What it is compared with, measured in the same run. */
  readonly reference?: { readonly name: string; readonly median: number };
  /** `median / reference.median` must be at most (or at least) this. */
  readonly target?: { readonly kind: "at_most" | "at_least"; readonly ratio: number };
  /** A bound on the median itself. With a target too, both must hold. */
  readonly bound?: number;
};

function ratioOf({ median, reference }: Row): number | undefined {
  return reference === undefined || reference.median === 0 ? undefined : median / reference.median;
}

/** `undefined` where a row states nothing that can be judged. */
export function isMet(row: Row): boolean | undefined {
  const judged = [
    row.bound === undefined ? undefined : row.median <= row.bound,
    hasTargetRatio(row),
  ].filter((met) => met !== undefined);
  return judged.length === 0 ? undefined : judged.every(Boolean);
}

function hasTargetRatio(row: Row): boolean | undefined {
  const ratio = ratioOf(row);
  if (row.target === undefined || ratio === undefined) return undefined;
  return row.target.kind === "at_most" ? ratio <= row.target.ratio : ratio >= row.target.ratio;
}

export function statsOf(values: readonly number[]): Pick<Row, "median" | "min" | "max"> {
  const sorted = values.toSorted((a, b) => a - b);
  const median = sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
  return { median, min: sorted[0] ?? Number.NaN, max: sorted.at(-1) ?? Number.NaN };
}

const round = (value: number): string =>
  Math.abs(value) >= 100
    ? value.toFixed(0)
    : Math.abs(value) >= 1
      ? value.toFixed(1)
      : value.toFixed(3);

function targetOf({ target, bound }: Row): string {
  return [
    ...(bound === undefined ? [] : [`≤ ${bound}`]),
    ...(target === undefined ? [] : [`${target.kind === "at_most" ? "≤" : "≥"} ${target.ratio} ×`]),
  ].join(", ");
}

/** What is printed of a row: what, median, min, max, reference, ratio, target, whether it was met. */
export function toCells(row: Row): string[] {
  const ratio = ratioOf(row);
  const met = isMet(row);
  return [
    row.name,
    `${round(row.median)} ${row.unit}`.trim(),
    round(row.min),
    round(row.max),
    row.reference === undefined ? "" : `${row.reference.name}: ${round(row.reference.median)}`,
    ratio === undefined ? "" : `${ratio.toFixed(2)} ×`,
    targetOf(row),
    met === undefined ? "" : met ? "pass" : "short",
  ];
}

type Loose = Readonly<Record<string, unknown>>;
const numberAt = (row: Loose, ...keys: readonly string[]): number | undefined =>
  keys.map((key) => row[key]).find((value): value is number => typeof value === "number");

/** Rows of the rooms' own benchmarks come in their own shapes: a value with a unit, milliseconds, or a record of numbers. */
export function toRows(found: unknown): Row[] {
  const list = Array.isArray(found)
    ? (found as readonly Loose[])
    : Object.entries(found as Loose).map(([name, value]) => ({ name, value, unit: "" }));
  return list.map((row): Row => {
    if ("reference" in row || ("median" in row && "unit" in row)) return row as unknown as Row;
    const median = numberAt(row, "median", "medianMs", "value") ?? Number.NaN;
    const unit = typeof row["unit"] === "string" ? row["unit"] : "medianMs" in row ? "ms" : "";
    return {
      name: String(row["name"]),
      unit,
      median,
      min: numberAt(row, "min", "minMs") ?? median,
      max: numberAt(row, "max", "maxMs") ?? median,
    };
  });
}
