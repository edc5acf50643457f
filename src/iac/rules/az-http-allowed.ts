// IAC-AZ-002: service answers without TLS.

import { mustNotBeFalse } from "./engine/look.ts";
import type { Rule } from "./rule.ts";

export const azHttpAllowed: Rule = {
  id: "IAC-AZ-002",
  title: "Service answers without TLS",
  why: "Data and keys pass the network in clear.",
  fix: "Allow HTTPS only.",
  severity: "warning",
  check: mustNotBeFalse({
    azurerm_storage_account: ["https_traffic_only_enabled", "enable_https_traffic_only"],
    azurerm_linux_web_app: "https_only",
    azurerm_windows_web_app: "https_only",
    azurerm_linux_function_app: "https_only",
    azurerm_windows_function_app: "https_only",
    azurerm_app_service: "https_only",
  }),
  examples: [
    {
      dialect: "hcl",
      failing: `resource "azurerm_storage_account" "main" {
  name                       = "data"
  https_traffic_only_enabled = false # BAD
}`,
      passing: `resource "azurerm_storage_account" "main" {
  name                       = "data"
  https_traffic_only_enabled = true
}`,
    },
  ],
};
