// IAC-ALI-009: stateful resource has no deletion protection.

import { mustBeTrue } from "./engine/look.ts";
import type { Rule } from "./rule.ts";

export const aliNoDeletionProtection: Rule = {
  id: "IAC-ALI-009",
  title: "Stateful resource has no deletion protection",
  why: "One wrong plan or one click deletes it together with its data.",
  fix: "Set deletion protection to true.",
  severity: "warning",
  check: mustBeTrue({
    alicloud_db_instance: "deletion_protection",
    alicloud_cs_managed_kubernetes: "deletion_protection",
    alicloud_polardb_cluster: "deletion_lock",
    "ALIYUN::RDS::DBInstance": "DeletionProtection",
    "ALIYUN::CS::ManagedKubernetesCluster": "DeletionProtection",
  }),
  examples: [
    {
      dialect: "hcl",
      failing: `resource "alicloud_db_instance" "main" { # BAD
  engine = "MySQL"
}`,
      passing: `resource "alicloud_db_instance" "main" {
  engine              = "MySQL"
  deletion_protection = true
}`,
    },
    {
      dialect: "ros",
      failing: `ROSTemplateFormatVersion: '2015-09-01'
Resources:
  Main:
    Type: ALIYUN::RDS::DBInstance
    Properties:
      Engine: MySQL
      DeletionProtection: false # BAD`,
      passing: `ROSTemplateFormatVersion: '2015-09-01'
Resources:
  Main:
    Type: ALIYUN::RDS::DBInstance
    Properties:
      Engine: MySQL
      DeletionProtection: true`,
    },
  ],
};
