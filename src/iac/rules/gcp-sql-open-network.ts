// IAC-GCP-005: cloud SQL lets every address in.

import { mustNotHold } from "./engine/look.ts";
import { isWorld } from "./engine/network.ts";
import type { Rule } from "./rule.ts";

export const gcpSqlOpenNetwork: Rule = {
  id: "IAC-GCP-005",
  title: "Cloud SQL lets every address in",
  why: "Only the password stands between the internet and the data.",
  fix: "Authorize the networks of the clients only, or use a private address.",
  severity: "error",
  check: mustNotHold(
    { google_sql_database_instance: "settings.ip_configuration.authorized_networks.value" },
    isWorld,
  ),
  examples: [
    {
      dialect: "hcl",
      failing: `resource "google_sql_database_instance" "main" {
  settings {
    ip_configuration {
      authorized_networks {
        name  = "all"
        value = "0.0.0.0/0" # BAD
      }
    }
  }
}`,
      passing: `resource "google_sql_database_instance" "main" {
  settings {
    ip_configuration {
      authorized_networks {
        name  = "office"
        value = "203.0.113.0/24"
      }
    }
  }
}`,
    },
  ],
};
