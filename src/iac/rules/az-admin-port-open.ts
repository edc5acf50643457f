// IAC-AZ-004: network security group opens an administration or database port to the world.

import { isAllPorts, guardedIn } from "./engine/network.ts";
import { onOpenings } from "./engine/firewall.ts";
import type { Rule } from "./rule.ts";

export const azAdminPortOpen: Rule = {
  id: "IAC-AZ-004",
  title: "Network security group opens an administration or database port to the world",
  why: "Scanners find such a port within minutes, and one weak password or unpatched service is enough.",
  fix: "Allow only the address ranges that need it, or use Azure Bastion.",
  severity: "error",
  check: onOpenings("azure", ({ at, ports }) => {
    const guarded = isAllPorts(ports) ? undefined : guardedIn(ports);
    return guarded === undefined ? [] : [{ at, detail: guarded }];
  }),
  examples: [
    {
      dialect: "hcl",
      failing: `resource "azurerm_network_security_rule" "main" {
  direction                  = "Inbound"
  access                     = "Allow"
  protocol                   = "Tcp"
  destination_port_range     = "3389"
  source_address_prefix      = "*" # BAD
  destination_address_prefix = "*"
}`,
      passing: `resource "azurerm_network_security_rule" "main" {
  direction                  = "Inbound"
  access                     = "Allow"
  protocol                   = "Tcp"
  destination_port_range     = "3389"
  source_address_prefix      = "VirtualNetwork"
  destination_address_prefix = "*"
}`,
    },
    {
      dialect: "hcl",
      failing: `resource "azurerm_network_security_group" "main" {
  name = "web"

  security_rule {
    direction               = "Inbound"
    access                  = "Allow"
    protocol                = "Tcp"
    destination_port_ranges = ["80", "20-25"]
    source_address_prefix   = "Internet" # BAD
  }
}`,
      passing: `resource "azurerm_network_security_group" "main" {
  name = "web"

  security_rule {
    direction               = "Inbound"
    access                  = "Deny"
    protocol                = "Tcp"
    destination_port_ranges = ["80", "20-25"]
    source_address_prefix   = "Internet"
  }
}`,
    },
  ],
};
