// IAC-GCP-006: cloud SQL has no backups.

import { member } from "../value.ts";
import { mustBeTrue, onTypes } from "./engine/look.ts";
import type { Rule } from "./rule.ts";

const BACKUPS = mustBeTrue({
  google_sql_database_instance: "settings.backup_configuration.enabled",
});

export const gcpSqlNoBackups: Rule = {
  id: "IAC-GCP-006",
  title: "Cloud SQL has no backups",
  why: "After a mistake or a failure there is nothing to restore from.",
  fix: "Switch the backup configuration on.",
  severity: "warning",
  check: onTypes(["google_sql_database_instance"], (instance, module) =>
    // Replicas are backed up by their primary.
    member(instance.body, "master_instance_name") === undefined
      ? BACKUPS.run(instance, module)
      : [],
  ),
  examples: [
    {
      dialect: "hcl",
      failing: `resource "google_sql_database_instance" "main" {
  settings {
    tier = "db-f1-micro"

    backup_configuration {
      enabled = false # BAD
    }
  }
}`,
      passing: `resource "google_sql_database_instance" "main" {
  settings {
    tier = "db-f1-micro"

    backup_configuration {
      enabled = true
    }
  }
}`,
    },
    {
      dialect: "hcl",
      failing: `resource "google_sql_database_instance" "main" { # BAD
  settings {
    tier = "db-f1-micro"
  }
}`,
      passing: `resource "google_sql_database_instance" "main" {
  master_instance_name = google_sql_database_instance.primary.name
}`,
    },
  ],
};
