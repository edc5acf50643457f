// One resource change of a plan → what happens to the object: action lists, moves, imports, what forces a replace.

import { isRecord } from "../../lib/json.ts";
import type { ChangeAction, Concern, OutputChange, PlannedChange } from "./card.ts";
import type { Change, PlanJson, ResourceChange } from "./plan-json.ts";
import { heldBy } from "./stateful.ts";

/** https://developer.hashicorp.com/terraform/internals/json-format#change-representation */
const REASONS: Readonly<Record<string, string>> = {
  replace_because_tainted: "it is tainted",
  replace_by_request: "-replace names it",
  replace_by_triggers: "replace_triggered_by names something that changes",
  delete_because_no_resource_config: "it is no longer in the configuration",
  delete_because_wrong_repetition: "count or for_each was added or removed",
  delete_because_count_index: "its index is beyond count",
  delete_because_each_key: "its key is no longer in for_each",
  delete_because_no_module: "its module is no longer in the configuration",
  delete_because_no_move_target: "a moved block leads to nothing",
  read_because_config_unknown: "its configuration is known only after the apply",
  read_because_dependency_pending: "it depends on something that changes",
  read_because_check_nested: "it belongs to a check",
};

/** `undefined` for what stays as it is. */
export function plannedChange(entry: ResourceChange): PlannedChange | undefined {
  const { address, type, change, previous_address, deposed, action_reason } = entry;
  const isMoved = typeof previous_address === "string" && previous_address !== address;
  const isImported = isRecord(change.importing);
  const { action, order } = actionOf(change.actions, { isMoved, isImported });
  if (action === undefined) return undefined;
  const isReal = entry.mode === "managed";
  const holds = isReal ? heldBy(type) : undefined;
  const reason = REASONS[action_reason ?? ""];
  return {
    address: typeof deposed === "string" ? `${address} (deposed ${deposed})` : address,
    type,
    action,
    ...(order === undefined ? {} : { order }),
    ...(isMoved ? { movedFrom: previous_address } : {}),
    ...(isImported ? { isImported } : {}),
    forcedBy: action === "replace" ? (change.replace_paths ?? []).map(showPath) : [],
    changed: action === "update" || action === "replace" ? changedAttributes(change) : [],
    ...(reason === undefined ? {} : { reason }),
    ...(holds === undefined ? {} : { holds }),
  };
}

const SINGLE_ACTIONS = ["create", "update", "delete", "read", "forget"] as const;
type Acted = { readonly action?: ChangeAction; readonly order?: PlannedChange["order"] };

/** The order of the list tells a replace that deletes first from one that creates first. */
function actionOf(
  actions: readonly string[],
  { isMoved, isImported }: { readonly isMoved: boolean; readonly isImported: boolean },
): Acted {
  switch (actions.join(",")) {
    case "no-op":
      return isImported ? { action: "import" } : isMoved ? { action: "move" } : {};
    case "delete,create":
      return { action: "replace", order: "delete_first" };
    case "create,delete":
      return { action: "replace", order: "create_first" };
    default: {
      const single = SINGLE_ACTIONS.find((action) => action === actions.join(","));
      if (single !== undefined) return { action: single };
      // A new object while the old one is only forgotten, in either order; and whatever later versions bring.
      if (actions.includes("forget")) return { action: "forget" };
      if (actions.includes("delete")) return { action: "replace", order: "delete_first" };
      return actions.includes("open") || actions.length === 0 ? {} : { action: "update" };
    }
  }
}

/** `["root_block_device", 0, "encrypted"]` → `root_block_device[0].encrypted`. */
function showPath(path: readonly (string | number)[]): string {
  return path
    .map((part, at) => (typeof part === "number" ? `[${part}]` : at === 0 ? part : `.${part}`))
    .join("");
}

/** Names only; a sensitive attribute is named as well, its value never is. */
function changedAttributes({ before, after, after_unknown: unknown }: Change): string[] {
  const old = isRecord(before) ? before : {};
  const next = isRecord(after) ? after : {};
  const later = isRecord(unknown) ? unknown : {};
  const names = new Set([...Object.keys(old), ...Object.keys(next), ...Object.keys(later)]);
  return [...names].filter(
    (name) =>
      holdsTrue(later[name]) ||
      JSON.stringify(old[name] ?? null) !== JSON.stringify(next[name] ?? null),
  );
}

/** A mask marks what it means with `true`, at any depth. */
function holdsTrue(mask: unknown): boolean {
  if (mask === true) return true;
  if (Array.isArray(mask)) return mask.some(holdsTrue);
  return isRecord(mask) && Object.values(mask).some(holdsTrue);
}

/** What was changed outside of the program; a move alone is no drift. */
export function driftOf(plan: PlanJson): Concern[] {
  return (plan.resource_drift ?? []).flatMap(({ address, change }): Concern[] => {
    const [action] = change.actions;
    if (action === undefined || action === "no-op") return [];
    const names = changedAttributes(change);
    const text =
      action === "delete"
        ? "was deleted outside of the program"
        : `was changed outside of the program${names.length === 0 ? "" : ` (${names.join(", ")})`}`;
    return [{ kind: "drift", level: "review", address, text }];
  });
}

export function outputsOf(plan: PlanJson): OutputChange[] {
  return Object.entries(plan.output_changes ?? {}).flatMap(([name, change]): OutputChange[] => {
    const [action] = change.actions;
    if (action !== "create" && action !== "update" && action !== "delete") return [];
    const isSensitive = holdsTrue(change.before_sensitive) || holdsTrue(change.after_sensitive);
    return [{ name, action, isSensitive }];
  });
}
