// Pods and containers of Kubernetes manifests and of the `kubernetes_*` resources of Terraform, read alike.
// Paths are written as in manifests; for Terraform they become its snake case.

import type { Span } from "../../hcl/tree.ts";
import { isPartial, podTemplateOf, WORKLOAD_KINDS } from "../../k8s/workload.ts";
import { entriesOf, find, findWhole, member, textOf } from "../../value.ts";
import type { Found, Value } from "../../value.ts";
import { onTypes } from "./look.ts";
import type { Hit, ResourceCheck } from "../rule.ts";
import type { Resource } from "./source.ts";

/** A pod's or container's fields by their manifest paths. */
export type View = {
  readonly name: string;
  readonly at: Span;
  readonly find: (path: string) => readonly Found[];
};
export type Pod = View & {
  readonly kind: string;
  /** Init containers too. */
  readonly containers: readonly View[];
  /** Those that run as long as the pod does. */
  readonly mainContainers: readonly View[];
};

const HCL_KINDS: Readonly<Record<string, string>> = {
  kubernetes_pod: "Pod",
  kubernetes_deployment: "Deployment",
  kubernetes_stateful_set: "StatefulSet",
  kubernetes_daemonset: "DaemonSet",
  kubernetes_daemon_set: "DaemonSet",
  kubernetes_job: "Job",
  kubernetes_cron_job: "CronJob",
};
const HCL_TYPES = Object.keys(HCL_KINDS).flatMap((type) => [type, `${type}_v1`]);
/** Terraform names a repeated block in the singular. */
const SINGULAR: Readonly<Record<string, string>> = {
  containers: "container",
  initContainers: "init_container",
  volumes: "volume",
  ports: "port",
};

/** A check of every pod, also of those inside workloads. */
export function onPods(run: (pod: Pod) => readonly Hit[]): ResourceCheck {
  return onTypes([...WORKLOAD_KINDS, ...HCL_TYPES], (resource) => {
    const pod = podOf(resource);
    return pod === undefined ? [] : run(pod);
  });
}

/** A check of every container, init containers included. */
export function onContainers(run: (container: View, pod: Pod) => readonly Hit[]): ResourceCheck {
  return onPods((pod) =>
    pod.containers.flatMap((container) =>
      run(container, pod).map((hit) => ({
        at: container.at,
        detail: `container ${container.name}`,
        ...hit,
      })),
    ),
  );
}

function podOf(resource: Resource): Pod | undefined {
  const isHcl = resource.source.dialect === "hcl";
  const kind = isHcl ? HCL_KINDS[resource.type.replace(/_v1$/, "")] : resource.type;
  if (kind === undefined) return undefined;
  // What a patch of Kustomize leaves out stands in the manifest that it patches.
  const isPatch = !isHcl && isPartial(kind, resource.body);
  const template = isHcl ? hclTemplate(kind, resource.body) : podTemplateOf(kind, resource.body);
  const spec = findWhole(template, "spec")[0];
  if (spec === undefined || spec.value.kind !== "map") return undefined;
  const style = { isHcl, isPatch };
  const pod = viewOf(spec.value, resource.at, style);
  const main = pod.find("containers").map((found) => containerOf(found, style));
  const init = pod.find("initContainers").map((found) => containerOf(found, style));
  return { ...pod, kind, containers: [...main, ...init], mainContainers: main };
}

function hclTemplate(kind: string, body: Value): Value | undefined {
  if (kind === "Pod") return body;
  const path = kind === "CronJob" ? "spec.job_template.spec.template" : "spec.template";
  return findWhole(body, path)[0]?.value;
}

/** `isPatch`: what is absent is not known. */
type Style = { readonly isHcl: boolean; readonly isPatch: boolean };

function viewOf(value: Value, at: Span, { isHcl, isPatch }: Style): View {
  const open: Found = { value: { kind: "unknown", at, references: [] }, at };
  return {
    name: textOf(member(value, "name")) ?? "",
    at,
    find: (path) => {
      const found = find(value, isHcl ? toSnakePath(path) : path);
      return found.length === 0 && isPatch ? [open] : found;
    },
  };
}

function containerOf({ value, at }: Found, style: Style): View {
  // In a manifest the first key stands behind the dash; in Terraform the block's name is the place.
  return viewOf(value, style.isHcl ? at : (entriesOf(value)[0]?.keyAt ?? value.at), style);
}

function toSnakePath(path: string): string {
  return path
    .split(".")
    .map(
      (step) =>
        SINGULAR[step] ?? step.replaceAll(/[A-Z]+/g, (capitals) => `_${capitals.toLowerCase()}`),
    )
    .join(".");
}
