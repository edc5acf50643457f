// The JSON of a Terraform or OpenTofu plan → its card: what happens to what, where, and what a person must look at.
// Pure; planning itself, the permission and the apply live in the tools.

import {
  type ChangeAction,
  type Concern,
  makeCard,
  type PlanCard,
  type PlanFacts,
  type PlannedChange,
} from "./plan/card.ts";
import { driftOf, outputsOf, plannedChange } from "./plan/changes.ts";
import { exposureOf, versionsOf } from "./plan/exposure.ts";
import { changeConcerns } from "./plan/judge.ts";
import { placeOf, productionSign } from "./plan/place.ts";
import {
  type PlanJson,
  type ResourceChange,
  readPlanJson,
  stateResources,
} from "./plan/plan-json.ts";

/** Creates against an empty state from which on it is asked whether the state is the right one. */
const MANY_CREATES = 20;

/** A string says why `planJson` (the parsed output of `show -json`) is no plan. */
export function cardOf(planJson: unknown, facts: PlanFacts = {}): PlanCard | string {
  const plan = readPlanJson(planJson);
  if (typeof plan === "string") return plan;
  const changes: PlannedChange[] = [];
  const concerns: Concern[] = [...stateConcerns(plan, facts)];
  let unchanged = 0;
  for (const entry of plan.resource_changes ?? []) {
    const change = plannedChange(entry);
    if (change === undefined) {
      unchanged += 1;
      continue;
    }
    changes.push(change);
    if (entry.mode === "managed" && change.action in EXPOSING) concerns.push(...exposed(entry));
  }
  const place = placeOf(plan, facts);
  const drift = driftOf(plan);
  concerns.push(...changeConcerns(changes, productionSign(place, plan)));
  concerns.push(...drift, ...checkConcerns(plan));
  return makeCard({
    source: "terraform",
    place,
    changes,
    unchanged,
    outputs: outputsOf(plan),
    concerns,
    notes: notesOf(facts, plan),
    drift: drift.length,
  });
}

/** Actions after which there is an object of ours. */
const EXPOSING: Partial<Record<ChangeAction, true>> = { create: true, update: true, replace: true };

function exposed({ type, address, change }: ResourceChange): Concern[] {
  return exposureOf(
    versionsOf(type, address, {
      before: { json: change.before, sensitive: change.before_sensitive },
      after: {
        json: change.after,
        unknown: change.after_unknown,
        sensitive: change.after_sensitive,
      },
    }),
  );
}

/** Signs that the plan was made against the wrong state, or none. */
function* stateConcerns(plan: PlanJson, facts: PlanFacts): Generator<Concern> {
  const isEmpty = ![...stateResources(plan)].some(({ mode }) => mode === "managed");
  const creates = (plan.resource_changes ?? []).filter(
    ({ change }) => change.actions.join() === "create",
  ).length;
  const alarm = (text: string): Concern => ({ kind: "state", level: "danger", text });
  if (isEmpty && creates >= MANY_CREATES)
    yield alarm(
      `The state is empty and ${creates} resources would be created. Unless this is the first rollout, the state is missing or the wrong one: check backend, workspace and account before anything else`,
    );
  const { state, previousState } = facts;
  if (state === undefined || previousState === undefined || previousState === "empty") return;
  if (state === "empty")
    yield alarm("The state is empty, and it was not at the last plan of this directory");
  else if (state.lineage !== previousState.lineage)
    yield alarm(
      "The state is another one than at the last plan of this directory (its lineage changed)",
    );
  else if (state.serial < previousState.serial)
    yield alarm(
      `The state went back in time: its serial is ${state.serial}, and it was ${previousState.serial} at the last plan`,
    );
}

function checkConcerns(plan: PlanJson): Concern[] {
  const failed = (plan.checks ?? []).filter(
    ({ status }) => status === "fail" || status === "error",
  );
  const concerns = failed.map(({ address, status, instances }): Concern => {
    const messages = (instances ?? []).flatMap(({ problems }) =>
      (problems ?? []).map(({ message }) => message),
    );
    const said = [...new Set(messages)].join(" ");
    const verb = status === "error" ? "could not be evaluated" : "failed";
    return {
      kind: "check",
      level: "review",
      address: address.to_display,
      text: said === "" ? `the check ${verb}` : `the check ${verb}: ${said}`,
    };
  });
  if (plan.errored === true)
    concerns.push({
      kind: "error",
      level: "review",
      text: "The plan ended with errors and is not complete",
    });
  return concerns;
}

function notesOf(facts: PlanFacts, plan: PlanJson): string[] {
  const { targets = [], isDestroy, isRefreshOnly } = facts;
  return [
    ...(isDestroy === true ? ["This is a destroy plan: it removes everything it names."] : []),
    ...(isRefreshOnly === true
      ? ["This plan only takes what it found into the state; no object is changed."]
      : []),
    ...(targets.length > 0
      ? [`Partial: only ${targets.map((target) => `\`${target}\``).join(", ")} and what it needs.`]
      : []),
    ...(plan.complete === false && plan.errored !== true
      ? ["Not complete: some changes are left to a later plan."]
      : []),
  ];
}
