// IAC-GEN-011: secret is written in a local value or a variable file.

import { textOf, entriesOf } from "../value.ts";
import { onTypes } from "./engine/look.ts";
import { isSecretName, isPlainSecret } from "./engine/secret-words.ts";
import type { Rule } from "./rule.ts";

export const genLocalSecret: Rule = {
  id: "IAC-GEN-011",
  title: "Secret is written in a local value or a variable file",
  why: "Everyone who reads the repository or its history reads the secret.",
  fix: "Take it from a variable, a secret store or the environment, and change the secret.",
  severity: "error",
  check: onTypes(["locals", "tfvars"], ({ body }) =>
    entriesOf(body)
      .filter(
        ({ key, value }) =>
          isSecretName(key) && value.kind === "literal" && isPlainSecret(textOf(value) ?? ""),
      )
      .map(({ key, keyAt }) => ({ at: keyAt, detail: key })),
  ),
  examples: [
    {
      dialect: "hcl",
      failing: `locals {
  db_password = "hunter2hunter2" # BAD
}`,
      passing: `locals {
  db_password = random_password.db.result
}`,
    },
  ],
};
