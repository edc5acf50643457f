// IAC-GEN-007: state is kept in a local file.

import { find, member } from "../value.ts";
import type { Rule } from "./rule.ts";

export const genLocalBackend: Rule = {
  id: "IAC-GEN-007",
  title: "State is kept in a local file",
  why: "The state is lost with the machine, nobody else can plan, and two people can apply at once.",
  fix: "Configure a remote backend with locking.",
  severity: "info",
  check: {
    on: "module",
    run: ({ byType }) => {
      const blocks = byType.get("terraform") ?? [];
      const local = blocks.find(({ body }) => find(body, "backend.local").length > 0);
      if (local !== undefined)
        return [{ resource: local, at: find(local.body, "backend")[0]?.at ?? local.at }];
      const isRemote = blocks.some(
        ({ body }) => member(body, "backend") !== undefined || member(body, "cloud") !== undefined,
      );
      // Only a root module configures providers; a child module has no state of its own.
      const [provider] = byType.get("provider") ?? [];
      return isRemote || provider === undefined ? [] : [{ resource: blocks[0] ?? provider }];
    },
  },
  examples: [
    {
      dialect: "hcl",
      failing: `terraform {
  backend "local" { # BAD
    path = "terraform.tfstate"
  }
}`,
      passing: `terraform {
  backend "s3" {
    bucket = "state"
  }
}`,
    },
    {
      dialect: "hcl",
      failing: `provider "aws" { # BAD
  region = "eu-west-1"
}`,
      passing: `variable "region" {
  type = string
}`,
    },
  ],
};
