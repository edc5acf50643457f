// IAC-K8S-012: secret manifest holds its values.

import { findWhole, member, textOf, entriesOf } from "../value.ts";
import { onTypes } from "./engine/look.ts";
import { isPlainSecret } from "./engine/secret-words.ts";
import type { Rule } from "./rule.ts";

export const k8sSecretInCode: Rule = {
  id: "IAC-K8S-012",
  title: "Secret manifest holds its values",
  why: "Base64 is no encryption: everyone who reads the repository or its history reads the secret.",
  fix: "Use sealed secrets, SOPS or an external secret store.",
  severity: "warning",
  check: onTypes(["Secret"], ({ body }) => {
    // SOPS keeps the keys and encrypts the values.
    if (member(body, "sops") !== undefined) return [];
    return ["data", "stringData"].flatMap((section) =>
      findWhole(body, section)
        .flatMap(({ value }) => entriesOf(value))
        .filter(
          ({ key, value }) => !/\.(crt|pem|pub)$/.test(key) && isPlainSecret(textOf(value) ?? ""),
        )
        .map(({ key, keyAt }) => ({ at: keyAt, detail: key })),
    );
  }),
  examples: [
    {
      dialect: "kubernetes",
      failing: `apiVersion: v1
kind: Secret
metadata:
  name: db
stringData:
  password: hunter2hunter2 # BAD`,
      passing: `apiVersion: v1
kind: Secret
metadata:
  name: db
stringData:
  password: \${DB_PASSWORD}`,
    },
  ],
};
