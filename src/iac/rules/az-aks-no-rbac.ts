// IAC-AZ-008: aKS cluster has no role-based access control.

import { mustNotBeFalse } from "./engine/look.ts";
import type { Rule } from "./rule.ts";

export const azAksNoRbac: Rule = {
  id: "IAC-AZ-008",
  title: "AKS cluster has no role-based access control",
  why: "Every user and every pod of the cluster may do everything in it.",
  fix: "Leave role-based access control on.",
  severity: "error",
  check: mustNotBeFalse({ azurerm_kubernetes_cluster: "role_based_access_control_enabled" }),
  examples: [
    {
      dialect: "hcl",
      failing: `resource "azurerm_kubernetes_cluster" "main" {
  name                              = "main"
  role_based_access_control_enabled = false # BAD
}`,
      passing: `resource "azurerm_kubernetes_cluster" "main" {
  name                              = "main"
  role_based_access_control_enabled = true
}`,
    },
  ],
};
