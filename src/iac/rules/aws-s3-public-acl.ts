// IAC-AWS-001: s3 bucket is public by its ACL.

import { mustNotHold } from "./engine/look.ts";
import type { Rule } from "./rule.ts";

export const awsS3PublicAcl: Rule = {
  id: "IAC-AWS-001",
  title: "S3 bucket is public by its ACL",
  why: "Everyone on the internet can list or read the objects, or even write them.",
  fix: "Use the ACL private and grant access by a bucket policy.",
  severity: "error",
  check: mustNotHold(
    {
      aws_s3_bucket: "acl",
      aws_s3_bucket_acl: "acl",
      "AWS::S3::Bucket": "AccessControl",
    },
    (acl) => /^(public-?read(-?write)?|authenticated-?read|website)$/i.test(acl),
  ),
  examples: [
    {
      dialect: "hcl",
      failing: `resource "aws_s3_bucket_acl" "main" {
  bucket = aws_s3_bucket.site.id
  acl    = "public-read" # BAD
}`,
      passing: `resource "aws_s3_bucket_acl" "main" {
  bucket = aws_s3_bucket.site.id
  acl    = "private"
}`,
    },
    {
      dialect: "cloudformation",
      failing: `Resources:
  Main:
    Type: AWS::S3::Bucket
    Properties:
      AccessControl: PublicReadWrite # BAD`,
      passing: `Resources:
  Main:
    Type: AWS::S3::Bucket
    Properties:
      AccessControl: !Ref Acl`,
    },
  ],
};
