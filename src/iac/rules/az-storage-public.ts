// IAC-AZ-001: storage can be read without a login.

import { mustNotBeTrue, mustNotHold, allOf } from "./engine/look.ts";
import type { Rule } from "./rule.ts";

export const azStoragePublic: Rule = {
  id: "IAC-AZ-001",
  title: "Storage can be read without a login",
  why: "Everyone who finds or guesses a URL reads the blobs.",
  fix: "Forbid public access to nested items, and make containers private.",
  severity: "error",
  check: allOf(
    mustNotBeTrue({
      azurerm_storage_account: ["allow_nested_items_to_be_public", "allow_blob_public_access"],
    }),
    mustNotHold(
      { azurerm_storage_container: "container_access_type" },
      (type) => type === "blob" || type === "container",
    ),
  ),
  examples: [
    {
      dialect: "hcl",
      failing: `resource "azurerm_storage_account" "main" {
  name                            = "data"
  allow_nested_items_to_be_public = true # BAD
}`,
      passing: `resource "azurerm_storage_account" "main" {
  name                            = "data"
  allow_nested_items_to_be_public = false
}`,
    },
    {
      dialect: "hcl",
      failing: `resource "azurerm_storage_container" "main" {
  name                  = "files"
  container_access_type = "blob" # BAD
}`,
      passing: `resource "azurerm_storage_container" "main" {
  name                  = "files"
  container_access_type = "private"
}`,
    },
  ],
};
