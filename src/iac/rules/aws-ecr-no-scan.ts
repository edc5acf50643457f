// IAC-AWS-026: images are not scanned when pushed.

import { mustBeTrue } from "./engine/look.ts";
import type { Rule } from "./rule.ts";

export const awsEcrNoScan: Rule = {
  id: "IAC-AWS-026",
  title: "Images are not scanned when pushed",
  why: "Known holes in images are found late or never.",
  fix: "Switch scanning on push on.",
  severity: "info",
  check: mustBeTrue({
    aws_ecr_repository: "image_scanning_configuration.scan_on_push",
    "AWS::ECR::Repository": "ImageScanningConfiguration.ScanOnPush",
  }),
  examples: [
    {
      dialect: "hcl",
      failing: `resource "aws_ecr_repository" "main" { # BAD
  name = "app"
}`,
      passing: `resource "aws_ecr_repository" "main" {
  name = "app"

  image_scanning_configuration {
    scan_on_push = true
  }
}`,
    },
    {
      dialect: "cloudformation",
      failing: `Resources:
  Main:
    Type: AWS::ECR::Repository
    Properties:
      ImageScanningConfiguration:
        ScanOnPush: false # BAD`,
      passing: `Resources:
  Main:
    Type: AWS::ECR::Repository
    Properties:
      ImageScanningConfiguration:
        ScanOnPush: true`,
    },
  ],
};
