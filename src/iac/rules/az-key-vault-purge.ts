// IAC-AZ-009: key vault can be purged.

import { mustBeTrue } from "./engine/look.ts";
import type { Rule } from "./rule.ts";

export const azKeyVaultPurge: Rule = {
  id: "IAC-AZ-009",
  title: "Key vault can be purged",
  why: "Deleted keys and secrets can be destroyed at once, and with them what they encrypt.",
  fix: "Switch purge protection on.",
  severity: "warning",
  check: mustBeTrue({ azurerm_key_vault: "purge_protection_enabled" }),
  examples: [
    {
      dialect: "hcl",
      failing: `resource "azurerm_key_vault" "main" { # BAD
  name = "main"
}`,
      passing: `resource "azurerm_key_vault" "main" {
  name                     = "main"
  purge_protection_enabled = true
}`,
    },
  ],
};
