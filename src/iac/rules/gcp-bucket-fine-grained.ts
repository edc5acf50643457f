// IAC-GCP-002: bucket access is not uniform.

import { mustBeTrue } from "./engine/look.ts";
import type { Rule } from "./rule.ts";

export const gcpBucketFineGrained: Rule = {
  id: "IAC-GCP-002",
  title: "Bucket access is not uniform",
  why: "Single objects can be made public by an ACL that no policy shows.",
  fix: "Switch uniform bucket-level access on.",
  severity: "warning",
  check: mustBeTrue({ google_storage_bucket: "uniform_bucket_level_access" }),
  examples: [
    {
      dialect: "hcl",
      failing: `resource "google_storage_bucket" "main" { # BAD
  name = "data"
}`,
      passing: `resource "google_storage_bucket" "main" {
  name                        = "data"
  uniform_bucket_level_access = true
}`,
    },
  ],
};
