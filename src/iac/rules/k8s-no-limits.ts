// IAC-K8S-006: container has no memory limit.

import { onContainers } from "./engine/containers.ts";
import { deploymentWith } from "./engine/example-deployment.ts";
import type { Rule } from "./rule.ts";

export const k8sNoLimits: Rule = {
  id: "IAC-K8S-006",
  title: "Container has no memory limit",
  why: "One leak takes the memory of the node, and other pods die for it.",
  fix: "Set resources.limits.memory.",
  severity: "warning",
  check: onContainers((container) =>
    container.find("resources.limits.memory").length === 0 ? [{}] : [],
  ),
  examples: [
    {
      dialect: "kubernetes",
      failing: deploymentWith({ container: "image: web:1.0", bad: "container" }),
      passing: deploymentWith({
        container: `resources:
  limits:
    memory: 128Mi`,
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
          resources {
            limits = {
              memory = "128Mi"
            }
          }
        }
      }
    }
  }
}`,
    },
  ],
};
