// IAC-AWS-010: stateful resource has no deletion protection.

import { member } from "../value.ts";
import { mustBeTrue, mustNotBeFalse, allOf, onTypes } from "./engine/look.ts";
import type { Rule } from "./rule.ts";

const INSTANCE = mustBeTrue({ "AWS::RDS::DBInstance": "DeletionProtection" });

export const awsNoDeletionProtection: Rule = {
  id: "IAC-AWS-010",
  title: "Stateful resource has no deletion protection",
  why: "One wrong plan or one click deletes it together with its data.",
  fix: "Set deletion protection to true.",
  severity: "warning",
  check: allOf(
    mustBeTrue({
      aws_db_instance: "deletion_protection",
      aws_rds_cluster: "deletion_protection",
      aws_docdb_cluster: "deletion_protection",
      aws_neptune_cluster: "deletion_protection",
      "AWS::RDS::DBCluster": "DeletionProtection",
      "AWS::DocDB::DBCluster": "DeletionProtection",
      "AWS::Neptune::DBCluster": "DeletionProtection",
    }),
    // Members of an Aurora cluster are protected by the cluster.
    onTypes(["AWS::RDS::DBInstance"], (resource, module) =>
      member(resource.body, "DBClusterIdentifier") === undefined
        ? INSTANCE.run(resource, module)
        : [],
    ),
    mustNotBeFalse({
      aws_dynamodb_table: "deletion_protection_enabled",
      aws_cognito_user_pool: "deletion_protection",
      "AWS::DynamoDB::Table": "DeletionProtectionEnabled",
    }),
  ),
  examples: [
    {
      dialect: "hcl",
      failing: `resource "aws_db_instance" "main" { # BAD
  engine = "mysql"
}`,
      passing: `resource "aws_db_instance" "main" {
  engine              = "mysql"
  deletion_protection = true
}`,
    },
    {
      dialect: "hcl",
      failing: `resource "aws_dynamodb_table" "main" {
  name                        = "orders"
  deletion_protection_enabled = false # BAD
}`,
      passing: `resource "aws_dynamodb_table" "main" {
  name = "orders"
}`,
    },
    {
      dialect: "cloudformation",
      failing: `Resources:
  Main:
    Type: AWS::RDS::DBInstance
    Properties:
      Engine: mysql
      DeletionProtection: false # BAD`,
      passing: `Resources:
  Main:
    Type: AWS::RDS::DBInstance
    Properties:
      Engine: aurora-mysql
      DBClusterIdentifier: !Ref Cluster`,
    },
  ],
};
