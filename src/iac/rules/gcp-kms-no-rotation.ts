// IAC-GCP-012: kMS key is not rotated.

import { member, textOf } from "../value.ts";
import { onTypes } from "./engine/look.ts";
import type { Rule } from "./rule.ts";

export const gcpKmsNoRotation: Rule = {
  id: "IAC-GCP-012",
  title: "KMS key is not rotated",
  why: "A key that leaks once opens everything it ever encrypted.",
  fix: "Set a rotation period, such as 7776000s.",
  severity: "warning",
  check: onTypes(["google_kms_crypto_key"], ({ body }) => {
    const purpose = textOf(member(body, "purpose"));
    // Asymmetric keys cannot be rotated by themselves.
    if (purpose !== undefined && purpose !== "ENCRYPT_DECRYPT") return [];
    return member(body, "rotation_period") === undefined ? [{}] : [];
  }),
  examples: [
    {
      dialect: "hcl",
      failing: `resource "google_kms_crypto_key" "main" { # BAD
  name     = "data"
  key_ring = google_kms_key_ring.main.id
}`,
      passing: `resource "google_kms_crypto_key" "main" {
  name            = "data"
  key_ring        = google_kms_key_ring.main.id
  rotation_period = "7776000s"
}`,
    },
  ],
};
