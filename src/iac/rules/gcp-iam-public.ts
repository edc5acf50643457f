// IAC-GCP-001: role is granted to everyone.

import { literalsAt, onTypes } from "./engine/look.ts";
import type { Rule } from "./rule.ts";

const TYPES = [
  "storage_bucket",
  "project",
  "folder",
  "organization",
  "cloud_run_service",
  "cloud_run_v2_service",
  "cloudfunctions_function",
  "pubsub_topic",
  "pubsub_subscription",
  "bigquery_dataset",
  "kms_crypto_key",
  "secret_manager_secret",
  "artifact_registry_repository",
  "service_account",
].flatMap((target) => [`google_${target}_iam_member`, `google_${target}_iam_binding`]);

export const gcpIamPublic: Rule = {
  id: "IAC-GCP-001",
  title: "Role is granted to everyone",
  why: "allUsers is everyone on the internet, allAuthenticatedUsers everyone with a Google account.",
  fix: "Grant the role to named members.",
  severity: "error",
  check: onTypes(TYPES, (resource) =>
    ["member", "members"]
      .flatMap((path) => literalsAt(resource, path))
      .filter(({ text }) => text === "allUsers" || text === "allAuthenticatedUsers")
      .map(({ text, found }) => ({ at: found.at, detail: text })),
  ),
  examples: [
    {
      dialect: "hcl",
      failing: `resource "google_storage_bucket_iam_member" "main" {
  bucket = google_storage_bucket.data.name
  role   = "roles/storage.objectViewer"
  member = "allUsers" # BAD
}`,
      passing: `resource "google_storage_bucket_iam_member" "main" {
  bucket = google_storage_bucket.data.name
  role   = "roles/storage.objectViewer"
  member = "group:team@example.com"
}`,
    },
    {
      dialect: "hcl",
      failing: `resource "google_storage_bucket_iam_binding" "main" {
  bucket  = google_storage_bucket.data.name
  role    = "roles/storage.objectViewer"
  members = ["user:a@example.com", "allAuthenticatedUsers"] # BAD
}`,
      passing: `resource "google_storage_bucket_iam_binding" "main" {
  bucket  = google_storage_bucket.data.name
  role    = "roles/storage.objectViewer"
  members = ["user:a@example.com"]
}`,
    },
  ],
};
