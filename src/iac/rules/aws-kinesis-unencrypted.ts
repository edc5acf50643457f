// IAC-AWS-040: kinesis stream is not encrypted.

import { mustBePresent, mustNotHold, allOf } from "./engine/look.ts";
import type { Rule } from "./rule.ts";

export const awsKinesisUnencrypted: Rule = {
  id: "IAC-AWS-040",
  title: "Kinesis stream is not encrypted",
  why: "Records are stored in clear for as long as the stream keeps them.",
  fix: "Set the encryption type to KMS.",
  severity: "warning",
  check: allOf(
    mustBePresent({
      aws_kinesis_stream: "encryption_type",
      "AWS::Kinesis::Stream": "StreamEncryption",
    }),
    mustNotHold({ aws_kinesis_stream: "encryption_type" }, (type) => type === "NONE"),
  ),
  examples: [
    {
      dialect: "hcl",
      failing: `resource "aws_kinesis_stream" "main" {
  name            = "events"
  encryption_type = "NONE" # BAD
}`,
      passing: `resource "aws_kinesis_stream" "main" {
  name            = "events"
  encryption_type = "KMS"
}`,
    },
    {
      dialect: "cloudformation",
      failing: `Resources:
  Main: # BAD
    Type: AWS::Kinesis::Stream
    Properties:
      Name: events`,
      passing: `Resources:
  Main:
    Type: AWS::Kinesis::Stream
    Properties:
      StreamEncryption: {EncryptionType: KMS, KeyId: alias/aws/kinesis}`,
    },
  ],
};
