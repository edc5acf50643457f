// IAC-K8S-004: pod mounts a folder of its node.

import { member, textOf, isOpen } from "../value.ts";
import { onPods } from "./engine/containers.ts";
import { deploymentWith } from "./engine/example-deployment.ts";
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
      failing: deploymentWith({
        container: "image: web:1.0",
        pod: `volumes:
  - name: docker
    hostPath: # BAD
      path: /var/run/docker.sock`,
      }),
      passing: deploymentWith({
        container: "image: web:1.0",
        pod: `volumes:
  - name: cache
    emptyDir: {}`,
      }),
    },
  ],
};
