// IAC-AWS-004: resource policy lets everyone in.

import { onTypes } from "./engine/look.ts";
import { statementsOf, policyTypes, isStar } from "./engine/policy.ts";
import type { Rule } from "./rule.ts";

export const awsPolicyPublicPrincipal: Rule = {
  id: "IAC-AWS-004",
  title: "Resource policy lets everyone in",
  why: "Principal * without a condition is every AWS account and, for many actions, everyone without one.",
  fix: "Name the accounts or roles as principals, or add a condition that narrows them.",
  severity: "error",
  check: onTypes(policyTypes("resource", "aws"), (resource) =>
    statementsOf(resource, "resource")
      .filter(({ isAllow, hasCondition }) => isAllow && !hasCondition)
      .flatMap(({ principals }) => principals.filter(isStar).map(({ at }) => ({ at }))),
  ),
  examples: [
    {
      dialect: "hcl",
      failing: `data "aws_iam_policy_document" "main" {
  statement {
    actions   = ["s3:GetObject"]
    resources = ["\${aws_s3_bucket.logs.arn}/*"]

    principals {
      type        = "AWS"
      identifiers = ["*"] # BAD
    }
  }
}`,
      passing: `data "aws_iam_policy_document" "main" {
  statement {
    actions   = ["s3:GetObject"]
    resources = ["\${aws_s3_bucket.logs.arn}/*"]

    principals {
      type        = "AWS"
      identifiers = ["*"]
    }

    condition {
      test     = "StringEquals"
      variable = "aws:PrincipalOrgID"
      values   = ["o-123456"]
    }
  }
}`,
    },
    {
      dialect: "hcl",
      failing: `resource "aws_s3_bucket_policy" "main" {
  bucket = aws_s3_bucket.logs.id
  policy = <<POLICY
{
  "Version": "2012-10-17",
  "Statement": [{
    "Effect": "Allow",
    "Action": "s3:GetObject",
    "Resource": "\${aws_s3_bucket.logs.arn}/*",
    "Principal": "*" # BAD
  }]
}
POLICY
}`,
      passing: `resource "aws_s3_bucket_policy" "main" {
  bucket = aws_s3_bucket.logs.id
  policy = <<POLICY
{
  "Version": "2012-10-17",
  "Statement": [{
    "Effect": "Deny",
    "Action": "s3:GetObject",
    "Resource": "\${aws_s3_bucket.logs.arn}/*",
    "Principal": "*"
  }]
}
POLICY
}`,
    },
    {
      dialect: "cloudformation",
      failing: `Resources:
  Main:
    Type: AWS::SQS::QueuePolicy
    Properties:
      Queues: [!Ref Queue]
      PolicyDocument:
        Statement:
          - Effect: Allow
            Action: sqs:SendMessage
            Resource: !GetAtt Queue.Arn
            Principal:
              AWS: '*' # BAD`,
      passing: `Resources:
  Main:
    Type: AWS::SQS::QueuePolicy
    Properties:
      Queues: [!Ref Queue]
      PolicyDocument:
        Statement:
          - Effect: Allow
            Action: sqs:SendMessage
            Resource: !GetAtt Queue.Arn
            Principal:
              AWS: !Sub 'arn:aws:iam::\${AWS::AccountId}:root'`,
    },
  ],
};
