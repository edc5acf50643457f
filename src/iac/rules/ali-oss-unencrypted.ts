// IAC-ALI-002: oSS bucket is not encrypted.

import { member } from "../value.ts";
import { mustBePresent, allOf, onTypes } from "./engine/look.ts";
import type { Rule } from "./rule.ts";

export const aliOssUnencrypted: Rule = {
  id: "IAC-ALI-002",
  title: "OSS bucket is not encrypted",
  why: "Objects are stored in clear.",
  fix: "Set server-side encryption with KMS or AES256.",
  severity: "warning",
  check: allOf(
    mustBePresent({ "ALIYUN::OSS::Bucket": "ServerSideEncryptionConfiguration" }),
    onTypes(["alicloud_oss_bucket"], ({ body }, module) => {
      const elsewhere = module.byType.get("alicloud_oss_bucket_server_side_encryption") ?? [];
      const isHere = member(body, "server_side_encryption_rule") !== undefined;
      return isHere || elsewhere.length > 0 ? [] : [{}];
    }),
  ),
  examples: [
    {
      dialect: "hcl",
      failing: `resource "alicloud_oss_bucket" "main" { # BAD
  bucket = "data"
}`,
      passing: `resource "alicloud_oss_bucket" "main" {
  bucket = "data"

  server_side_encryption_rule {
    sse_algorithm = "AES256"
  }
}`,
    },
    {
      dialect: "ros",
      failing: `ROSTemplateFormatVersion: '2015-09-01'
Resources:
  Main: # BAD
    Type: ALIYUN::OSS::Bucket
    Properties:
      BucketName: data`,
      passing: `ROSTemplateFormatVersion: '2015-09-01'
Resources:
  Main:
    Type: ALIYUN::OSS::Bucket
    Properties:
      BucketName: data
      ServerSideEncryptionConfiguration:
        SSEAlgorithm: KMS`,
    },
  ],
};
