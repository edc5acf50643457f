// What the changes themselves weigh, whoever planned them: losses, deletions where production is, replaces.

import type { Concern, PlannedChange } from "./card.ts";

/** `production` says what looks like it, as productionSign does. */
export function changeConcerns(
  changes: readonly PlannedChange[],
  production: string | undefined,
): Concern[] {
  return changes.flatMap((change) => {
    const concern = concernOf(change, production);
    return concern === undefined ? [] : [{ ...concern, address: change.address }];
  });
}

function concernOf(change: PlannedChange, production: string | undefined): Concern | undefined {
  const { action, holds } = change;
  if (action === "forget")
    return { kind: "forget", level: "review", text: "leaves the state but goes on to exist" };
  if (action !== "delete" && action !== "replace") return undefined;
  const because = whyText(change);
  if (holds !== undefined) {
    const verb = action === "delete" ? "is deleted" : "is deleted and made anew";
    return {
      kind: "loss",
      level: "danger",
      text: `${holds} ${verb}${because}: its data goes with it`,
    };
  }
  if (action === "replace")
    return { kind: "replace", level: "review", text: `is replaced${because}` };
  if (production !== undefined)
    return {
      kind: "production",
      level: "danger",
      text: `is deleted${because}, and ${production} looks like production`,
    };
  return { kind: "delete", level: "review", text: `is deleted${because}` };
}

/** ` (forced by engine_version)`. */
export function whyText({ forcedBy, reason }: PlannedChange): string {
  const parts = [
    ...(forcedBy.length > 0
      ? [`forced by ${forcedBy.map((path) => `\`${path}\``).join(", ")}`]
      : []),
    ...(reason === undefined ? [] : [reason]),
  ];
  return parts.length === 0 ? "" : ` (${parts.join("; ")})`;
}
