// IAC-K8S-019: container takes a port of its node.

import { numberOf } from "../value.ts";
import { onContainers } from "./engine/containers.ts";
import type { Rule } from "./rule.ts";

export const k8sHostPort: Rule = {
  id: "IAC-K8S-019",
  title: "Container takes a port of its node",
  why: "The port is open on the node past every network policy, and two such pods cannot share a node.",
  fix: "Use a Service.",
  severity: "warning",
  check: onContainers((container) =>
    container
      .find("ports.hostPort")
      .filter(({ value }) => (numberOf(value) ?? 0) > 0)
      .map(({ at }) => ({ at })),
  ),
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
        - name: web
          ports:
            - containerPort: 80
              hostPort: 80 # BAD`,
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
          ports:
            - containerPort: 80`,
    },
  ],
};
