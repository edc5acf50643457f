// IAC-GCP-004: firewall opens all ports to the world.

import { isAllPorts } from "./engine/network.ts";
import { onOpenings } from "./engine/firewall.ts";
import type { Rule } from "./rule.ts";

export const gcpAllPortsOpen: Rule = {
  id: "IAC-GCP-004",
  title: "Firewall opens all ports to the world",
  why: "Every service on the machines behind it, also those started later by mistake, can be reached by everyone.",
  fix: "Open only the ports that are served, and only to those who need them.",
  severity: "error",
  check: onOpenings("google", ({ at, ports }) => (isAllPorts(ports) ? [{ at }] : [])),
  examples: [
    {
      dialect: "hcl",
      failing: `resource "google_compute_firewall" "main" {
  name    = "web"
  network = "default"

  allow {
    protocol = "all"
  }

  source_ranges = ["0.0.0.0/0"] # BAD
}`,
      passing: `resource "google_compute_firewall" "main" {
  name    = "web"
  network = "default"

  allow {
    protocol = "icmp"
  }

  source_ranges = ["0.0.0.0/0"]
}`,
    },
  ],
};
