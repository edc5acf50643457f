// IAC-GCP-011: gKE API endpoint is open to the world.

import { find, boolOf } from "../value.ts";
import { mustNotHold, allOf, onTypes } from "./engine/look.ts";
import { isWorld } from "./engine/network.ts";
import type { Rule } from "./rule.ts";

export const gcpGkeOpenEndpoint: Rule = {
  id: "IAC-GCP-011",
  title: "GKE API endpoint is open to the world",
  why: "Everyone can try credentials and holes of the API server.",
  fix: "List the networks that may reach it in master_authorized_networks_config.",
  severity: "warning",
  check: allOf(
    onTypes(["google_container_cluster"], ({ body }) => {
      const isGuarded =
        find(body, "master_authorized_networks_config").length > 0 ||
        find(body, "private_cluster_config.enable_private_endpoint").some(
          ({ value }) => boolOf(value) !== false,
        );
      return isGuarded ? [] : [{}];
    }),
    mustNotHold(
      { google_container_cluster: "master_authorized_networks_config.cidr_blocks.cidr_block" },
      isWorld,
    ),
  ),
  examples: [
    {
      dialect: "hcl",
      failing: `resource "google_container_cluster" "main" { # BAD
  name = "main"
}`,
      passing: `resource "google_container_cluster" "main" {
  name = "main"

  master_authorized_networks_config {
    cidr_blocks {
      cidr_block = "203.0.113.0/24"
    }
  }
}`,
    },
    {
      dialect: "hcl",
      failing: `resource "google_container_cluster" "main" {
  name = "main"

  master_authorized_networks_config {
    cidr_blocks {
      cidr_block = "0.0.0.0/0" # BAD
    }
  }
}`,
      passing: `resource "google_container_cluster" "main" {
  name = "main"

  private_cluster_config {
    enable_private_endpoint = true
  }
}`,
    },
  ],
};
