// IAC-K8S-014: account is bound to cluster-admin.

import { find, textOf } from "../value.ts";
import { onTypes } from "./engine/look.ts";
import type { Rule } from "./rule.ts";

export const k8sClusterAdmin: Rule = {
  id: "IAC-K8S-014",
  title: "Account is bound to cluster-admin",
  why: "Who gets hold of the account owns the cluster.",
  fix: "Bind a role with the rights that are needed.",
  severity: "warning",
  check: onTypes(["ClusterRoleBinding", "RoleBinding"], ({ body }) =>
    find(body, "roleRef.name")
      .filter(({ value }) => textOf(value) === "cluster-admin")
      .map(({ at }) => ({ at })),
  ),
  examples: [
    {
      dialect: "kubernetes",
      failing: `apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata:
  name: ci
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: ClusterRole
  name: cluster-admin # BAD`,
      passing: `apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata:
  name: ci
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: ClusterRole
  name: view`,
    },
  ],
};
