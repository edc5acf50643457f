// IAC-K8S-005: container may gain privileges.

import { boolOf } from "../value.ts";
import { replaceLiteral } from "./engine/look.ts";
import { onContainers } from "./engine/containers.ts";
import type { Rule } from "./rule.ts";

export const k8sPrivilegeEscalation: Rule = {
  id: "IAC-K8S-005",
  title: "Container may gain privileges",
  why: "A set-uid program in the image turns an ordinary user into root.",
  fix: "Set allowPrivilegeEscalation to false.",
  severity: "warning",
  check: onContainers((container) => {
    const [found] = container.find("securityContext.allowPrivilegeEscalation");
    if (found === undefined) return [{}];
    return boolOf(found.value) === true
      ? [{ at: found.at, patch: replaceLiteral(found, "false") }]
      : [];
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
        - name: web
          securityContext:
            allowPrivilegeEscalation: true # BAD`,
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
          securityContext:
            allowPrivilegeEscalation: false`,
    },
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
          securityContext:
            allowPrivilegeEscalation: false`,
    },
  ],
};
