// The words of a project's own checks may repeat a value that the plan marks as secret; they are the only text of a card
// that is not ours.

import type { PlanCard } from "../iac/plan/card.ts";
import { parseJson } from "../lib/json.ts";
import { createMasker } from "../secrets/mask.ts";
import { structureSpans } from "../secrets/structure.ts";

/** The card with every value masked that the structure of `planText` marks as secret. */
export function withoutSecrets(card: PlanCard, planText: string): PlanCard {
  if (!card.concerns.some(({ kind }) => kind === "check")) return card;
  const masker = createMasker({ level: "balanced" });
  const known = new Map<string, string>();
  for (const { start, end, label } of structureSpans(planText)) {
    const raw = planText.slice(start, end);
    const value = parseJson(`"${raw}"`);
    known.set(typeof value === "string" ? value : raw, label);
  }
  masker.addKnown([...known].map(([value, label]) => ({ value, label })));
  const concerns = card.concerns.map((concern) =>
    concern.kind === "check" ? { ...concern, text: masker.mask(concern.text) } : concern,
  );
  return { ...card, concerns };
}
