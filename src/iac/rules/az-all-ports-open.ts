// IAC-AZ-005: network security group opens all ports to the world.

import { isAllPorts } from "./engine/network.ts";
import { onOpenings } from "./engine/firewall.ts";
import type { Rule } from "./rule.ts";

export const azAllPortsOpen: Rule = {
  id: "IAC-AZ-005",
  title: "Network security group opens all ports to the world",
  why: "Every service on the machines behind it, also those started later by mistake, can be reached by everyone.",
  fix: "Open only the ports that are served, and only to those who need them.",
  severity: "error",
  check: onOpenings("azure", ({ at, ports }) => (isAllPorts(ports) ? [{ at }] : [])),
  examples: [
    {
      dialect: "hcl",
      failing: `resource "azurerm_network_security_rule" "main" {
  direction                  = "Inbound"
  access                     = "Allow"
  protocol                   = "Tcp"
  destination_port_range     = "*"
  source_address_prefix      = "0.0.0.0/0" # BAD
  destination_address_prefix = "*"
}`,
      passing: `resource "azurerm_network_security_rule" "main" {
  direction                  = "Inbound"
  access                     = "Allow"
  protocol                   = "Tcp"
  destination_port_range     = "443"
  source_address_prefix      = "*"
  destination_address_prefix = "*"
}`,
    },
  ],
};
