// IAC-K8S-003: pod shares a namespace of its node.

import { boolOf } from "../value.ts";
import { onPods } from "./engine/containers.ts";
import { deploymentWith } from "./engine/example-deployment.ts";
import type { Rule } from "./rule.ts";

export const k8sHostNamespace: Rule = {
  id: "IAC-K8S-003",
  title: "Pod shares a namespace of its node",
  why: "The pod sees the network, the processes or the memory of everything on the node.",
  fix: "Remove hostNetwork, hostPID and hostIPC.",
  severity: "error",
  check: onPods((pod) =>
    ["hostNetwork", "hostPID", "hostIPC"].flatMap((path) =>
      pod
        .find(path)
        .filter(({ value }) => boolOf(value) === true)
        .map(({ at }) => ({ at, detail: path })),
    ),
  ),
  examples: [
    {
      dialect: "kubernetes",
      failing: deploymentWith({ container: "image: web:1.0", pod: "hostNetwork: true # BAD" }),
      passing: deploymentWith({ container: "image: web:1.0", pod: "hostNetwork: false" }),
    },
    {
      dialect: "kubernetes",
      failing: deploymentWith({ container: "image: web:1.0", pod: "hostPID: true # BAD" }),
      passing: deploymentWith({ container: "image: web:1.0" }),
    },
  ],
};
