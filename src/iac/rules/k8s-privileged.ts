// IAC-K8S-001: container is privileged.

import { boolOf } from "../value.ts";
import { replaceLiteral } from "./engine/look.ts";
import { onContainers } from "./engine/containers.ts";
import { deploymentWith } from "./engine/example-deployment.ts";
import type { Rule } from "./rule.ts";

export const k8sPrivileged: Rule = {
  id: "IAC-K8S-001",
  title: "Container is privileged",
  why: "The container is root on its node, and so is whoever breaks into it.",
  fix: "Remove privileged, and add single capabilities where needed.",
  severity: "error",
  check: onContainers((container) =>
    container
      .find("securityContext.privileged")
      .filter(({ value }) => boolOf(value) === true)
      .map((found) => ({ at: found.at, patch: replaceLiteral(found, "false") })),
  ),
  examples: [
    {
      dialect: "kubernetes",
      failing: deploymentWith({
        container: `securityContext:
  privileged: true # BAD`,
      }),
      passing: deploymentWith({
        container: `securityContext:
  privileged: false`,
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
        container {
          name = "web"
          security_context {
            privileged = true # BAD
          }
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
          security_context {
            privileged = false
          }
        }
      }
    }
  }
}`,
    },
  ],
};
