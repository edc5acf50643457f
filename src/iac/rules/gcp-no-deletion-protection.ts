// IAC-GCP-008: deletion protection is switched off.

import { mustNotBeFalse } from "./engine/look.ts";
import type { Rule } from "./rule.ts";

export const gcpNoDeletionProtection: Rule = {
  id: "IAC-GCP-008",
  title: "Deletion protection is switched off",
  why: "One wrong plan deletes the resource together with its data.",
  fix: "Leave deletion protection on.",
  severity: "warning",
  check: mustNotBeFalse({
    google_sql_database_instance: "deletion_protection",
    google_container_cluster: "deletion_protection",
    google_bigquery_table: "deletion_protection",
    google_bigtable_instance: "deletion_protection",
    google_spanner_database: "deletion_protection",
    google_compute_instance: "deletion_protection",
  }),
  examples: [
    {
      dialect: "hcl",
      failing: `resource "google_sql_database_instance" "main" {
  name                = "db"
  deletion_protection = false # BAD
}`,
      passing: `resource "google_sql_database_instance" "main" {
  name                = "db"
  deletion_protection = true
}`,
    },
  ],
};
