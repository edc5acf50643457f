// Where a workload keeps its pod template and its containers.

import { entriesOf, find, findWhole, member } from "../value.ts";
import type { Found, Value } from "../value.ts";

const TEMPLATE_PATHS: Readonly<Record<string, string>> = {
  Pod: "",
  Deployment: "spec.template",
  StatefulSet: "spec.template",
  DaemonSet: "spec.template",
  ReplicaSet: "spec.template",
  ReplicationController: "spec.template",
  Job: "spec.template",
  CronJob: "spec.jobTemplate.spec.template",
};

/** Kinds that run containers. */
export const WORKLOAD_KINDS: readonly string[] = Object.keys(TEMPLATE_PATHS);

/** The pod template of a workload, the pod itself for `Pod`; `undefined` when it has none. */
export function podTemplateOf(kind: string, manifest: Value): Value | undefined {
  const path = TEMPLATE_PATHS[kind];
  if (path === undefined) return undefined;
  return path === "" ? manifest : findWhole(manifest, path)[0]?.value;
}

const SELECTING_KINDS = new Set(["Deployment", "StatefulSet", "DaemonSet", "ReplicaSet"]);

/**
 * True for a workload that cannot stand alone: it has neither a selector nor labels for its pods, as the patches
 * of Kustomize.
 */
export function isPartial(kind: string, manifest: Value): boolean {
  const paths = ["spec.selector", "spec.template.metadata.labels"];
  return SELECTING_KINDS.has(kind) && paths.every((path) => find(manifest, path).length === 0);
}

/** True for the kinds that find their pods by `spec.selector`. */
export function hasSelector(kind: string): boolean {
  return SELECTING_KINDS.has(kind);
}

/** Containers, init containers and ephemeral ones of a pod template. */
export function containersOf(template: Value | undefined): readonly Found[] {
  return ["containers", "initContainers", "ephemeralContainers"].flatMap((list) =>
    find(template, `spec.${list}`).map(({ value }) => ({ value, at: placeOf(value) })),
  );
}

/** A list item is pointed at by its first key: that is the line after the dash. */
function placeOf(value: Value) {
  const name = member(value, "name");
  return name === undefined ? value.at : (entriesOf(value)[0]?.keyAt ?? value.at);
}
