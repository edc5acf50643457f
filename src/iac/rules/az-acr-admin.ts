// IAC-AZ-011: container registry has a shared admin account.

import { mustNotBeTrue } from "./engine/look.ts";
import type { Rule } from "./rule.ts";

export const azAcrAdmin: Rule = {
  id: "IAC-AZ-011",
  title: "Container registry has a shared admin account",
  why: "One password pushes and pulls everything, and nobody can tell who used it.",
  fix: "Switch the admin account off and use identities.",
  severity: "warning",
  check: mustNotBeTrue({ azurerm_container_registry: "admin_enabled" }),
  examples: [
    {
      dialect: "hcl",
      failing: `resource "azurerm_container_registry" "main" {
  name          = "images"
  admin_enabled = true # BAD
}`,
      passing: `resource "azurerm_container_registry" "main" {
  name          = "images"
  admin_enabled = false
}`,
    },
  ],
};
