// Any stored plan text → its card: which program wrote it is told by its form.

import { isRecord, parseJson } from "../../lib/json.ts";
import { cardOf } from "../plan.ts";
import type { PlanCard, PlanFacts } from "./card.ts";
import { changeSetCard, rosPreviewCard } from "./change-set.ts";
import { helmDiffCard, kubectlDiffCard } from "./manifest-diff.ts";

const FORMS =
  "Known are `terraform show -json PLAN`, `aws cloudformation describe-change-set`, `aliyun ros PreviewStack` and `GetChangeSet`, and the text of `kubectl diff` and `helm diff`";

/** A string says why the text is no plan, and what would be one. */
export function readPlan(text: string, facts: PlanFacts = {}): PlanCard | string {
  const json = parseJson(text);
  if (json === undefined)
    return (
      kubectlDiffCard(text) ?? helmDiffCard(text) ?? `It is no plan that can be read. ${FORMS}.`
    );
  const card = isRecord(json) ? fromJson(json, facts) : undefined;
  if (card === undefined) return `It is JSON, but no plan that can be read. ${FORMS}.`;
  return typeof card === "string" ? `It is not a plan that can be read: ${card}. ${FORMS}.` : card;
}

function fromJson(json: Record<string, unknown>, facts: PlanFacts): PlanCard | string | undefined {
  if (Array.isArray(json["Changes"])) return changeSetCard(json);
  if (isRecord(json["Stack"])) return rosPreviewCard(json);
  if (!("format_version" in json)) return undefined;
  return "resource_changes" in json || "planned_values" in json
    ? cardOf(json, facts)
    : "it is the JSON of a state; give that of a plan file";
}
