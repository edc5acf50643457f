// IAC-K8S-011: secret stands in the environment of a container.

import { find, member, textOf } from "../value.ts";
import { onContainers } from "./engine/containers.ts";
import { isSecretName, isPlainSecret } from "./engine/secret-words.ts";
import { deploymentWith } from "./engine/example-deployment.ts";
import type { Rule } from "./rule.ts";

export const k8sEnvSecret: Rule = {
  id: "IAC-K8S-011",
  title: "Secret stands in the environment of a container",
  why: "Everyone who may read the manifest, its history or the pod reads the secret.",
  fix: "Keep it in a Secret and refer to it with valueFrom.secretKeyRef.",
  severity: "error",
  check: onContainers((container) =>
    container.find("env").flatMap(({ value: variable }) => {
      const name = textOf(member(variable, "name")) ?? "";
      return find(variable, "value")
        .filter(({ value }) => isSecretName(name) && isPlainSecret(textOf(value) ?? ""))
        .map(({ at }) => ({ at, detail: name }));
    }),
  ),
  examples: [
    {
      dialect: "kubernetes",
      failing: deploymentWith({
        container: `env:
  - name: DB_PASSWORD
    value: hunter2hunter2 # BAD`,
      }),
      passing: deploymentWith({
        container: `env:
  - name: DB_PASSWORD
    valueFrom:
      secretKeyRef:
        name: db
        key: password
  - name: SECRET_NAME
    value: db`,
      }),
    },
  ],
};
