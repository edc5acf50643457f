// IAC-K8S-008: container has no probes.

import { onPods } from "./engine/containers.ts";
import { deploymentWith } from "./engine/example-deployment.ts";
import type { Rule } from "./rule.ts";

export const k8sNoProbes: Rule = {
  id: "IAC-K8S-008",
  title: "Container has no probes",
  why: "Traffic reaches the container before it is ready, and a hung one is never restarted.",
  fix: "Add a readiness probe, and a liveness probe where a restart helps.",
  severity: "info",
  check: onPods((pod) => {
    if (!/^(Deployment|StatefulSet|DaemonSet)$/.test(pod.kind)) return [];
    return pod.mainContainers.flatMap((container) =>
      ["readinessProbe", "livenessProbe"].some((probe) => container.find(probe).length > 0)
        ? []
        : [{ at: container.at, detail: `container ${container.name}` }],
    );
  }),
  examples: [
    {
      dialect: "kubernetes",
      failing: deploymentWith({ container: "image: web:1.0", bad: "container" }),
      passing: deploymentWith({
        container: `image: web:1.0
readinessProbe:
  httpGet:
    path: /
    port: 80`,
      }),
    },
  ],
};
