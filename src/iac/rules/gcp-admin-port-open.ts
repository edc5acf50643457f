// IAC-GCP-003: firewall opens an administration or database port to the world.

import { isAllPorts, guardedIn } from "./engine/network.ts";
import { onOpenings } from "./engine/firewall.ts";
import type { Rule } from "./rule.ts";

export const gcpAdminPortOpen: Rule = {
  id: "IAC-GCP-003",
  title: "Firewall opens an administration or database port to the world",
  why: "Scanners find such a port within minutes, and one weak password or unpatched service is enough.",
  fix: "Allow only the address ranges that need it, or use Identity-Aware Proxy.",
  severity: "error",
  check: onOpenings("google", ({ at, ports }) => {
    const guarded = isAllPorts(ports) ? undefined : guardedIn(ports);
    return guarded === undefined ? [] : [{ at, detail: guarded }];
  }),
  examples: [
    {
      dialect: "hcl",
      failing: `resource "google_compute_firewall" "main" {
  name    = "web"
  network = "default"

  allow {
    protocol = "tcp"
    ports    = ["22", "443"]
  }

  source_ranges = ["0.0.0.0/0"] # BAD
}`,
      passing: `resource "google_compute_firewall" "main" {
  name    = "web"
  network = "default"

  allow {
    protocol = "tcp"
    ports    = ["22"]
  }

  source_ranges = ["35.235.240.0/20"]
}`,
    },
  ],
};
