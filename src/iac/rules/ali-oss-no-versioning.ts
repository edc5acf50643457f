// IAC-ALI-011: oSS bucket keeps no versions.

import { mustBePresent, mustNotHold, allOf } from "./engine/look.ts";
import type { Rule } from "./rule.ts";

export const aliOssNoVersioning: Rule = {
  id: "IAC-ALI-011",
  title: "OSS bucket keeps no versions",
  why: "A deleted or overwritten object is gone.",
  fix: "Switch versioning on.",
  severity: "info",
  check: allOf(
    mustNotHold(
      { alicloud_oss_bucket: "versioning.status", alicloud_oss_bucket_versioning: "status" },
      (status) => status === "Suspended",
    ),
    mustBePresent({ "ALIYUN::OSS::Bucket": "VersioningConfiguration" }),
  ),
  examples: [
    {
      dialect: "hcl",
      failing: `resource "alicloud_oss_bucket" "main" {
  bucket = "data"

  versioning {
    status = "Suspended" # BAD
  }
}`,
      passing: `resource "alicloud_oss_bucket" "main" {
  bucket = "data"

  versioning {
    status = "Enabled"
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
      VersioningConfiguration:
        Status: Enabled`,
    },
  ],
};
