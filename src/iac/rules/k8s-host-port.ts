// IAC-K8S-019: container takes a port of its node.

import { numberOf } from "../value.ts";
import { onContainers } from "./engine/containers.ts";
import { deploymentWith } from "./engine/example-deployment.ts";
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
      failing: deploymentWith({
        container: `ports:
  - containerPort: 80
    hostPort: 80 # BAD`,
      }),
      passing: deploymentWith({
        container: `ports:
  - containerPort: 80`,
      }),
    },
  ],
};
