// IAC-AWS-024: cloudTrail logs can be changed unnoticed.

import { mustBeTrue } from "./engine/look.ts";
import type { Rule } from "./rule.ts";

export const awsCloudtrailNoValidation: Rule = {
  id: "IAC-AWS-024",
  title: "CloudTrail logs can be changed unnoticed",
  why: "An intruder who can write to the bucket can take the traces out.",
  fix: "Switch log file validation on.",
  severity: "info",
  check: mustBeTrue({
    aws_cloudtrail: "enable_log_file_validation",
    "AWS::CloudTrail::Trail": "EnableLogFileValidation",
  }),
  examples: [
    {
      dialect: "hcl",
      failing: `resource "aws_cloudtrail" "main" { # BAD
  name = "main"
}`,
      passing: `resource "aws_cloudtrail" "main" {
  name                       = "main"
  enable_log_file_validation = true
}`,
    },
    {
      dialect: "cloudformation",
      failing: `Resources:
  Main:
    Type: AWS::CloudTrail::Trail
    Properties:
      EnableLogFileValidation: false # BAD`,
      passing: `Resources:
  Main:
    Type: AWS::CloudTrail::Trail
    Properties:
      EnableLogFileValidation: true`,
    },
  ],
};
