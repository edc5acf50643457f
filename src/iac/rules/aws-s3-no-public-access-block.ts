// IAC-AWS-002: s3 bucket has no public access block.

import { member, textOf } from "../value.ts";
import { mustBePresent, allOf, literalsAt, onTypes } from "./engine/look.ts";
import type { Resource, Module } from "./engine/source.ts";
import type { Rule } from "./rule.ts";

/** A block of the account, or one whose bucket only a run can tell, counts for every bucket of the module. */
function isBlocked(bucket: Resource, module: Module): boolean {
  if ((module.byType.get("aws_s3_account_public_access_block") ?? []).length > 0) return true;
  const name = literalsAt(bucket, "bucket")[0]?.text;
  return (module.byType.get("aws_s3_bucket_public_access_block") ?? []).some((block) => {
    const target = member(block.body, "bucket");
    if (target?.kind !== "unknown") return name !== undefined && textOf(target) === name;
    const buckets = target.references.filter((reference) => reference.startsWith("aws_s3_bucket."));
    return (
      buckets.length === 0 ||
      buckets.some((reference) => `${reference}.`.startsWith(`${bucket.address}.`))
    );
  });
}

export const awsS3NoPublicAccessBlock: Rule = {
  id: "IAC-AWS-002",
  title: "S3 bucket has no public access block",
  why: "A later ACL or policy can make the bucket public without anyone noticing.",
  fix: "Add a public access block with all four settings true.",
  severity: "warning",
  check: allOf(
    mustBePresent({ "AWS::S3::Bucket": "PublicAccessBlockConfiguration" }),
    onTypes(["aws_s3_bucket"], (bucket, module) => (isBlocked(bucket, module) ? [] : [{}])),
  ),
  examples: [
    {
      dialect: "hcl",
      failing: `resource "aws_s3_bucket" "main" { # BAD
  bucket = "logs"
}`,
      passing: `resource "aws_s3_bucket" "main" {
  bucket = "logs"
}

resource "aws_s3_bucket_public_access_block" "main" {
  bucket                  = aws_s3_bucket.main.id
  block_public_acls       = true
  block_public_policy     = true
  ignore_public_acls      = true
  restrict_public_buckets = true
}`,
    },
    {
      dialect: "cloudformation",
      failing: `Resources:
  Main: # BAD
    Type: AWS::S3::Bucket
    Properties:
      BucketName: logs`,
      passing: `Resources:
  Main:
    Type: AWS::S3::Bucket
    Properties:
      PublicAccessBlockConfiguration:
        BlockPublicAcls: true
        BlockPublicPolicy: true
        IgnorePublicAcls: true
        RestrictPublicBuckets: true`,
    },
  ],
};
