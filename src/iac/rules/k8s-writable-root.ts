// IAC-K8S-018: container can write to its own image.

import { boolOf } from "../value.ts";
import { onContainers } from "./engine/containers.ts";
import { deploymentWith } from "./engine/example-deployment.ts";
import type { Rule } from "./rule.ts";

export const k8sWritableRoot: Rule = {
  id: "IAC-K8S-018",
  title: "Container can write to its own image",
  why: "Who breaks in can leave programs behind.",
  fix: "Set readOnlyRootFilesystem to true and mount an emptyDir where files are written.",
  severity: "info",
  check: onContainers((container) => {
    const [found] = container.find("securityContext.readOnlyRootFilesystem");
    if (found === undefined) return [{}];
    return boolOf(found.value) === false ? [{ at: found.at }] : [];
  }),
  examples: [
    {
      dialect: "kubernetes",
      failing: deploymentWith({
        container: `securityContext:
  readOnlyRootFilesystem: false # BAD`,
      }),
      passing: deploymentWith({
        container: `securityContext:
  readOnlyRootFilesystem: true`,
      }),
    },
  ],
};
