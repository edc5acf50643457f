// IAC-K8S-004: pod mounts a folder of its node.

import { member, textOf, isOpen } from "../value.ts";
import { onPods } from "./engine/containers.ts";
import type { Rule } from "./rule.ts";

export const k8sHostPath: Rule = {
  id: "IAC-K8S-004",
  title: "Pod mounts a folder of its node",
  why: "The pod can read, and often change, what belongs to the node and to other pods.",
  fix: "Use a persistent volume, a config map or an emptyDir.",
  severity: "warning",
  check: onPods((pod) =>
    pod
      .find("volumes.hostPath")
      .filter(({ value }) => !isOpen(value))
      .map(({ value, at }) => ({ at, detail: textOf(member(value, "path")) ?? "hostPath" })),
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
      volumes:
        - name: docker
          hostPath: # BAD
            path: /var/run/docker.sock
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
      volumes:
        - name: cache
          emptyDir: {}
      containers:
        - name: web
          image: web:1.0`,
    },
  ],
};
