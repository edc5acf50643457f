// IAC-ALI-016: bucket policy lets everyone in.

import { onTypes } from "./engine/look.ts";
import { statementsOf, policyTypes, isStar } from "./engine/policy.ts";
import type { Rule } from "./rule.ts";

export const aliPolicyPublicPrincipal: Rule = {
  id: "IAC-ALI-016",
  title: "Bucket policy lets everyone in",
  why: "Principal * without a condition is everyone on the internet.",
  fix: "Name the accounts as principals, or add a condition that narrows them.",
  severity: "error",
  check: onTypes(policyTypes("resource", "alibaba"), (resource) =>
    statementsOf(resource, "resource")
      .filter(({ isAllow, hasCondition }) => isAllow && !hasCondition)
      .flatMap(({ principals }) => principals.filter(isStar).map(({ at }) => ({ at }))),
  ),
  examples: [
    {
      dialect: "hcl",
      failing: `resource "alicloud_oss_bucket_policy" "main" {
  bucket = alicloud_oss_bucket.data.bucket
  policy = jsonencode({
    Version = "1"
    Statement = [{
      Effect    = "Allow"
      Action    = ["oss:GetObject"]
      Principal = ["*"] # BAD
      Resource  = ["acs:oss:*:*:data/*"]
    }]
  })
}`,
      passing: `resource "alicloud_oss_bucket_policy" "main" {
  bucket = alicloud_oss_bucket.data.bucket
  policy = jsonencode({
    Version = "1"
    Statement = [{
      Effect    = "Allow"
      Action    = ["oss:GetObject"]
      Principal = ["1234567890123456"]
      Resource  = ["acs:oss:*:*:data/*"]
    }]
  })
}`,
    },
    {
      dialect: "ros",
      failing: `ROSTemplateFormatVersion: '2015-09-01'
Resources:
  Main:
    Type: ALIYUN::OSS::Bucket
    Properties:
      BucketName: data
      Policy:
        Version: '1'
        Statement:
          - Effect: Allow
            Action: ['oss:GetObject']
            Principal: ['*'] # BAD
            Resource: ['acs:oss:*:*:data/*']`,
      passing: `ROSTemplateFormatVersion: '2015-09-01'
Resources:
  Main:
    Type: ALIYUN::OSS::Bucket
    Properties:
      BucketName: data
      Policy:
        Version: '1'
        Statement:
          - Effect: Allow
            Action: ['oss:GetObject']
            Principal: ['1234567890123456']
            Resource: ['acs:oss:*:*:data/*']`,
    },
  ],
};
