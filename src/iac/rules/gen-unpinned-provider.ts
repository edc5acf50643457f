// IAC-GEN-004: provider has no version constraint.

import { findWhole, member, textOf, entriesOf } from "../value.ts";
import { onTypes } from "./engine/look.ts";
import type { Value } from "../value.ts";
import type { Rule } from "./rule.ts";

function isBuiltIn(value: Value): boolean {
  return textOf(member(value, "source"))?.startsWith("terraform.io/builtin/") === true;
}

export const genUnpinnedProvider: Rule = {
  id: "IAC-GEN-004",
  title: "Provider has no version constraint",
  why: "A new major version of the provider changes or breaks what is deployed, on a day of its choosing.",
  fix: "Add a version constraint such as ~> 5.0 in required_providers.",
  severity: "warning",
  check: onTypes(["terraform"], ({ body }) =>
    findWhole(body, "required_providers")
      .flatMap(({ value }) => entriesOf(value))
      .filter(
        ({ value }) =>
          value.kind === "map" && member(value, "version") === undefined && !isBuiltIn(value),
      )
      .map(({ key, keyAt }) => ({ at: keyAt, detail: key })),
  ),
  examples: [
    {
      dialect: "hcl",
      failing: `terraform {
  required_providers {
    aws = { # BAD
      source = "hashicorp/aws"
    }
  }
}`,
      passing: `terraform {
  required_version = ">= 1.5"

  required_providers {
    aws = {
      source  = "hashicorp/aws"
      version = "~> 5.0"
    }
  }
}`,
    },
  ],
};
