// IAC-GCP-010: gKE cluster uses legacy access control.

import { mustNotBeTrue } from "./engine/look.ts";
import type { Rule } from "./rule.ts";

export const gcpGkeLegacyAccess: Rule = {
  id: "IAC-GCP-010",
  title: "GKE cluster uses legacy access control",
  why: "Legacy ABAC gives every account of the cluster more than roles say, and client certificates cannot be withdrawn.",
  fix: "Switch legacy ABAC and client certificates off.",
  severity: "error",
  check: mustNotBeTrue({
    google_container_cluster: [
      "enable_legacy_abac",
      "master_auth.client_certificate_config.issue_client_certificate",
    ],
  }),
  examples: [
    {
      dialect: "hcl",
      failing: `resource "google_container_cluster" "main" {
  name               = "main"
  enable_legacy_abac = true # BAD
}`,
      passing: `resource "google_container_cluster" "main" {
  name               = "main"
  enable_legacy_abac = false
}`,
    },
  ],
};
