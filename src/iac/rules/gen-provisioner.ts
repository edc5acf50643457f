// IAC-GEN-010: resource runs a script while it is made.

import { find } from "../value.ts";
import type { Rule } from "./rule.ts";

export const genProvisioner: Rule = {
  id: "IAC-GEN-010",
  title: "Resource runs a script while it is made",
  why: "A plan does not show what the script does, a failure leaves the resource tainted, and nobody runs it again.",
  fix: "Use cloud-init, an image or configuration management.",
  severity: "info",
  check: {
    on: "resource",
    types: "every",
    run: ({ body, source }) =>
      source.dialect === "hcl" ? find(body, "provisioner").map(({ at }) => ({ at })) : [],
  },
  examples: [
    {
      dialect: "hcl",
      failing: `resource "null_resource" "main" {
  provisioner "local-exec" { # BAD
    command = "./setup.sh"
  }
}`,
      passing: `resource "null_resource" "main" {
  triggers = {
    version = var.release
  }
}`,
    },
  ],
};
