// IAC-ALI-015: instance metadata answers without a token.

import { mustNotHold } from "./engine/look.ts";
import type { Rule } from "./rule.ts";

export const aliEcsMetadataV1: Rule = {
  id: "IAC-ALI-015",
  title: "Instance metadata answers without a token",
  why: "A request forgery in any service on the machine can read the role's credentials.",
  fix: "Require tokens for the metadata service.",
  severity: "info",
  check: mustNotHold(
    { alicloud_instance: "http_tokens", alicloud_ecs_launch_template: "http_tokens" },
    (tokens) => tokens === "optional",
  ),
  examples: [
    {
      dialect: "hcl",
      failing: `resource "alicloud_instance" "main" {
  image_id    = var.image
  http_tokens = "optional" # BAD
}`,
      passing: `resource "alicloud_instance" "main" {
  image_id    = var.image
  http_tokens = "required"
}`,
    },
  ],
};
