// The manifests of a file: documents with kind and API version, and the items of a List.

import { find, member, textOf } from "../value.ts";
import type { Value } from "../value.ts";
import { HOME_OF_KIND, groupOf } from "./api-versions.ts";

export type Manifest = {
  readonly value: Value;
  readonly apiVersion: string | undefined;
  readonly kind: string | undefined;
  readonly name: string | undefined;
};

/** Kinds of client-side files that share the shape but never go to a cluster as they are. */
const LOCAL_GROUPS =
  /^(kustomize\.config\.k8s\.io|kind\.x-k8s\.io|kubeadm\.k8s\.io|kubelet\.config\.k8s\.io|kubeproxy\.config\.k8s\.io|audit\.k8s\.io|client\.authentication\.k8s\.io|apiserver\.config\.k8s\.io|eksctl\.io|skaffold|k3d\.io|ctlptl\.dev|config\.|helm\.|nativeconfig)/;

/** True when a document is meant for a cluster, even if its shape has faults. */
export function isManifest(root: Value): boolean {
  const apiVersion = textOf(member(root, "apiVersion"));
  const kind = textOf(member(root, "kind"));
  if (apiVersion !== undefined && LOCAL_GROUPS.test(groupOf(apiVersion))) return false;
  if (apiVersion === "v1" && kind === "Config") return false;
  if (apiVersion !== undefined && kind !== undefined) return true;
  const hasBody = member(root, "metadata") !== undefined || member(root, "spec") !== undefined;
  if (kind !== undefined) return hasBody && HOME_OF_KIND.has(kind);
  return apiVersion !== undefined && hasBody && member(root, "metadata") !== undefined;
}

/** The document itself, or for a List each of its items. */
export function manifestsOf(root: Value): readonly Manifest[] {
  const kind = textOf(member(root, "kind"));
  if (kind?.endsWith("List") === true && member(root, "items") !== undefined)
    return find(root, "items").flatMap(({ value }) => manifestsOf(value));
  return [
    {
      value: root,
      apiVersion: textOf(member(root, "apiVersion")),
      kind,
      name: textOf(member(member(root, "metadata"), "name")),
    },
  ];
}
