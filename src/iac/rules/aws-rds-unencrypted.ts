// IAC-AWS-007: database storage is not encrypted.

import { mustBeTrue } from "./engine/look.ts";
import type { Rule } from "./rule.ts";

export const awsRdsUnencrypted: Rule = {
  id: "IAC-AWS-007",
  title: "Database storage is not encrypted",
  why: "Snapshots, backups and disks of the database can be read by whoever gets hold of them, and encryption cannot be switched on later without a copy.",
  fix: "Set storage encryption to true before the database holds data.",
  severity: "error",
  check: mustBeTrue({
    aws_db_instance: "storage_encrypted",
    aws_rds_cluster: "storage_encrypted",
    aws_docdb_cluster: "storage_encrypted",
    aws_neptune_cluster: "storage_encrypted",
    aws_redshift_cluster: "encrypted",
    "AWS::RDS::DBInstance": "StorageEncrypted",
    "AWS::RDS::DBCluster": "StorageEncrypted",
    "AWS::DocDB::DBCluster": "StorageEncrypted",
    "AWS::Neptune::DBCluster": "StorageEncrypted",
    "AWS::Redshift::Cluster": "Encrypted",
  }),
  examples: [
    {
      dialect: "hcl",
      failing: `resource "aws_db_instance" "main" {
  engine            = "postgres"
  storage_encrypted = false # BAD
}`,
      passing: `resource "aws_db_instance" "main" {
  engine            = "postgres"
  storage_encrypted = true
}`,
    },
    {
      dialect: "hcl",
      failing: `resource "aws_rds_cluster" "main" { # BAD
  engine = "aurora-postgresql"
}`,
      passing: `resource "aws_rds_cluster" "main" {
  engine            = "aurora-postgresql"
  storage_encrypted = var.encrypt
}`,
    },
    {
      dialect: "cloudformation",
      failing: `Resources:
  Main: # BAD
    Type: AWS::RDS::DBCluster
    Properties:
      Engine: aurora-mysql`,
      passing: `Resources:
  Main:
    Type: AWS::RDS::DBCluster
    Properties:
      Engine: aurora-mysql
      StorageEncrypted: 'true'`,
    },
  ],
};
