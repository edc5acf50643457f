// IAC-AWS-013: dynamoDB table has no point-in-time recovery.

import { mustBeTrue } from "./engine/look.ts";
import type { Rule } from "./rule.ts";

export const awsDynamodbNoRecovery: Rule = {
  id: "IAC-AWS-013",
  title: "DynamoDB table has no point-in-time recovery",
  why: "A bad write or a bad deploy cannot be undone: the last backup, if any, may be days old.",
  fix: "Switch point-in-time recovery on.",
  severity: "warning",
  check: mustBeTrue({
    aws_dynamodb_table: "point_in_time_recovery.enabled",
    "AWS::DynamoDB::Table": "PointInTimeRecoverySpecification.PointInTimeRecoveryEnabled",
  }),
  examples: [
    {
      dialect: "hcl",
      failing: `resource "aws_dynamodb_table" "main" { # BAD
  name     = "orders"
  hash_key = "id"
}`,
      passing: `resource "aws_dynamodb_table" "main" {
  name     = "orders"
  hash_key = "id"

  point_in_time_recovery {
    enabled = true
  }
}`,
    },
    {
      dialect: "cloudformation",
      failing: `Resources:
  Main:
    Type: AWS::DynamoDB::Table
    Properties:
      PointInTimeRecoverySpecification:
        PointInTimeRecoveryEnabled: false # BAD`,
      passing: `Resources:
  Main:
    Type: AWS::DynamoDB::Table
    Properties:
      PointInTimeRecoverySpecification:
        PointInTimeRecoveryEnabled: true`,
    },
  ],
};
