// IAC-AWS-023: cloudTrail does not record everything.

import { mustBeTrue, mustNotBeFalse, allOf } from "./engine/look.ts";
import type { Rule } from "./rule.ts";

export const awsCloudtrailOff: Rule = {
  id: "IAC-AWS-023",
  title: "CloudTrail does not record everything",
  why: "What happened in other regions, or while logging was off, cannot be found out afterwards.",
  fix: "Keep logging on, in all regions, with global service events.",
  severity: "warning",
  check: allOf(
    mustNotBeFalse({
      aws_cloudtrail: ["enable_logging", "include_global_service_events"],
      "AWS::CloudTrail::Trail": ["IsLogging", "IncludeGlobalServiceEvents"],
    }),
    mustBeTrue({
      aws_cloudtrail: "is_multi_region_trail",
      "AWS::CloudTrail::Trail": "IsMultiRegionTrail",
    }),
  ),
  examples: [
    {
      dialect: "hcl",
      failing: `resource "aws_cloudtrail" "main" {
  name                  = "main"
  enable_logging        = false # BAD
  is_multi_region_trail = true
}`,
      passing: `resource "aws_cloudtrail" "main" {
  name                  = "main"
  is_multi_region_trail = true
}`,
    },
    {
      dialect: "cloudformation",
      failing: `Resources:
  Main: # BAD
    Type: AWS::CloudTrail::Trail
    Properties:
      IsLogging: true
      S3BucketName: !Ref Logs`,
      passing: `Resources:
  Main:
    Type: AWS::CloudTrail::Trail
    Properties:
      IsLogging: true
      IsMultiRegionTrail: true
      S3BucketName: !Ref Logs`,
    },
  ],
};
