// IAC-GCP-009: basic role is granted.

import { mustNotHold } from "./engine/look.ts";
import type { Rule } from "./rule.ts";

export const gcpBasicRole: Rule = {
  id: "IAC-GCP-009",
  title: "Basic role is granted",
  why: "Owner and Editor hold thousands of permissions in every service of the project.",
  fix: "Grant predefined or custom roles.",
  severity: "warning",
  check: mustNotHold(
    Object.fromEntries(
      ["project", "folder", "organization"].flatMap((target) =>
        ["member", "binding"].map((form) => [`google_${target}_iam_${form}`, "role"]),
      ),
    ),
    (role) => role === "roles/owner" || role === "roles/editor",
  ),
  examples: [
    {
      dialect: "hcl",
      failing: `resource "google_project_iam_member" "main" {
  project = var.project
  role    = "roles/editor" # BAD
  member  = "serviceAccount:ci@example.iam.gserviceaccount.com"
}`,
      passing: `resource "google_project_iam_member" "main" {
  project = var.project
  role    = "roles/run.developer"
  member  = "serviceAccount:ci@example.iam.gserviceaccount.com"
}`,
    },
  ],
};
