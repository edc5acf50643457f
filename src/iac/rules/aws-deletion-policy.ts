// IAC-AWS-034: stateful resource is deleted with its stack.

import { member, textOf, entriesOf } from "../value.ts";
import { onTypes } from "./engine/look.ts";
import type { Rule } from "./rule.ts";

const STATEFUL = [
  "AWS::RDS::DBInstance",
  "AWS::RDS::DBCluster",
  "AWS::DynamoDB::Table",
  "AWS::EFS::FileSystem",
  "AWS::DocDB::DBCluster",
  "AWS::Neptune::DBCluster",
  "AWS::Redshift::Cluster",
  "AWS::KMS::Key",
  "AWS::Cognito::UserPool",
];

export const awsDeletionPolicy: Rule = {
  id: "IAC-AWS-034",
  title: "Stateful resource is deleted with its stack",
  why: "Deleting the stack, or renaming the resource in it, deletes the data.",
  fix: "Set DeletionPolicy and UpdateReplacePolicy to Retain or Snapshot.",
  severity: "warning",
  check: onTypes(STATEFUL, ({ whole, body }) => {
    const policy = entriesOf(whole).find(({ key }) => key === "DeletionPolicy");
    if (policy === undefined) return member(body, "DBClusterIdentifier") === undefined ? [{}] : [];
    return textOf(policy.value) === "Delete" ? [{ at: policy.keyAt }] : [];
  }),
  examples: [
    {
      dialect: "cloudformation",
      failing: `Resources:
  Main: # BAD
    Type: AWS::DynamoDB::Table
    Properties:
      TableName: orders`,
      passing: `Resources:
  Main:
    Type: AWS::DynamoDB::Table
    DeletionPolicy: Retain
    UpdateReplacePolicy: Retain
    Properties:
      TableName: orders`,
    },
    {
      dialect: "cloudformation",
      failing: `Resources:
  Main:
    Type: AWS::RDS::DBInstance
    DeletionPolicy: Delete # BAD
    Properties:
      Engine: mysql`,
      passing: `Resources:
  Main:
    Type: AWS::RDS::DBInstance
    DeletionPolicy: Snapshot
    Properties:
      Engine: mysql`,
    },
  ],
};
