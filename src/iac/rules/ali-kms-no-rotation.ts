// IAC-ALI-013: kMS key is not rotated.

import { mustBeTrue, mustNotHold, allOf, literalsAt, onTypes } from "./engine/look.ts";
import type { Rule } from "./rule.ts";

const ROTATION = mustBeTrue({ "ALIYUN::KMS::Key": "EnableAutomaticRotation" });

export const aliKmsNoRotation: Rule = {
  id: "IAC-ALI-013",
  title: "KMS key is not rotated",
  why: "A key that leaks once opens everything it ever encrypted.",
  fix: "Switch automatic rotation on.",
  severity: "warning",
  check: allOf(
    mustNotHold(
      { alicloud_kms_key: ["automatic_rotation", "rotation_interval"] },
      (text) => text === "Disabled",
    ),
    onTypes(["ALIYUN::KMS::Key"], (key, module) =>
      // Keys that sign cannot be rotated.
      literalsAt(key, "KeyUsage").some(({ text }) => text.startsWith("SIGN"))
        ? []
        : ROTATION.run(key, module),
    ),
  ),
  examples: [
    {
      dialect: "hcl",
      failing: `resource "alicloud_kms_key" "main" {
  description        = "data"
  automatic_rotation = "Disabled" # BAD
}`,
      passing: `resource "alicloud_kms_key" "main" {
  description        = "data"
  automatic_rotation = "Enabled"
  rotation_interval  = "365d"
}`,
    },
    {
      dialect: "ros",
      failing: `ROSTemplateFormatVersion: '2015-09-01'
Resources:
  Main: # BAD
    Type: ALIYUN::KMS::Key
    Properties:
      Description: data`,
      passing: `ROSTemplateFormatVersion: '2015-09-01'
Resources:
  Main:
    Type: ALIYUN::KMS::Key
    Properties:
      EnableAutomaticRotation: true
      RotationInterval: 365d`,
    },
  ],
};
