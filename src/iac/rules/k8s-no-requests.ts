// IAC-K8S-007: container requests no resources.

import { onContainers } from "./engine/containers.ts";
import type { Rule } from "./rule.ts";

export const k8sNoRequests: Rule = {
  id: "IAC-K8S-007",
  title: "Container requests no resources",
  why: "The scheduler packs nodes blindly, and this pod is the first to be evicted.",
  fix: "Set resources.requests for CPU and memory.",
  severity: "info",
  check: onContainers((container) => {
    const missing = ["cpu", "memory"].filter(
      (each) =>
        container.find(`resources.requests.${each}`).length === 0 &&
        // A limit alone also sets the request.
        container.find(`resources.limits.${each}`).length === 0,
    );
    return missing.length === 0
      ? []
      : [{ detail: `container ${container.name}, ${missing.join(" and ")}` }];
  }),
  examples: [
    {
      dialect: "kubernetes",
      failing: `apiVersion: apps/v1
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
      containers:
        - name: web # BAD
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
      containers:
        - name: web
          resources:
            requests:
              cpu: 100m
              memory: 128Mi`,
    },
  ],
};
