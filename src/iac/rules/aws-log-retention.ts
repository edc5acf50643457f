// IAC-AWS-035: log group keeps logs for ever.

import { mustBePresent } from "./engine/look.ts";
import type { Rule } from "./rule.ts";

export const awsLogRetention: Rule = {
  id: "IAC-AWS-035",
  title: "Log group keeps logs for ever",
  why: "Logs pile up and are paid for without end.",
  fix: "Set a retention in days.",
  severity: "info",
  check: mustBePresent({
    aws_cloudwatch_log_group: "retention_in_days",
    "AWS::Logs::LogGroup": "RetentionInDays",
  }),
  examples: [
    {
      dialect: "hcl",
      failing: `resource "aws_cloudwatch_log_group" "main" { # BAD
  name = "app"
}`,
      passing: `resource "aws_cloudwatch_log_group" "main" {
  name              = "app"
  retention_in_days = 30
}`,
    },
    {
      dialect: "cloudformation",
      failing: `Resources:
  Main: # BAD
    Type: AWS::Logs::LogGroup
    Properties:
      LogGroupName: app`,
      passing: `Resources:
  Main:
    Type: AWS::Logs::LogGroup
    Properties:
      RetentionInDays: 30`,
    },
  ],
};
