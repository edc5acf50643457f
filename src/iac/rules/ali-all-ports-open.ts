// IAC-ALI-004: security group opens all ports to the world.

import { isAllPorts } from "./engine/network.ts";
import { onOpenings } from "./engine/firewall.ts";
import type { Rule } from "./rule.ts";

export const aliAllPortsOpen: Rule = {
  id: "IAC-ALI-004",
  title: "Security group opens all ports to the world",
  why: "Every service on the machines behind it, also those started later by mistake, can be reached by everyone.",
  fix: "Open only the ports that are served, and only to those who need them.",
  severity: "error",
  check: onOpenings("alibaba", ({ at, ports }) => (isAllPorts(ports) ? [{ at }] : [])),
  examples: [
    {
      dialect: "hcl",
      failing: `resource "alicloud_security_group_rule" "main" {
  type              = "ingress"
  ip_protocol       = "tcp"
  port_range        = "1/65535"
  security_group_id = alicloud_security_group.web.id
  cidr_ip           = "0.0.0.0/0" # BAD
}`,
      passing: `resource "alicloud_security_group_rule" "main" {
  type              = "ingress"
  ip_protocol       = "tcp"
  port_range        = "80/80"
  security_group_id = alicloud_security_group.web.id
  cidr_ip           = "0.0.0.0/0"
}`,
    },
    {
      dialect: "ros",
      failing: `ROSTemplateFormatVersion: '2015-09-01'
Resources:
  Main:
    Type: ALIYUN::ECS::SecurityGroup
    Properties:
      SecurityGroupIngress:
        - IpProtocol: tcp
          PortRange: -1/-1
          SourceCidrIp: 0.0.0.0/0 # BAD`,
      passing: `ROSTemplateFormatVersion: '2015-09-01'
Resources:
  Main:
    Type: ALIYUN::ECS::SecurityGroup
    Properties:
      SecurityGroupIngress:
        - IpProtocol: tcp
          PortRange: -1/-1
          SourceCidrIp: !Ref OfficeRange`,
    },
  ],
};
