// IAC-GEN-006: no Terraform version is required.

import { member } from "../value.ts";
import type { Rule } from "./rule.ts";

export const genNoRequiredVersion: Rule = {
  id: "IAC-GEN-006",
  title: "No Terraform version is required",
  why: "A colleague with another version may plan something else, or upgrade the state for everyone.",
  fix: "Add required_version to the terraform block.",
  severity: "info",
  check: {
    on: "module",
    run: ({ byType }) => {
      const blocks = byType.get("terraform") ?? [];
      const [first] = blocks;
      const isSaid = blocks.some(({ body }) => member(body, "required_version") !== undefined);
      return first === undefined || isSaid ? [] : [{ resource: first }];
    },
  },
  examples: [
    {
      dialect: "hcl",
      failing: `terraform { # BAD
  backend "s3" {}
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
