// IAC-AWS-018: instance metadata service answers without a token.

import { find, textOf } from "../value.ts";
import { onTypes, replaceLiteral } from "./engine/look.ts";
import type { Rule } from "./rule.ts";

const TOKENS: Readonly<Record<string, string>> = {
  aws_instance: "metadata_options.http_tokens",
  aws_launch_template: "metadata_options.http_tokens",
  aws_launch_configuration: "metadata_options.http_tokens",
  "AWS::EC2::LaunchTemplate": "LaunchTemplateData.MetadataOptions.HttpTokens",
};

export const awsImdsv1: Rule = {
  id: "IAC-AWS-018",
  title: "Instance metadata service answers without a token",
  why: "A request forgery in any service on the machine can read the role's credentials.",
  fix: "Require tokens: IMDSv2.",
  severity: "warning",
  check: onTypes(Object.keys(TOKENS), (resource) => {
    const found = find(resource.body, TOKENS[resource.type] ?? "");
    if (found.length === 0) return [{}];
    return found.flatMap((each) =>
      textOf(each.value) === "optional"
        ? [{ at: each.at, patch: replaceLiteral(each, "required") }]
        : [],
    );
  }),
  examples: [
    {
      dialect: "hcl",
      failing: `resource "aws_instance" "main" {
  ami = var.ami

  metadata_options {
    http_tokens = "optional" # BAD
  }
}`,
      passing: `resource "aws_instance" "main" {
  ami = var.ami

  metadata_options {
    http_tokens = "required"
  }
}`,
    },
    {
      dialect: "hcl",
      failing: `resource "aws_launch_template" "main" { # BAD
  image_id = var.ami
}`,
      passing: `resource "aws_launch_template" "main" {
  image_id = var.ami

  metadata_options {
    http_tokens = var.tokens
  }
}`,
    },
    {
      dialect: "cloudformation",
      failing: `Resources:
  Main: # BAD
    Type: AWS::EC2::LaunchTemplate
    Properties:
      LaunchTemplateData:
        ImageId: !Ref Image`,
      passing: `Resources:
  Main:
    Type: AWS::EC2::LaunchTemplate
    Properties:
      LaunchTemplateData:
        ImageId: !Ref Image
        MetadataOptions:
          HttpTokens: required`,
    },
  ],
};
