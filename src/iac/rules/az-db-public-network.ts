// IAC-AZ-006: database has a public endpoint.

import { mustNotBeTrue } from "./engine/look.ts";
import type { Rule } from "./rule.ts";

export const azDbPublicNetwork: Rule = {
  id: "IAC-AZ-006",
  title: "Database has a public endpoint",
  why: "Only firewall rules and passwords stand between the internet and the data.",
  fix: "Switch public network access off and use a private endpoint.",
  severity: "warning",
  check: mustNotBeTrue({
    azurerm_mssql_server: "public_network_access_enabled",
    azurerm_postgresql_server: "public_network_access_enabled",
    azurerm_postgresql_flexible_server: "public_network_access_enabled",
    azurerm_mysql_server: "public_network_access_enabled",
    azurerm_mariadb_server: "public_network_access_enabled",
    azurerm_cosmosdb_account: "public_network_access_enabled",
    azurerm_redis_cache: "public_network_access_enabled",
  }),
  examples: [
    {
      dialect: "hcl",
      failing: `resource "azurerm_mssql_server" "main" {
  name                          = "db"
  public_network_access_enabled = true # BAD
}`,
      passing: `resource "azurerm_mssql_server" "main" {
  name                          = "db"
  public_network_access_enabled = false
}`,
    },
  ],
};
