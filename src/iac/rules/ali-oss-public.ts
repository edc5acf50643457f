// IAC-ALI-001: oSS bucket is public by its ACL.

import { mustNotHold } from "./engine/look.ts";
import type { Rule } from "./rule.ts";

export const aliOssPublic: Rule = {
  id: "IAC-ALI-001",
  title: "OSS bucket is public by its ACL",
  why: "Everyone on the internet can read the objects, or even write them.",
  fix: "Use the ACL private and grant access by a bucket policy or signed URLs.",
  severity: "error",
  check: mustNotHold(
    {
      alicloud_oss_bucket: "acl",
      alicloud_oss_bucket_acl: "acl",
      "ALIYUN::OSS::Bucket": "AccessControl",
    },
    (acl) => acl.startsWith("public-read"),
  ),
  examples: [
    {
      dialect: "hcl",
      failing: `resource "alicloud_oss_bucket" "main" {
  bucket = "site"
  acl    = "public-read-write" # BAD
}`,
      passing: `resource "alicloud_oss_bucket" "main" {
  bucket = "site"
  acl    = "private"
}`,
    },
    {
      dialect: "ros",
      failing: `ROSTemplateFormatVersion: '2015-09-01'
Resources:
  Main:
    Type: ALIYUN::OSS::Bucket
    Properties:
      BucketName: site
      AccessControl: public-read # BAD`,
      passing: `ROSTemplateFormatVersion: '2015-09-01'
Resources:
  Main:
    Type: ALIYUN::OSS::Bucket
    Properties:
      BucketName: site
      AccessControl: private`,
    },
  ],
};
