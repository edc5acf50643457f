// IAC-K8S-010: container gets a capability that amounts to root.

import { textOf } from "../value.ts";
import { onContainers } from "./engine/containers.ts";
import { deploymentWith } from "./engine/example-deployment.ts";
import type { Rule } from "./rule.ts";

const DANGEROUS =
  /^(CAP_)?(ALL|SYS_ADMIN|SYS_PTRACE|SYS_MODULE|SYS_RAWIO|NET_ADMIN|DAC_READ_SEARCH|BPF)$/i;

export const k8sCapabilities: Rule = {
  id: "IAC-K8S-010",
  title: "Container gets a capability that amounts to root",
  why: "Such a capability is enough to leave the container.",
  fix: "Drop all capabilities, and add only harmless ones such as NET_BIND_SERVICE.",
  severity: "error",
  check: onContainers((container) =>
    container
      .find("securityContext.capabilities.add")
      .filter(({ value }) => DANGEROUS.test(textOf(value) ?? ""))
      .map(({ value, at }) => ({ at, detail: textOf(value) ?? "" })),
  ),
  examples: [
    {
      dialect: "kubernetes",
      failing: deploymentWith({
        container: `securityContext:
  capabilities:
    add: [SYS_ADMIN] # BAD`,
      }),
      passing: deploymentWith({
        container: `securityContext:
  capabilities:
    drop: [ALL]
    add: [NET_BIND_SERVICE]`,
      }),
    },
  ],
};
