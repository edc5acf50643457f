// IAC-K8S-005: container may gain privileges.

import { boolOf } from "../value.ts";
import { replaceLiteral } from "./engine/look.ts";
import { onContainers } from "./engine/containers.ts";
import { deploymentWith } from "./engine/example-deployment.ts";
import type { Rule } from "./rule.ts";

export const k8sPrivilegeEscalation: Rule = {
  id: "IAC-K8S-005",
  title: "Container may gain privileges",
  why: "A set-uid program in the image turns an ordinary user into root.",
  fix: "Set allowPrivilegeEscalation to false.",
  severity: "warning",
  check: onContainers((container) => {
    const [found] = container.find("securityContext.allowPrivilegeEscalation");
    if (found === undefined) return [{}];
    return boolOf(found.value) === true
      ? [{ at: found.at, patch: replaceLiteral(found, "false") }]
      : [];
  }),
  examples: [
    {
      dialect: "kubernetes",
      failing: deploymentWith({
        container: `securityContext:
  allowPrivilegeEscalation: true # BAD`,
      }),
      passing: deploymentWith({
        container: `securityContext:
  allowPrivilegeEscalation: false`,
      }),
    },
    {
      dialect: "kubernetes",
      failing: deploymentWith({ container: "image: web:1.0", bad: "container" }),
      passing: deploymentWith({
        container: `securityContext:
  allowPrivilegeEscalation: false`,
      }),
    },
  ],
};
