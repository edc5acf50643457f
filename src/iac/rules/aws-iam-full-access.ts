// IAC-AWS-015: iAM policy allows everything.

import { onTypes } from "./engine/look.ts";
import { statementsOf, policyTypes, isStar } from "./engine/policy.ts";
import type { Rule } from "./rule.ts";

export const awsIamFullAccess: Rule = {
  id: "IAC-AWS-015",
  title: "IAM policy allows everything",
  why: "Whoever gets these credentials owns the account.",
  fix: "List the actions and resources that are needed.",
  severity: "error",
  check: onTypes(policyTypes("identity", "aws"), (resource) =>
    statementsOf(resource, "identity")
      .filter(({ isAllow, hasCondition }) => isAllow && !hasCondition)
      .flatMap(({ actions, resources }) => (resources.some(isStar) ? actions.filter(isStar) : []))
      .map(({ at }) => ({ at })),
  ),
  examples: [
    {
      dialect: "hcl",
      failing: `data "aws_iam_policy_document" "main" {
  statement {
    actions   = ["*"] # BAD
    resources = ["*"]
  }
}`,
      passing: `data "aws_iam_policy_document" "main" {
  statement {
    actions   = ["s3:GetObject"]
    resources = ["*"]
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
      Action   = "*" # BAD
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
      Action   = ["s3:GetObject", "s3:PutObject"]
      Resource = "\${aws_s3_bucket.logs.arn}/*"
    }]
  })
}`,
    },
    {
      dialect: "cloudformation",
      failing: `Resources:
  Main:
    Type: AWS::IAM::Role
    Properties:
      AssumeRolePolicyDocument: {}
      Policies:
        - PolicyName: all
          PolicyDocument:
            Statement:
              - Effect: Allow
                Action: '*' # BAD
                Resource: '*'`,
      passing: `Resources:
  Main:
    Type: AWS::IAM::Role
    Properties:
      AssumeRolePolicyDocument: {}
      Policies:
        - PolicyName: read
          PolicyDocument:
            Statement:
              - Effect: Allow
                Action: s3:GetObject
                Resource: '*'`,
    },
  ],
};
