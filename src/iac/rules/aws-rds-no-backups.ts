// IAC-AWS-009: database backups are off.

import { mustNotHold } from "./engine/look.ts";
import type { Rule } from "./rule.ts";

export const awsRdsNoBackups: Rule = {
  id: "IAC-AWS-009",
  title: "Database backups are off",
  why: "After a mistake or a failure there is nothing to restore from.",
  fix: "Set the backup retention to at least 7 days.",
  severity: "warning",
  check: mustNotHold(
    {
      aws_db_instance: "backup_retention_period",
      aws_rds_cluster: "backup_retention_period",
      "AWS::RDS::DBInstance": "BackupRetentionPeriod",
      "AWS::RDS::DBCluster": "BackupRetentionPeriod",
      aws_elasticache_replication_group: "snapshot_retention_limit",
      "AWS::ElastiCache::ReplicationGroup": "SnapshotRetentionLimit",
    },
    (days) => days === "0",
  ),
  examples: [
    {
      dialect: "hcl",
      failing: `resource "aws_db_instance" "main" {
  engine                  = "mysql"
  backup_retention_period = 0 # BAD
}`,
      passing: `resource "aws_db_instance" "main" {
  engine                  = "mysql"
  backup_retention_period = 7
}`,
    },
    {
      dialect: "cloudformation",
      failing: `Resources:
  Main:
    Type: AWS::RDS::DBInstance
    Properties:
      Engine: mysql
      BackupRetentionPeriod: 0 # BAD`,
      passing: `Resources:
  Main:
    Type: AWS::RDS::DBInstance
    Properties:
      Engine: mysql
      BackupRetentionPeriod: 14`,
    },
  ],
};
