// IAC-ALI-003: security group opens an administration or database port to the world.

import { isAllPorts, guardedIn } from "./engine/network.ts";
import { onOpenings } from "./engine/firewall.ts";
import type { Rule } from "./rule.ts";

export const aliAdminPortOpen: Rule = {
  id: "IAC-ALI-003",
  title: "Security group opens an administration or database port to the world",
  why: "Scanners find such a port within minutes, and one weak password or unpatched service is enough.",
  fix: "Allow only the address ranges that need it, or use Cloud Assistant or a bastion host.",
  severity: "error",
  check: onOpenings("alibaba", ({ at, ports }) => {
    const guarded = isAllPorts(ports) ? undefined : guardedIn(ports);
    return guarded === undefined ? [] : [{ at, detail: guarded }];
  }),
  examples: [
    {
      dialect: "hcl",
      failing: `resource "alicloud_security_group_rule" "main" {
  type              = "ingress"
  ip_protocol       = "tcp"
  port_range        = "22/22"
  security_group_id = alicloud_security_group.web.id
  cidr_ip           = "0.0.0.0/0" # BAD
}`,
      passing: `resource "alicloud_security_group_rule" "main" {
  type              = "ingress"
  ip_protocol       = "tcp"
  port_range        = "22/22"
  security_group_id = alicloud_security_group.web.id
  cidr_ip           = "10.0.0.0/8"
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
          PortRange: 3306/3306
          SourceCidrIp: 0.0.0.0/0 # BAD`,
      passing: `ROSTemplateFormatVersion: '2015-09-01'
Resources:
  Main:
    Type: ALIYUN::ECS::SecurityGroup
    Properties:
      SecurityGroupIngress:
        - IpProtocol: tcp
          PortRange: 443/443
          SourceCidrIp: 0.0.0.0/0`,
    },
  ],
};
