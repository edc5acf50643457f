// IAC-K8S-016: pod gets a token of the cluster without asking.

import { onPods } from "./engine/containers.ts";
import { deploymentWith } from "./engine/example-deployment.ts";
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
      failing: deploymentWith({ container: "image: web:1.0", bad: "kind" }),
      passing: deploymentWith({
        container: "image: web:1.0",
        pod: "automountServiceAccountToken: false",
      }),
    },
  ],
};
