// Plan files that lie in the project: found by the glob tool, so that rules hold, and read here as cards, never shown raw.

import { join } from "node:path";
import { renderCard } from "../iac/plan/render.ts";
import { readPlan } from "../iac/plan/read-plan.ts";
import { HOW_TO_CONNECT, type OfflineTurn, callTools, isDenied, sayLast } from "./offline-turn.ts";
import type { ModelEvent } from "./provider.ts";

/** Names that stored plans usually have. */
export const PLAN_PATTERN = "**/{*plan*,*change-set*,*changeset*,*preview*,*.plan}.{json,diff}";
const MAX_PLANS = 3;
const MAX_PLAN_BYTES = 32 * 1024 * 1024;

const NONE = `No stored plan lies here. Make one and ask again:
- Terraform or OpenTofu: terraform plan -out=tfplan && terraform show -json tfplan > plan.json
- CloudFormation: aws cloudformation describe-change-set --output json > change-set.json
- Kubernetes: kubectl diff -f . > plan.diff
`;

async function readSmall(path: string): Promise<string | undefined> {
  try {
    const file = Bun.file(path);
    if (!(await file.stat()).isFile() || file.size > MAX_PLAN_BYTES) return undefined;
    return await file.text();
  } catch {
    // Gone or not readable since it was found: then there is no plan to tell about.
    return undefined;
  }
}

/** The cards of what the glob found, newest first; empty when none of it is a plan. */
export async function planCards(cwd: string, globResult: string): Promise<string> {
  const cards: string[] = [];
  for (const path of globResult.split("\n")) {
    if (cards.length >= MAX_PLANS) break;
    if (!/\.(json|diff)$/.test(path)) continue;
    const text = await readSmall(join(cwd, path));
    const card = text === undefined ? "not read" : readPlan(text);
    if (typeof card !== "string") cards.push(`${path}:\n\n${renderCard(card)}\n`);
  }
  return cards.join("\n");
}

export async function* tellPlans({ done }: OfflineTurn, cwd: string): AsyncGenerator<ModelEvent> {
  const found = done.find(({ name }) => name === "glob");
  if (found === undefined) return yield callTools(["glob", { pattern: PLAN_PATTERN }]);
  if (isDenied(found.result)) return yield* sayLast(`I may not look for plans: ${found.result}\n`);
  const cards = await planCards(cwd, found.result);
  yield* sayLast(`${cards === "" ? NONE : cards}\n${HOW_TO_CONNECT}`);
}
