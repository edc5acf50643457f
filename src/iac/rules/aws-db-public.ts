// IAC-AWS-008: database is publicly accessible.

import { mustNotBeTrue } from "./engine/look.ts";
import type { Rule } from "./rule.ts";

export const awsDbPublic: Rule = {
  id: "IAC-AWS-008",
  title: "Database is publicly accessible",
  why: "The database gets a public address, and only security groups and its password stand before it.",
  fix: "Set public accessibility to false and reach the database from inside the VPC.",
  severity: "error",
  check: mustNotBeTrue({
    aws_db_instance: "publicly_accessible",
    aws_rds_cluster_instance: "publicly_accessible",
    aws_redshift_cluster: "publicly_accessible",
    aws_dms_replication_instance: "publicly_accessible",
    aws_mq_broker: "publicly_accessible",
    "AWS::RDS::DBInstance": "PubliclyAccessible",
    "AWS::Redshift::Cluster": "PubliclyAccessible",
    "AWS::DMS::ReplicationInstance": "PubliclyAccessible",
    "AWS::AmazonMQ::Broker": "PubliclyAccessible",
  }),
  examples: [
    {
      dialect: "hcl",
      failing: `resource "aws_db_instance" "main" {
  engine              = "mysql"
  publicly_accessible = true # BAD
}`,
      passing: `resource "aws_db_instance" "main" {
  engine              = "mysql"
  publicly_accessible = false
}`,
    },
    {
      dialect: "cloudformation",
      failing: `Resources:
  Main:
    Type: AWS::RDS::DBInstance
    Properties:
      Engine: mysql
      PubliclyAccessible: true # BAD`,
      passing: `Resources:
  Main:
    Type: AWS::RDS::DBInstance
    Properties:
      Engine: mysql
      PubliclyAccessible: !If [IsDev, true, false]`,
    },
  ],
};
