// IAC-GCP-007: cloud SQL accepts connections without TLS.

import { mustNotBeFalse, mustNotHold, allOf } from "./engine/look.ts";
import type { Rule } from "./rule.ts";

export const gcpSqlNoTls: Rule = {
  id: "IAC-GCP-007",
  title: "Cloud SQL accepts connections without TLS",
  why: "Passwords and data pass the network in clear.",
  fix: "Set ssl_mode to ENCRYPTED_ONLY.",
  severity: "warning",
  check: allOf(
    mustNotBeFalse({ google_sql_database_instance: "settings.ip_configuration.require_ssl" }),
    mustNotHold({ google_sql_database_instance: "settings.ip_configuration.ssl_mode" }, (mode) =>
      mode.startsWith("ALLOW_UNENCRYPTED"),
    ),
  ),
  examples: [
    {
      dialect: "hcl",
      failing: `resource "google_sql_database_instance" "main" {
  settings {
    ip_configuration {
      ssl_mode = "ALLOW_UNENCRYPTED_AND_ENCRYPTED" # BAD
    }
  }
}`,
      passing: `resource "google_sql_database_instance" "main" {
  settings {
    ip_configuration {
      ssl_mode = "ENCRYPTED_ONLY"
    }
  }
}`,
    },
  ],
};
