// IAC-AWS-016: iAM policy allows all actions of a service on all resources.

import { textOf } from "../value.ts";
import { onTypes } from "./engine/look.ts";
import { statementsOf, policyTypes, isStar } from "./engine/policy.ts";
import type { Rule } from "./rule.ts";

export const awsIamServiceWildcard: Rule = {
  id: "IAC-AWS-016",
  title: "IAM policy allows all actions of a service on all resources",
  why: "A stolen credential can delete and publish as well as read.",
  fix: "List the actions, and name the resources by ARN.",
  severity: "warning",
  check: onTypes(policyTypes("identity", "aws"), (resource) =>
    statementsOf(resource, "identity")
      .filter(
        ({ isAllow, hasCondition, resources }) =>
          isAllow && !hasCondition && resources.some(isStar),
      )
      .flatMap(({ actions }) => actions)
      .filter(({ value }) => /^[a-z0-9-]+:\*$/i.test(textOf(value) ?? ""))
      .map(({ value, at }) => ({ at, detail: textOf(value) ?? "" })),
  ),
  examples: [
    {
      dialect: "hcl",
      failing: `data "aws_iam_policy_document" "main" {
  statement {
    actions   = ["s3:*"] # BAD
    resources = ["*"]
  }
}`,
      passing: `data "aws_iam_policy_document" "main" {
  statement {
    actions   = ["s3:*"]
    resources = [aws_s3_bucket.logs.arn]
  }
}`,
    },
    {
      dialect: "hcl",
      failing: `resource "aws_iam_policy" "main" {
  name = "ci"
  policy = jsonencode({
    Version = "2012-10-17"
    Statement = [{
      Effect   = "Allow"
      Action   = ["ec2:*"] # BAD
      Resource = "*"
    }]
  })
}`,
      passing: `resource "aws_iam_policy" "main" {
  name = "ci"
  policy = jsonencode({
    Version = "2012-10-17"
    Statement = [{
      Effect   = "Allow"
      Action   = ["ec2:Describe*"]
      Resource = "*"
    }]
  })
}`,
    },
    {
      dialect: "cloudformation",
      failing: `Resources:
  Main:
    Type: AWS::IAM::ManagedPolicy
    Properties:
      PolicyDocument:
        Statement:
          Effect: Allow
          Action:
            - iam:* # BAD
          Resource: '*'`,
      passing: `Resources:
  Main:
    Type: AWS::IAM::ManagedPolicy
    Properties:
      PolicyDocument:
        Statement:
          Effect: Allow
          Action:
            - iam:GetRole
          Resource: '*'`,
    },
  ],
};
