// IAC-AWS-005: security group opens an administration or database port to the world.

import { isAllPorts, guardedIn } from "./engine/network.ts";
import { onOpenings } from "./engine/firewall.ts";
import type { Rule } from "./rule.ts";

export const awsAdminPortOpen: Rule = {
  id: "IAC-AWS-005",
  title: "Security group opens an administration or database port to the world",
  why: "Scanners find such a port within minutes, and one weak password or unpatched service is enough.",
  fix: "Allow only the address ranges that need it, or use SSM Session Manager or a bastion.",
  severity: "error",
  check: onOpenings("aws", ({ at, ports }) => {
    const guarded = isAllPorts(ports) ? undefined : guardedIn(ports);
    return guarded === undefined ? [] : [{ at, detail: guarded }];
  }),
  examples: [
    {
      dialect: "hcl",
      failing: `resource "aws_security_group" "main" {
  ingress {
    from_port   = 22
    to_port     = 22
    protocol    = "tcp"
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
      failing: `resource "aws_security_group_rule" "main" {
  type             = "ingress"
  from_port        = 3000
  to_port          = 4000
  protocol         = "tcp"
  ipv6_cidr_blocks = ["::/0"] # BAD
}`,
      passing: `resource "aws_security_group_rule" "main" {
  type        = "egress"
  from_port   = 3306
  to_port     = 3306
  protocol    = "tcp"
  cidr_blocks = ["0.0.0.0/0"]
}`,
    },
    {
      dialect: "hcl",
      failing: `resource "aws_security_group" "main" {
  dynamic "ingress" {
    for_each = [22, 3389]
    content {
      from_port   = 3389
      to_port     = 3389
      protocol    = "tcp"
      cidr_blocks = ["0.0.0.0/0"] # BAD
    }
  }
}`,
      passing: `resource "aws_security_group" "main" {
  dynamic "ingress" {
    for_each = var.ports
    content {
      from_port   = ingress.value
      to_port     = ingress.value
      protocol    = "tcp"
      cidr_blocks = ["0.0.0.0/0"]
    }
  }
}`,
    },
    {
      dialect: "cloudformation",
      failing: `Resources:
  Main:
    Type: AWS::EC2::SecurityGroup
    Properties:
      GroupDescription: web
      SecurityGroupIngress:
        - IpProtocol: tcp
          FromPort: 5432
          ToPort: 5432
          CidrIp: 0.0.0.0/0 # BAD`,
      passing: `Resources:
  Main:
    Type: AWS::EC2::SecurityGroup
    Properties:
      GroupDescription: web
      SecurityGroupIngress:
        - IpProtocol: tcp
          FromPort: 5432
          ToPort: 5432
          CidrIp: !Ref OfficeRange
        - IpProtocol: tcp
          FromPort: 443
          ToPort: 443
          CidrIp: 0.0.0.0/0`,
    },
  ],
};
