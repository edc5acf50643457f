// IAC-K8S-002: container may run as root.

import { boolOf, numberOf } from "../value.ts";
import { replaceLiteral } from "./engine/look.ts";
import { onContainers } from "./engine/containers.ts";
import { deploymentWith } from "./engine/example-deployment.ts";
import type { Rule } from "./rule.ts";

export const k8sRoot: Rule = {
  id: "IAC-K8S-002",
  title: "Container may run as root",
  why: "A hole in the program or the runtime gives root, on a bad day also on the node.",
  fix: "Set runAsNonRoot to true, and a user other than 0.",
  severity: "warning",
  check: onContainers((container, pod) => {
    const users = [
      ...container.find("securityContext.runAsUser"),
      ...pod.find("securityContext.runAsUser"),
    ];
    const [user] = users;
    if (user !== undefined && numberOf(user.value) === 0) return [{ at: user.at }];
    // What stands at the container wins over the pod.
    const [nonRoot] = [
      ...container.find("securityContext.runAsNonRoot"),
      ...pod.find("securityContext.runAsNonRoot"),
    ];
    if (user !== undefined || (nonRoot !== undefined && boolOf(nonRoot.value) !== false)) return [];
    return nonRoot === undefined
      ? [{}]
      : [{ at: nonRoot.at, patch: replaceLiteral(nonRoot, "true") }];
  }),
  examples: [
    {
      dialect: "kubernetes",
      failing: deploymentWith({ container: "image: web:1.0", bad: "container" }),
      passing: deploymentWith({
        container: "image: web:1.0",
        pod: `securityContext:
  runAsNonRoot: true`,
      }),
    },
    {
      dialect: "kubernetes",
      failing: deploymentWith({
        container: `securityContext:
  runAsUser: 0 # BAD`,
      }),
      passing: deploymentWith({
        container: `securityContext:
  runAsUser: 1000`,
      }),
    },
    {
      dialect: "hcl",
      failing: `resource "kubernetes_deployment_v1" "web" {
  metadata {
    name = "web"
  }

  spec {
    template {
      spec {
        container { # BAD
          name = "web"
          image = "web:1.0"
        }
      }
    }
  }
}`,
      passing: `resource "kubernetes_deployment_v1" "web" {
  metadata {
    name = "web"
  }

  spec {
    template {
      spec {
        container {
          name = "web"
          image = "web:1.0"

          security_context {
            run_as_non_root = true
          }
        }
      }
    }
  }
}`,
    },
  ],
};
