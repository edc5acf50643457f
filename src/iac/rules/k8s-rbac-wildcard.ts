// IAC-K8S-013: role allows everything.

import { find, textOf } from "../value.ts";
import { onTypes } from "./engine/look.ts";
import type { Rule } from "./rule.ts";

export const k8sRbacWildcard: Rule = {
  id: "IAC-K8S-013",
  title: "Role allows everything",
  why: "Who gets hold of the account owns the namespace or the cluster.",
  fix: "List the resources and verbs that are needed.",
  severity: "error",
  check: onTypes(
    [
      "Role",
      "ClusterRole",
      "kubernetes_role_v1",
      "kubernetes_cluster_role_v1",
      "kubernetes_role",
      "kubernetes_cluster_role",
    ],
    ({ body }) =>
      [...find(body, "rules"), ...find(body, "rule")].flatMap(({ value: rule }) => {
        const verbs = find(rule, "verbs").filter(({ value }) => textOf(value) === "*");
        const resources = find(rule, "resources").filter(({ value }) => textOf(value) === "*");
        const [first] = verbs;
        return first !== undefined && resources.length > 0 ? [{ at: first.at }] : [];
      }),
  ),
  examples: [
    {
      dialect: "kubernetes",
      failing: `apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata:
  name: ci
rules:
  - apiGroups: ['*']
    resources: ['*']
    verbs: ['*'] # BAD`,
      passing: `apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata:
  name: ci
rules:
  - apiGroups: [apps]
    resources: [deployments]
    verbs: ['*']`,
    },
  ],
};
