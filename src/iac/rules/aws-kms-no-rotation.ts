// IAC-AWS-022: kMS key is not rotated.

import { find, textOf } from "../value.ts";
import { mustBeTrue, onTypes } from "./engine/look.ts";
import type { Rule } from "./rule.ts";

const ROTATION = {
  aws_kms_key: "enable_key_rotation",
  "AWS::KMS::Key": "EnableKeyRotation",
} as const;

export const awsKmsNoRotation: Rule = {
  id: "IAC-AWS-022",
  title: "KMS key is not rotated",
  why: "A key that leaks once opens everything it ever encrypted.",
  fix: "Switch key rotation on.",
  severity: "warning",
  check: onTypes(Object.keys(ROTATION), (key, module) => {
    const specs = ["key_usage", "customer_master_key_spec", "KeyUsage", "KeySpec"].flatMap((path) =>
      find(key.body, path),
    );
    // Only symmetric keys for encryption can be rotated.
    const isSymmetric = specs.every(({ value }) =>
      /^(ENCRYPT_DECRYPT|SYMMETRIC_DEFAULT)$/.test(textOf(value) ?? ""),
    );
    return isSymmetric ? mustBeTrue(ROTATION).run(key, module) : [];
  }),
  examples: [
    {
      dialect: "hcl",
      failing: `resource "aws_kms_key" "main" {
  description         = "data"
  enable_key_rotation = false # BAD
}`,
      passing: `resource "aws_kms_key" "main" {
  description         = "data"
  enable_key_rotation = true
}`,
    },
    {
      dialect: "hcl",
      failing: `resource "aws_kms_key" "main" { # BAD
  description = "data"
}`,
      passing: `resource "aws_kms_key" "main" {
  description = "signing"
  key_usage   = "SIGN_VERIFY"
}`,
    },
    {
      dialect: "cloudformation",
      failing: `Resources:
  Main: # BAD
    Type: AWS::KMS::Key
    Properties:
      KeyPolicy: {}`,
      passing: `Resources:
  Main:
    Type: AWS::KMS::Key
    Properties:
      KeyPolicy: {}
      EnableKeyRotation: true`,
    },
  ],
};
