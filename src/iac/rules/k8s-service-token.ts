// IAC-K8S-016: pod gets a token of the cluster without asking.

import { onPods } from "./engine/containers.ts";
import type { Rule } from "./rule.ts";

export const k8sServiceToken: Rule = {
  id: "IAC-K8S-016",
  title: "Pod gets a token of the cluster without asking",
  why: "Who breaks into the pod can talk to the API server.",
  fix: "Set automountServiceAccountToken to false where the pod does not use the API.",
  severity: "info",
  check: onPods((pod) => {
    const isAsked = ["automountServiceAccountToken", "serviceAccountName"].some(
      (path) => pod.find(path).length > 0,
    );
    return isAsked ? [] : [{}];
  }),
  examples: [
    {
      dialect: "kubernetes",
      failing: `apiVersion: apps/v1
kind: Deployment # BAD
metadata:
  name: web
spec:
  selector:
    matchLabels:
      app: web
  template:
    metadata:
      labels:
        app: web
    spec:
      containers:
        - name: web
          image: web:1.0`,
      passing: `apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  selector:
    matchLabels:
      app: web
  template:
    metadata:
      labels:
        app: web
    spec:
      automountServiceAccountToken: false
      containers:
        - name: web
          image: web:1.0`,
    },
  ],
};
