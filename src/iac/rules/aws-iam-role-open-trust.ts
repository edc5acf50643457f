// IAC-AWS-017: everyone may assume the role.

import { onTypes } from "./engine/look.ts";
import { statementsOf, policyTypes, isStar } from "./engine/policy.ts";
import type { Rule } from "./rule.ts";

export const awsIamRoleOpenTrust: Rule = {
  id: "IAC-AWS-017",
  title: "Everyone may assume the role",
  why: "Any AWS account can take the role and what it may do.",
  fix: "Name the accounts, roles or services that may assume the role.",
  severity: "error",
  check: onTypes(policyTypes("trust", "aws"), (resource) =>
    statementsOf(resource, "trust")
      .filter(({ isAllow, hasCondition }) => isAllow && !hasCondition)
      .flatMap(({ principals }) => principals.filter(isStar).map(({ at }) => ({ at }))),
  ),
  examples: [
    {
      dialect: "hcl",
      failing: `resource "aws_iam_role" "main" {
  name = "ci"
  assume_role_policy = jsonencode({
    Statement = [{
      Effect    = "Allow"
      Action    = "sts:AssumeRole"
      Principal = "*" # BAD
    }]
  })
}`,
      passing: `resource "aws_iam_role" "main" {
  name = "ci"
  assume_role_policy = jsonencode({
    Statement = [{
      Effect    = "Allow"
      Action    = "sts:AssumeRole"
      Principal = { Service = "ec2.amazonaws.com" }
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
      AssumeRolePolicyDocument:
        Statement:
          - Effect: Allow
            Action: sts:AssumeRole
            Principal: {AWS: '*'} # BAD`,
      passing: `Resources:
  Main:
    Type: AWS::IAM::Role
    Properties:
      AssumeRolePolicyDocument:
        Statement:
          - Effect: Allow
            Action: sts:AssumeRole
            Principal: {Service: lambda.amazonaws.com}`,
    },
  ],
};
