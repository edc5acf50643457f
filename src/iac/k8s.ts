// Kubernetes manifests: shape, API versions, and the names inside one manifest that must agree.
// What is insecure or wasteful is the business of rules/.

import type { Finding } from "./findings.ts";
import type { Span } from "./hcl/tree.ts";
import { groupOf, HOME_OF_KIND, REMOVED } from "./k8s/api-versions.ts";
import { manifestsOf } from "./k8s/manifest.ts";
import type { Manifest } from "./k8s/manifest.ts";
import { containersOf, hasSelector, isPartial, podTemplateOf } from "./k8s/workload.ts";
import { reporter } from "./reporter.ts";
import type { Report } from "./reporter.ts";
import { entriesOf, find, findWhole, member, textOf } from "./value.ts";
import type { Found, Value } from "./value.ts";

const MAX_NAME_LENGTH = 253;
const SUBDOMAIN = /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/;
/** RBAC names are path segments: `system:node` is one. */
const ANY_NAME_GROUPS = new Set(["rbac.authorization.k8s.io"]);

/** Checks one document, a List with all its items. */
export function checkManifests(root: Value, file: string): Finding[] {
  const findings: Finding[] = [];
  const report = reporter(findings, file, "K8S");
  for (const manifest of manifestsOf(root)) {
    checkShape(manifest, report);
    checkSelector(manifest, report);
    checkContainers(manifest, report);
    checkVolumes(manifest, report);
    checkServicePorts(manifest, report);
  }
  return findings;
}

function checkShape({ value, apiVersion, kind, name }: Manifest, report: Report): void {
  if (value.kind !== "map")
    return report(
      "API",
      "error",
      value.at,
      "A manifest is a map with apiVersion, kind and metadata.",
    );
  const home = kind === undefined ? undefined : HOME_OF_KIND.get(kind);
  if (kind === undefined)
    report("API", "error", value.at, "The manifest has no kind, such as kind: Deployment.");
  if (apiVersion === undefined) {
    report(
      "API",
      "error",
      keyAt(value, "kind"),
      `The manifest has no apiVersion.${home === undefined ? "" : ` ${kind} lives in ${home}.`}`,
    );
    return;
  }
  if (kind === undefined) return;
  checkApiVersion(apiVersion, kind, keyAt(value, "apiVersion"), report);
  // Custom resources have rules of their own for names.
  const isBuiltIn = home !== undefined && groupOf(apiVersion) === groupOf(home);
  if (isBuiltIn || REMOVED.has(`${apiVersion} ${kind}`))
    checkName(value, name, groupOf(apiVersion), report);
}

function checkApiVersion(apiVersion: string, kind: string, at: Span, report: Report): void {
  const removal = REMOVED.get(`${apiVersion} ${kind}`);
  if (removal !== undefined) {
    const advice =
      removal.use === undefined ? `${kind} has no successor; delete it.` : `Use ${removal.use}.`;
    report(
      "REMOVED",
      "error",
      at,
      `${apiVersion} ${kind} is not served since Kubernetes ${removal.since}. ${advice}`,
    );
    return;
  }
  const home = HOME_OF_KIND.get(kind);
  if (home === undefined || home === apiVersion) return;
  const group = groupOf(apiVersion);
  // Other groups may define a kind of the same name; only Kubernetes' own ones are judged.
  const isBuiltIn = group === "" || !group.includes(".") || group.endsWith(".k8s.io");
  const isSameGroup = group === groupOf(home);
  if (
    isBuiltIn &&
    (!isSameGroup || /^(v\d+|.*\/v\d+)$/.test(apiVersion)) &&
    !isAlsoServed(apiVersion, kind)
  )
    report("KIND", "error", at, `${apiVersion} has no kind ${kind}. Use ${home}.`);
}

function isAlsoServed(apiVersion: string, kind: string): boolean {
  return (
    (kind === "HorizontalPodAutoscaler" && apiVersion === "autoscaling/v1") ||
    (kind === "Event" && apiVersion === "events.k8s.io/v1") ||
    // Extension groups of Kubernetes' own name may reuse the name of a kind.
    /\.x-k8s\.io$|^(gateway|metrics|snapshot|node|resource|discovery)\./.test(groupOf(apiVersion))
  );
}

function checkName(value: Value, name: string | undefined, group: string, report: Report): void {
  const metadata = member(value, "metadata");
  if (name === undefined) {
    if (member(metadata, "generateName") !== undefined) return;
    const at = metadata === undefined ? keyAt(value, "kind") : keyAt(value, "metadata");
    report("NAME", "error", at, "The manifest has no metadata.name.");
    return;
  }
  const isValid = ANY_NAME_GROUPS.has(group) || SUBDOMAIN.test(name);
  if (isValid && name.length <= MAX_NAME_LENGTH) return;
  report(
    "NAME",
    "error",
    keyAt(metadata, "name"),
    `metadata.name "${name}" is not valid: lower-case letters, digits, "-" and ".", at most ${MAX_NAME_LENGTH}, starting and ending with a letter or digit.`,
  );
}

function checkSelector({ value, kind }: Manifest, report: Report): void {
  if (kind === undefined || !hasSelector(kind) || isPartial(kind, value)) return;
  const selector = find(value, "spec.selector")[0];
  if (selector === undefined) {
    report(
      "SELECTOR",
      "error",
      keyAt(value, "spec"),
      `A ${kind} needs spec.selector with the labels of its pods.`,
    );
    return;
  }
  const labels = new Map(
    entriesOf(findWhole(value, "spec.template.metadata.labels")[0]?.value).map((entry) => [
      entry.key,
      textOf(entry.value),
    ]),
  );
  for (const { key, keyAt: at, value: wanted } of entriesOf(
    member(selector.value, "matchLabels"),
  )) {
    const actual = labels.get(key);
    if (labels.has(key) && actual === textOf(wanted)) continue;
    const found = labels.has(key) ? `has "${actual ?? ""}"` : "does not have it";
    report(
      "SELECTOR",
      "error",
      at,
      `The selector wants the label ${key}: ${textOf(wanted) ?? ""}, but the pod template ${found}.`,
    );
  }
}

function checkContainers({ value, kind }: Manifest, report: Report): void {
  const template = podTemplateOf(kind ?? "", value);
  if (kind === undefined || template === undefined) return;
  const containers = containersOf(template);
  const spec = member(template, "spec");
  if (
    spec !== undefined &&
    !isPartial(kind, value) &&
    find(template, "spec.containers").length === 0
  )
    report(
      "CONTAINER",
      "error",
      kind === "Pod" ? keyAt(value, "spec") : keyAt(template, "spec"),
      "The pod has no containers.",
    );
  const seen = new Set<string>();
  for (const { value: container, at } of containers) {
    const name = textOf(member(container, "name"));
    if (name === undefined) report("CONTAINER", "error", at, "The container has no name.");
    else if (seen.has(name))
      report(
        "CONTAINER",
        "error",
        keyAt(container, "name"),
        `Two containers of this pod are named "${name}".`,
      );
    else seen.add(name);
    checkPortNames(find(container, "ports"), "container", report);
  }
}

function checkVolumes({ value, kind }: Manifest, report: Report): void {
  const template = podTemplateOf(kind ?? "", value);
  if (kind === undefined || template === undefined || isPartial(kind, value)) return;
  const claims = find(value, "spec.volumeClaimTemplates.metadata.name");
  const names = [...find(template, "spec.volumes.name"), ...claims].map((each) =>
    textOf(each.value),
  );
  for (const { value: container } of containersOf(template)) {
    for (const mount of find(container, "volumeMounts.name")) {
      const name = textOf(mount.value);
      if (name === undefined || names.includes(name)) continue;
      report(
        "VOLUME",
        "error",
        mount.at,
        `volumeMounts names "${name}", but the pod has no such volume.`,
      );
    }
  }
}

function checkServicePorts({ value, kind, apiVersion }: Manifest, report: Report): void {
  if (kind !== "Service" || apiVersion !== "v1") return;
  const ports = find(value, "spec.ports");
  checkPortNames(ports, "service", report);
  if (ports.length < 2) return;
  for (const { value: port } of ports)
    if (port.kind === "map" && member(port, "name") === undefined)
      report(
        "PORT",
        "error",
        entriesOf(port)[0]?.keyAt ?? port.at,
        "A service with several ports needs a name for each of them.",
      );
}

function checkPortNames(ports: readonly Found[], owner: string, report: Report): void {
  const seen = new Set<string>();
  for (const { value: port } of ports) {
    const name = textOf(member(port, "name"));
    if (name === undefined) continue;
    const at = keyAt(port, "name");
    if (seen.has(name))
      report("PORT", "error", at, `Two ports of this ${owner} are named "${name}".`);
    seen.add(name);
    const isContainer = owner === "container";
    const limit = isContainer ? 15 : 63;
    if (name.length > limit || !/^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/.test(name))
      report(
        "PORT",
        "error",
        at,
        `The port name "${name}" is not valid: lower-case letters, digits and "-", at most ${limit}.`,
      );
  }
}

function keyAt(value: Value | undefined, key: string): Span {
  const entry = entriesOf(value).find((each) => each.key === key);
  return entry?.keyAt ?? value?.at ?? { start: 0, end: 0, line: 1, column: 1 };
}
