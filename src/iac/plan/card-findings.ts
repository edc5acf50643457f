// The concerns of a card as findings, for SARIF and for lists that editors read.

import type { Finding, Severity } from "../findings.ts";
import type { PlanCard } from "./card.ts";

const SEVERITIES = { review: "warning", danger: "error" } as const satisfies Record<
  string,
  Severity
>;

export type FindingPlaces = {
  /** The file a concern is told of when its own is not known. */
  readonly file: string;
  /** Where an address is declared, relative to the project's root. */
  readonly locate?: (
    address: string,
  ) => { readonly file: string; readonly line: number; readonly column: number } | undefined;
};

/** Codes are `PLAN-LOSS`, `PLAN-PUBLIC` and so on, one for each kind of concern. */
export function cardFindings(card: PlanCard, { file, locate }: FindingPlaces): Finding[] {
  return card.concerns.map(({ kind, level, address, text }) => {
    const place = address === undefined ? undefined : locate?.(address);
    return {
      ...(place ?? { file, line: 1, column: 1 }),
      severity: SEVERITIES[level],
      code: `PLAN-${kind.toUpperCase()}`,
      message: address === undefined ? text : `${address} ${text}`,
    };
  });
}
