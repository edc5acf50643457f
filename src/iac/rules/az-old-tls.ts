// IAC-AZ-003: service accepts outdated TLS.

import { mustNotHold } from "./engine/look.ts";
import type { Rule } from "./rule.ts";

export const azOldTls: Rule = {
  id: "IAC-AZ-003",
  title: "Service accepts outdated TLS",
  why: "TLS 1.0 and 1.1 have known attacks and are refused by current browsers.",
  fix: "Set the minimum TLS version to 1.2.",
  severity: "warning",
  check: mustNotHold(
    {
      azurerm_storage_account: "min_tls_version",
      azurerm_mssql_server: "minimum_tls_version",
      azurerm_redis_cache: "minimum_tls_version",
      azurerm_mysql_server: "ssl_minimal_tls_version_enforced",
      azurerm_postgresql_server: "ssl_minimal_tls_version_enforced",
      azurerm_linux_web_app: "site_config.minimum_tls_version",
    },
    (version) => /^(TLS1_[01]|1\.[01]|TLSEnforcementDisabled|Disabled)$/.test(version),
  ),
  examples: [
    {
      dialect: "hcl",
      failing: `resource "azurerm_storage_account" "main" {
  name            = "data"
  min_tls_version = "TLS1_0" # BAD
}`,
      passing: `resource "azurerm_storage_account" "main" {
  name            = "data"
  min_tls_version = "TLS1_2"
}`,
    },
  ],
};
