// What manifests of one directory say about one another: services and the pods they select, and names given twice.

import type { Finding } from "../findings.ts";
import type { Span } from "../hcl/tree.ts";
import { reporter } from "../reporter.ts";
import { entriesOf, find, findWhole, member, textOf } from "../value.ts";
import type { Value } from "../value.ts";
import { manifestsOf } from "./manifest.ts";
import type { Manifest } from "./manifest.ts";
import { containersOf, podTemplateOf } from "./workload.ts";

export type ManifestFile = { readonly file: string; readonly roots: readonly Value[] };

type Placed = Manifest & { readonly file: string; readonly namespace: string };

/** Checks the files of one directory together; each file by itself is checked elsewhere. */
export function checkTogether(files: readonly ManifestFile[]): Finding[] {
  const findings: Finding[] = [];
  const placed = files.flatMap(({ file, roots }) =>
    roots.flatMap(manifestsOf).map((manifest) => ({
      ...manifest,
      file,
      namespace: textOf(find(manifest.value, "metadata.namespace")[0]?.value) ?? "",
    })),
  );
  checkTwice(placed, findings);
  for (const each of placed)
    if (each.kind === "Service" && each.apiVersion === "v1") checkTargets(each, placed, findings);
  return findings;
}

/** Within one file only: overlays repeat a manifest in another file on purpose. */
function checkTwice(manifests: readonly Placed[], findings: Finding[]): void {
  const seen = new Set<string>();
  for (const { file, apiVersion, kind, namespace, name, value } of manifests) {
    if (kind === undefined || name === undefined) continue;
    const key = JSON.stringify([file, apiVersion, kind, namespace, name]);
    if (seen.has(key))
      reporter(findings, file, "K8S")(
        "TWICE",
        "error",
        placeOfName(value),
        `${kind} "${name}" stands twice in this file; the later one replaces the other. Rename or remove one.`,
      );
    seen.add(key);
  }
}

/** A named targetPort must be a port of the pods; when no workload here matches, they are elsewhere. */
function checkTargets(service: Placed, all: readonly Placed[], findings: Finding[]): void {
  const selector = entriesOf(findWhole(service.value, "spec.selector")[0]?.value);
  if (selector.length === 0) return;
  const templates = all.flatMap(({ kind, value, namespace }) => {
    const template = podTemplateOf(kind ?? "", value);
    const labels = findWhole(template, "metadata.labels")[0]?.value;
    const isSelected = selector.every(
      ({ key, value: wanted }) => textOf(member(labels, key)) === textOf(wanted),
    );
    return isSelected && template !== undefined && namespace === service.namespace
      ? [template]
      : [];
  });
  if (templates.length === 0) return;
  const ports = templates
    .flatMap(containersOf)
    .flatMap(({ value }) => find(value, "ports.name"))
    .map(({ value }) => textOf(value));
  for (const { value, at } of find(service.value, "spec.ports.targetPort")) {
    const target = textOf(value);
    if (target === undefined || /^\d+$/.test(target) || ports.includes(target)) continue;
    reporter(findings, service.file, "K8S")(
      "PORT",
      "error",
      at,
      `targetPort "${target}" is no port of the pods that this service selects.`,
    );
  }
}

function placeOfName(manifest: Value): Span {
  const metadata = member(manifest, "metadata");
  return entriesOf(metadata).find(({ key }) => key === "name")?.keyAt ?? manifest.at;
}
