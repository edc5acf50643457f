// IAC-AWS-006: security group opens all ports to the world.

import { isAllPorts } from "./engine/network.ts";
import { onOpenings } from "./engine/firewall.ts";
import type { Rule } from "./rule.ts";

export const awsAllPortsOpen: Rule = {
  id: "IAC-AWS-006",
  title: "Security group opens all ports to the world",
  why: "Every service on the machines behind it, also those started later by mistake, can be reached by everyone.",
  fix: "Open only the ports that are served, and only to those who need them.",
  severity: "error",
  check: onOpenings("aws", ({ at, ports }) => (isAllPorts(ports) ? [{ at }] : [])),
  examples: [
    {
      dialect: "hcl",
      failing: `resource "aws_security_group" "main" {
  ingress {
    from_port   = 0
    to_port     = 0
    protocol    = "-1"
    cidr_blocks = ["0.0.0.0/0"] # BAD
  }
}`,
      passing: `resource "aws_security_group" "main" {
  ingress {
    from_port   = 22
    to_port     = 22
    protocol    = "tcp"
    cidr_blocks = ["10.0.0.0/8"]
  }

  ingress {
    from_port   = 443
    to_port     = 443
    protocol    = "tcp"
    cidr_blocks = ["0.0.0.0/0"]
  }

  egress {
    from_port   = 0
    to_port     = 0
    protocol    = "-1"
    cidr_blocks = ["0.0.0.0/0"]
  }
}`,
    },
    {
      dialect: "hcl",
      failing: `resource "aws_vpc_security_group_ingress_rule" "main" {
  security_group_id = aws_security_group.web.id
  ip_protocol       = "-1"
  cidr_ipv4         = "0.0.0.0/0" # BAD
}`,
      passing: `resource "aws_vpc_security_group_ingress_rule" "main" {
  security_group_id = aws_security_group.web.id
  ip_protocol       = "-1"
  cidr_ipv4         = var.office
}`,
    },
    {
      dialect: "cloudformation",
      failing: `Resources:
  Main:
    Type: AWS::EC2::SecurityGroupIngress
    Properties:
      GroupId: !Ref Group
      IpProtocol: '-1'
      CidrIpv6: ::/0 # BAD`,
      passing: `Resources:
  Main:
    Type: AWS::EC2::SecurityGroupIngress
    Properties:
      GroupId: !Ref Group
      IpProtocol: '-1'
      SourceSecurityGroupId: !Ref Other`,
    },
  ],
};
