// IAC-AZ-010: virtual machine accepts passwords.

import { mustNotBeFalse } from "./engine/look.ts";
import type { Rule } from "./rule.ts";

export const azVmPasswordLogin: Rule = {
  id: "IAC-AZ-010",
  title: "Virtual machine accepts passwords",
  why: "Passwords can be guessed, keys cannot.",
  fix: "Disable password authentication and use an SSH key.",
  severity: "warning",
  check: mustNotBeFalse({
    azurerm_linux_virtual_machine: "disable_password_authentication",
    azurerm_linux_virtual_machine_scale_set: "disable_password_authentication",
    azurerm_virtual_machine: "os_profile_linux_config.disable_password_authentication",
  }),
  examples: [
    {
      dialect: "hcl",
      failing: `resource "azurerm_linux_virtual_machine" "main" {
  name                            = "web"
  disable_password_authentication = false # BAD
}`,
      passing: `resource "azurerm_linux_virtual_machine" "main" {
  name                            = "web"
  disable_password_authentication = true
}`,
    },
  ],
};
