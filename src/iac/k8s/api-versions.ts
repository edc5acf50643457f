// Which API versions Kubernetes removed, and where its built-in kinds live today.
// Source: https://kubernetes.io/docs/reference/using-api/deprecation-guide/

export type Removal = {
  /** The first Kubernetes release that no longer serves it. */
  readonly since: string;
  /** The version to use; `undefined` when the kind is gone for good. */
  readonly use: string | undefined;
};

const WORKLOADS: Removal = { since: "1.16", use: "apps/v1" };
const RBAC: Removal = { since: "1.22", use: "rbac.authorization.k8s.io/v1" };
const ADMISSION: Removal = { since: "1.22", use: "admissionregistration.k8s.io/v1" };
const STORAGE: Removal = { since: "1.22", use: "storage.k8s.io/v1" };
const FLOW_KINDS = ["FlowSchema", "PriorityLevelConfiguration"];
const FLOW = "flowcontrol.apiserver.k8s.io";

/** `apiVersion kind` → what became of it. */
export const REMOVED: ReadonlyMap<string, Removal> = new Map<string, Removal>([
  ...["DaemonSet", "Deployment", "ReplicaSet"].flatMap((kind): [string, Removal][] => [
    [`extensions/v1beta1 ${kind}`, WORKLOADS],
    [`apps/v1beta2 ${kind}`, WORKLOADS],
  ]),
  ["apps/v1beta1 Deployment", WORKLOADS],
  ["apps/v1beta1 StatefulSet", WORKLOADS],
  ["apps/v1beta2 StatefulSet", WORKLOADS],
  ["apps/v1beta1 ReplicaSet", WORKLOADS],
  ["extensions/v1beta1 NetworkPolicy", { since: "1.16", use: "networking.k8s.io/v1" }],
  ["extensions/v1beta1 PodSecurityPolicy", { since: "1.16", use: undefined }],
  ["extensions/v1beta1 Ingress", { since: "1.22", use: "networking.k8s.io/v1" }],
  ["networking.k8s.io/v1beta1 Ingress", { since: "1.22", use: "networking.k8s.io/v1" }],
  ["networking.k8s.io/v1beta1 IngressClass", { since: "1.22", use: "networking.k8s.io/v1" }],
  ["admissionregistration.k8s.io/v1beta1 MutatingWebhookConfiguration", ADMISSION],
  ["admissionregistration.k8s.io/v1beta1 ValidatingWebhookConfiguration", ADMISSION],
  [
    "apiextensions.k8s.io/v1beta1 CustomResourceDefinition",
    { since: "1.22", use: "apiextensions.k8s.io/v1" },
  ],
  [
    "apiregistration.k8s.io/v1beta1 APIService",
    { since: "1.22", use: "apiregistration.k8s.io/v1" },
  ],
  [
    "certificates.k8s.io/v1beta1 CertificateSigningRequest",
    { since: "1.22", use: "certificates.k8s.io/v1" },
  ],
  ["coordination.k8s.io/v1beta1 Lease", { since: "1.22", use: "coordination.k8s.io/v1" }],
  ["scheduling.k8s.io/v1beta1 PriorityClass", { since: "1.22", use: "scheduling.k8s.io/v1" }],
  ...["ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding"].flatMap(
    (kind): [string, Removal][] => [
      [`rbac.authorization.k8s.io/v1beta1 ${kind}`, RBAC],
      [`rbac.authorization.k8s.io/v1alpha1 ${kind}`, RBAC],
    ],
  ),
  ...["CSIDriver", "CSINode", "StorageClass", "VolumeAttachment"].map((kind): [string, Removal] => [
    `storage.k8s.io/v1beta1 ${kind}`,
    STORAGE,
  ]),
  ["storage.k8s.io/v1beta1 CSIStorageCapacity", { since: "1.27", use: "storage.k8s.io/v1" }],
  ["batch/v1beta1 CronJob", { since: "1.25", use: "batch/v1" }],
  ["batch/v2alpha1 CronJob", { since: "1.21", use: "batch/v1" }],
  ["discovery.k8s.io/v1beta1 EndpointSlice", { since: "1.25", use: "discovery.k8s.io/v1" }],
  ["events.k8s.io/v1beta1 Event", { since: "1.25", use: "events.k8s.io/v1" }],
  ["node.k8s.io/v1beta1 RuntimeClass", { since: "1.25", use: "node.k8s.io/v1" }],
  ["policy/v1beta1 PodDisruptionBudget", { since: "1.25", use: "policy/v1" }],
  ["policy/v1beta1 PodSecurityPolicy", { since: "1.25", use: undefined }],
  ["autoscaling/v2beta1 HorizontalPodAutoscaler", { since: "1.25", use: "autoscaling/v2" }],
  ["autoscaling/v2beta2 HorizontalPodAutoscaler", { since: "1.26", use: "autoscaling/v2" }],
  ...FLOW_KINDS.flatMap((kind): [string, Removal][] => [
    [`${FLOW}/v1beta1 ${kind}`, { since: "1.26", use: `${FLOW}/v1` }],
    [`${FLOW}/v1beta2 ${kind}`, { since: "1.29", use: `${FLOW}/v1` }],
    [`${FLOW}/v1beta3 ${kind}`, { since: "1.32", use: `${FLOW}/v1` }],
  ]),
]);

const CORE =
  "Binding ConfigMap Endpoints Event LimitRange Namespace Node PersistentVolume PersistentVolumeClaim Pod PodTemplate ReplicationController ResourceQuota Secret Service ServiceAccount";

const KINDS_OF: Readonly<Record<string, string>> = {
  v1: CORE,
  "apps/v1": "ControllerRevision DaemonSet Deployment ReplicaSet StatefulSet",
  "batch/v1": "CronJob Job",
  "networking.k8s.io/v1": "Ingress IngressClass NetworkPolicy",
  "rbac.authorization.k8s.io/v1": "ClusterRole ClusterRoleBinding Role RoleBinding",
  "policy/v1": "PodDisruptionBudget",
  "autoscaling/v2": "HorizontalPodAutoscaler",
  "storage.k8s.io/v1": "CSIDriver CSINode StorageClass VolumeAttachment",
  "scheduling.k8s.io/v1": "PriorityClass",
  "apiextensions.k8s.io/v1": "CustomResourceDefinition",
  "admissionregistration.k8s.io/v1": "MutatingWebhookConfiguration ValidatingWebhookConfiguration",
};

/** Built-in kind → the API version that serves it today. */
export const HOME_OF_KIND: ReadonlyMap<string, string> = new Map(
  Object.entries(KINDS_OF).flatMap(([version, kinds]) =>
    kinds.split(" ").map((kind): [string, string] => [kind, version]),
  ),
);

/** The group of an API version: `apps` of `apps/v1`, empty for the core group. */
export function groupOf(apiVersion: string): string {
  const slash = apiVersion.indexOf("/");
  return slash < 0 ? "" : apiVersion.slice(0, slash);
}
