// IAC-ALI-008: rAM policy allows everything.

import { onTypes } from "./engine/look.ts";
import { statementsOf, policyTypes, isStar } from "./engine/policy.ts";
import type { Rule } from "./rule.ts";

export const aliRamFullAccess: Rule = {
  id: "IAC-ALI-008",
  title: "RAM policy allows everything",
  why: "Whoever gets these credentials owns the account.",
  fix: "List the actions and resources that are needed.",
  severity: "error",
  check: onTypes(policyTypes("identity", "alibaba"), (resource) =>
    statementsOf(resource, "identity")
      .filter(({ isAllow, hasCondition }) => isAllow && !hasCondition)
      .flatMap(({ actions, resources }) => (resources.some(isStar) ? actions.filter(isStar) : []))
      .map(({ at }) => ({ at })),
  ),
  examples: [
    {
      dialect: "hcl",
      failing: `resource "alicloud_ram_policy" "main" {
  policy_name = "ci"
  policy_document = <<EOF
  {
    "Version": "1",
    "Statement": [
      {
        "Effect": "Allow",
        "Action": "*", # BAD
        "Resource": "*"
      }
    ]
  }
  EOF
}`,
      passing: `resource "alicloud_ram_policy" "main" {
  policy_name = "ci"
  policy_document = <<EOF
  {
    "Version": "1",
    "Statement": [
      {
        "Effect": "Allow",
        "Action": "oss:GetObject",
        "Resource": "*"
      }
    ]
  }
  EOF
}`,
    },
    {
      dialect: "ros",
      failing: `ROSTemplateFormatVersion: '2015-09-01'
Resources:
  Main:
    Type: ALIYUN::RAM::ManagedPolicy
    Properties:
      PolicyName: ci
      PolicyDocument:
        Version: '1'
        Statement:
          - Effect: Allow
            Action: ['*'] # BAD
            Resource: ['*']`,
      passing: `ROSTemplateFormatVersion: '2015-09-01'
Resources:
  Main:
    Type: ALIYUN::RAM::ManagedPolicy
    Properties:
      PolicyName: ci
      PolicyDocument:
        Version: '1'
        Statement:
          - Effect: Allow
            Action: ['oss:Get*']
            Resource: ['*']`,
    },
  ],
};
