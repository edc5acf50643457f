// IAC-ALI-007: disk is not encrypted.

import { mustBeTrue, mustNotBeFalse, allOf } from "./engine/look.ts";
import type { Rule } from "./rule.ts";

export const aliDiskUnencrypted: Rule = {
  id: "IAC-ALI-007",
  title: "Disk is not encrypted",
  why: "Snapshots and copies of it can be read by whoever gets hold of them.",
  fix: "Set encryption to true.",
  severity: "warning",
  check: allOf(
    mustBeTrue({
      alicloud_disk: "encrypted",
      alicloud_ecs_disk: "encrypted",
      "ALIYUN::ECS::Disk": "Encrypted",
    }),
    mustNotBeFalse({
      alicloud_instance: ["system_disk_encrypted", "data_disks.encrypted"],
      "ALIYUN::ECS::Instance": "DiskMappings.Encrypted",
    }),
  ),
  examples: [
    {
      dialect: "hcl",
      failing: `resource "alicloud_ecs_disk" "main" { # BAD
  zone_id = var.zone
  size    = 20
}`,
      passing: `resource "alicloud_ecs_disk" "main" {
  zone_id   = var.zone
  size      = 20
  encrypted = true
}`,
    },
    {
      dialect: "hcl",
      failing: `resource "alicloud_instance" "main" {
  image_id = var.image

  data_disks {
    size      = 20
    encrypted = false # BAD
  }
}`,
      passing: `resource "alicloud_instance" "main" {
  image_id = var.image

  data_disks {
    size      = 20
    encrypted = true
  }
}`,
    },
    {
      dialect: "ros",
      failing: `ROSTemplateFormatVersion: '2015-09-01'
Resources:
  Main:
    Type: ALIYUN::ECS::Disk
    Properties:
      ZoneId: cn-hangzhou-b
      Encrypted: false # BAD`,
      passing: `ROSTemplateFormatVersion: '2015-09-01'
Resources:
  Main:
    Type: ALIYUN::ECS::Disk
    Properties:
      ZoneId: cn-hangzhou-b
      Encrypted: true`,
    },
  ],
};
