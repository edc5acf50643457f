// IAC-AWS-003: a setting of the public access block is off.

import { mustNotBeFalse } from "./engine/look.ts";
import type { Rule } from "./rule.ts";

const SETTINGS = [
  "BlockPublicAcls",
  "BlockPublicPolicy",
  "IgnorePublicAcls",
  "RestrictPublicBuckets",
];
const HCL_SETTINGS = [
  "block_public_acls",
  "block_public_policy",
  "ignore_public_acls",
  "restrict_public_buckets",
];

export const awsS3PublicAccessBlockOff: Rule = {
  id: "IAC-AWS-003",
  title: "A setting of the public access block is off",
  why: "What this setting would forbid can make the bucket public.",
  fix: "Set all four settings of the public access block to true.",
  severity: "error",
  check: mustNotBeFalse({
    aws_s3_bucket_public_access_block: HCL_SETTINGS,
    aws_s3_account_public_access_block: HCL_SETTINGS,
    "AWS::S3::Bucket": SETTINGS.map((name) => `PublicAccessBlockConfiguration.${name}`),
  }),
  examples: [
    {
      dialect: "hcl",
      failing: `resource "aws_s3_bucket_public_access_block" "main" {
  bucket              = aws_s3_bucket.logs.id
  block_public_acls   = false # BAD
  block_public_policy = true
}`,
      passing: `resource "aws_s3_bucket_public_access_block" "main" {
  bucket              = aws_s3_bucket.logs.id
  block_public_acls   = true
  block_public_policy = var.locked
}`,
    },
    {
      dialect: "cloudformation",
      failing: `Resources:
  Main:
    Type: AWS::S3::Bucket
    Properties:
      PublicAccessBlockConfiguration:
        BlockPublicAcls: true
        BlockPublicPolicy: false # BAD`,
      passing: `Resources:
  Main:
    Type: AWS::S3::Bucket
    Properties:
      PublicAccessBlockConfiguration:
        BlockPublicAcls: true
        BlockPublicPolicy: true`,
    },
  ],
};
