// IAC-K8S-009: image has no fixed tag.

import { textOf } from "../value.ts";
import { onContainers } from "./engine/containers.ts";
import { deploymentWith } from "./engine/example-deployment.ts";
import type { Rule } from "./rule.ts";

export const k8sLatestImage: Rule = {
  id: "IAC-K8S-009",
  title: "Image has no fixed tag",
  why: "What runs changes without a deploy, and a rollback gets the same broken image.",
  fix: "Name a version tag or a digest.",
  severity: "warning",
  check: onContainers((container) =>
    container.find("image").flatMap(({ value, at }) => {
      const image = textOf(value);
      const isFixed = image === undefined || /@sha256:|:(?!latest$)[\w.-]+$/.test(image);
      return isFixed ? [] : [{ at, detail: image }];
    }),
  ),
  examples: [
    {
      dialect: "kubernetes",
      failing: deploymentWith({ container: "image: nginx:latest # BAD" }),
      passing: deploymentWith({ container: "image: nginx:1.27.3" }),
    },
    {
      dialect: "kubernetes",
      failing: deploymentWith({ container: "image: registry.example.com:5000/nginx # BAD" }),
      passing: deploymentWith({
        container: "image: registry.example.com:5000/nginx@sha256:0123456789abcdef",
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
          image = "nginx" # BAD
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
          image = "nginx:\${var.tag}"
        }
      }
    }
  }
}`,
    },
  ],
};
