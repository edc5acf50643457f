// IAC-AWS-036: s3 bucket names no key for its encryption.

import { member } from "../value.ts";
import { mustBePresent, allOf, onTypes } from "./engine/look.ts";
import type { Rule } from "./rule.ts";

export const awsS3NoEncryption: Rule = {
  id: "IAC-AWS-036",
  title: "S3 bucket names no key for its encryption",
  why: "Objects are encrypted with a key of S3 only, whose use nobody can audit or withdraw.",
  fix: "Add server-side encryption with a KMS key where the data needs it.",
  severity: "info",
  check: allOf(
    mustBePresent({ "AWS::S3::Bucket": "BucketEncryption" }),
    onTypes(["aws_s3_bucket"], ({ body }, module) => {
      const elsewhere =
        module.byType.get("aws_s3_bucket_server_side_encryption_configuration") ?? [];
      const isHere = member(body, "server_side_encryption_configuration") !== undefined;
      return isHere || elsewhere.length > 0 ? [] : [{}];
    }),
  ),
  examples: [
    {
      dialect: "hcl",
      failing: `resource "aws_s3_bucket" "main" { # BAD
  bucket = "data"
}`,
      passing: `resource "aws_s3_bucket" "main" {
  bucket = "data"

  server_side_encryption_configuration {
    rule {
      apply_server_side_encryption_by_default {
        sse_algorithm = "aws:kms"
      }
    }
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
      BucketEncryption:
        ServerSideEncryptionConfiguration:
          - ServerSideEncryptionByDefault: {SSEAlgorithm: aws:kms}`,
    },
  ],
};
