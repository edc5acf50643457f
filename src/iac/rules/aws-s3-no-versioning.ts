// IAC-AWS-033: s3 bucket keeps no versions.

import { mustNotBeFalse, mustBePresent, mustNotHold, allOf } from "./engine/look.ts";
import type { Rule } from "./rule.ts";

export const awsS3NoVersioning: Rule = {
  id: "IAC-AWS-033",
  title: "S3 bucket keeps no versions",
  why: "A deleted or overwritten object is gone.",
  fix: "Switch versioning on.",
  severity: "info",
  check: allOf(
    mustNotHold(
      { aws_s3_bucket_versioning: "versioning_configuration.status" },
      (status) => status === "Disabled" || status === "Suspended",
    ),
    mustNotBeFalse({ aws_s3_bucket: "versioning.enabled" }),
    mustBePresent({ "AWS::S3::Bucket": "VersioningConfiguration" }),
  ),
  examples: [
    {
      dialect: "hcl",
      failing: `resource "aws_s3_bucket_versioning" "main" {
  bucket = aws_s3_bucket.data.id

  versioning_configuration {
    status = "Suspended" # BAD
  }
}`,
      passing: `resource "aws_s3_bucket_versioning" "main" {
  bucket = aws_s3_bucket.data.id

  versioning_configuration {
    status = "Enabled"
  }
}`,
    },
    {
      dialect: "cloudformation",
      failing: `Resources:
  Main: # BAD
    Type: AWS::S3::Bucket
    Properties:
      BucketName: data`,
      passing: `Resources:
  Main:
    Type: AWS::S3::Bucket
    Properties:
      VersioningConfiguration:
        Status: Enabled`,
    },
  ],
};
