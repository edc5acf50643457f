// IAC-GCP-013: disk or database is encrypted with a key of Google only.

import { mustBePresent } from "./engine/look.ts";
import type { Rule } from "./rule.ts";

export const gcpDiskNoCustomerKey: Rule = {
  id: "IAC-GCP-013",
  title: "Disk or database is encrypted with a key of Google only",
  why: "Nobody can audit or withdraw the use of that key.",
  fix: "Name a KMS key where the data needs it.",
  severity: "info",
  check: mustBePresent({
    google_compute_disk: "disk_encryption_key",
    google_sql_database_instance: "encryption_key_name",
  }),
  examples: [
    {
      dialect: "hcl",
      failing: `resource "google_compute_disk" "main" { # BAD
  name = "data"
  zone = "europe-west1-b"
}`,
      passing: `resource "google_compute_disk" "main" {
  name = "data"
  zone = "europe-west1-b"

  disk_encryption_key {
    kms_key_self_link = google_kms_crypto_key.data.id
  }
}`,
    },
  ],
};
