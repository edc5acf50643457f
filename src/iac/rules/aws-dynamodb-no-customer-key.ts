// IAC-AWS-014: dynamoDB table is encrypted with a key of AWS only.

import { mustBeTrue } from "./engine/look.ts";
import type { Rule } from "./rule.ts";

export const awsDynamodbNoCustomerKey: Rule = {
  id: "IAC-AWS-014",
  title: "DynamoDB table is encrypted with a key of AWS only",
  why: "Nobody can audit or withdraw the use of that key.",
  fix: "Switch server-side encryption with a KMS key on where the data needs it.",
  severity: "info",
  check: mustBeTrue({
    aws_dynamodb_table: "server_side_encryption.enabled",
    "AWS::DynamoDB::Table": "SSESpecification.SSEEnabled",
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

  server_side_encryption {
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
      SSESpecification:
        SSEEnabled: false # BAD`,
      passing: `Resources:
  Main:
    Type: AWS::DynamoDB::Table
    Properties:
      SSESpecification:
        SSEEnabled: true`,
    },
  ],
};
