// IAC-AWS-011: disk or file system is not encrypted.

import { mustBeTrue, mustNotBeFalse, allOf } from "./engine/look.ts";
import type { Rule } from "./rule.ts";

export const awsDiskUnencrypted: Rule = {
  id: "IAC-AWS-011",
  title: "Disk or file system is not encrypted",
  why: "Snapshots and copies of it can be read by whoever gets hold of them.",
  fix: "Set encryption to true, or switch it on by default for the account.",
  severity: "warning",
  check: allOf(
    mustBeTrue({
      aws_ebs_volume: "encrypted",
      aws_efs_file_system: "encrypted",
      "AWS::EC2::Volume": "Encrypted",
      "AWS::EFS::FileSystem": "Encrypted",
    }),
    mustNotBeFalse({
      aws_instance: ["root_block_device.encrypted", "ebs_block_device.encrypted"],
      aws_launch_template: "block_device_mappings.ebs.encrypted",
      aws_launch_configuration: ["root_block_device.encrypted", "ebs_block_device.encrypted"],
      "AWS::EC2::Instance": "BlockDeviceMappings.Ebs.Encrypted",
      "AWS::EC2::LaunchTemplate": "LaunchTemplateData.BlockDeviceMappings.Ebs.Encrypted",
    }),
  ),
  examples: [
    {
      dialect: "hcl",
      failing: `resource "aws_ebs_volume" "main" { # BAD
  availability_zone = "eu-west-1a"
  size              = 20
}`,
      passing: `resource "aws_ebs_volume" "main" {
  availability_zone = "eu-west-1a"
  size              = 20
  encrypted         = true
}`,
    },
    {
      dialect: "hcl",
      failing: `resource "aws_instance" "main" {
  ami = var.ami

  root_block_device {
    encrypted = false # BAD
  }
}`,
      passing: `resource "aws_instance" "main" {
  ami = var.ami

  root_block_device {
    encrypted = true
  }
}`,
    },
    {
      dialect: "cloudformation",
      failing: `Resources:
  Main:
    Type: AWS::EFS::FileSystem
    Properties:
      Encrypted: false # BAD`,
      passing: `Resources:
  Main:
    Type: AWS::EFS::FileSystem
    Properties:
      Encrypted: true`,
    },
  ],
};
