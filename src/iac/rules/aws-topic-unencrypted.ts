// IAC-AWS-012: topic or queue is not encrypted at rest.

import { find } from "../value.ts";
import { mustNotBeFalse, mustBePresent, allOf, onTypes } from "./engine/look.ts";
import type { Rule } from "./rule.ts";

/** SQS encrypts by itself unless that is switched off. */
const MANAGED = mustNotBeFalse({
  aws_sqs_queue: "sqs_managed_sse_enabled",
  "AWS::SQS::Queue": "SqsManagedSseEnabled",
});

export const awsTopicUnencrypted: Rule = {
  id: "IAC-AWS-012",
  title: "Topic or queue is not encrypted at rest",
  why: "Messages are stored in clear, and so are the dead ones that pile up.",
  fix: "Set a KMS key, or keep the managed encryption of SQS on.",
  severity: "warning",
  check: allOf(
    mustBePresent({ aws_sns_topic: "kms_master_key_id", "AWS::SNS::Topic": "KmsMasterKeyId" }),
    onTypes(["aws_sqs_queue", "AWS::SQS::Queue"], (queue, module) => {
      const hasKey = ["kms_master_key_id", "KmsMasterKeyId"].some(
        (key) => find(queue.body, key).length > 0,
      );
      return hasKey ? [] : MANAGED.run(queue, module);
    }),
  ),
  examples: [
    {
      dialect: "hcl",
      failing: `resource "aws_sns_topic" "main" { # BAD
  name = "alerts"
}`,
      passing: `resource "aws_sns_topic" "main" {
  name              = "alerts"
  kms_master_key_id = aws_kms_key.main.id
}`,
    },
    {
      dialect: "hcl",
      failing: `resource "aws_sqs_queue" "main" {
  name                    = "jobs"
  sqs_managed_sse_enabled = false # BAD
}`,
      passing: `resource "aws_sqs_queue" "main" {
  name                    = "jobs"
  sqs_managed_sse_enabled = false
  kms_master_key_id       = var.key
}`,
    },
    {
      dialect: "cloudformation",
      failing: `Resources:
  Main:
    Type: AWS::SQS::Queue
    Properties:
      SqsManagedSseEnabled: false # BAD`,
      passing: `Resources:
  Main:
    Type: AWS::SQS::Queue
    Properties:
      QueueName: jobs`,
    },
  ],
};
