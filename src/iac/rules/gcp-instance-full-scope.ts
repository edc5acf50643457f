// IAC-GCP-014: instance may use every API of the project.

import { find } from "../value.ts";
import { literalsAt, onTypes } from "./engine/look.ts";
import type { Rule } from "./rule.ts";

export const gcpInstanceFullScope: Rule = {
  id: "IAC-GCP-014",
  title: "Instance may use every API of the project",
  why: "Who breaks into the machine takes its account's roles in all services.",
  fix: "Give the instance a service account of its own with the roles it needs.",
  severity: "warning",
  check: onTypes(["google_compute_instance", "google_compute_instance_template"], (instance) => {
    // An own account with the wide scope is what Google advises: its roles narrow it.
    if (find(instance.body, "service_account.email").length > 0) return [];
    return literalsAt(instance, "service_account.scopes")
      .filter(({ text }) => /(^|\/)cloud-platform$/.test(text))
      .map(({ found }) => ({ at: found.at }));
  }),
  examples: [
    {
      dialect: "hcl",
      failing: `resource "google_compute_instance" "main" {
  name = "web"

  service_account {
    scopes = ["cloud-platform"] # BAD
  }
}`,
      passing: `resource "google_compute_instance" "main" {
  name = "web"

  service_account {
    email  = google_service_account.web.email
    scopes = ["cloud-platform"]
  }
}`,
    },
  ],
};
