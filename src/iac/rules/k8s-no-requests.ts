// IAC-K8S-007: container requests no resources.

import { onContainers } from "./engine/containers.ts";
import { deploymentWith } from "./engine/example-deployment.ts";
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
      failing: deploymentWith({ container: "image: web:1.0", bad: "container" }),
      passing: deploymentWith({
        container: `resources:
  requests:
    cpu: 100m
    memory: 128Mi`,
      }),
    },
  ],
};
