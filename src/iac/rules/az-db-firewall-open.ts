// IAC-AZ-007: database firewall lets every address in.

import { mustNotHold } from "./engine/look.ts";
import type { Rule } from "./rule.ts";

export const azDbFirewallOpen: Rule = {
  id: "IAC-AZ-007",
  title: "Database firewall lets every address in",
  why: "Only the password stands between the internet and the data.",
  fix: "Allow the addresses of the clients only.",
  severity: "error",
  check: mustNotHold(
    Object.fromEntries(
      [
        "mssql",
        "postgresql",
        "postgresql_flexible_server",
        "mysql",
        "mysql_flexible_server",
        "mariadb",
      ].map((server) => [`azurerm_${server}_firewall_rule`, "end_ip_address"]),
    ),
    (address) => address === "255.255.255.255",
  ),
  examples: [
    {
      dialect: "hcl",
      failing: `resource "azurerm_mssql_firewall_rule" "main" {
  name             = "office"
  start_ip_address = "0.0.0.0"
  end_ip_address   = "255.255.255.255" # BAD
}`,
      passing: `resource "azurerm_mssql_firewall_rule" "main" {
  name             = "office"
  start_ip_address = "203.0.113.7"
  end_ip_address   = "203.0.113.7"
}`,
    },
  ],
};
