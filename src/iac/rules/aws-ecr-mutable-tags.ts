// IAC-AWS-025: image tags can be overwritten.

import { find, textOf } from "../value.ts";
import { onTypes, replaceLiteral } from "./engine/look.ts";
import type { Rule } from "./rule.ts";

const MUTABILITY: Readonly<Record<string, string>> = {
  aws_ecr_repository: "image_tag_mutability",
  "AWS::ECR::Repository": "ImageTagMutability",
};

export const awsEcrMutableTags: Rule = {
  id: "IAC-AWS-025",
  title: "Image tags can be overwritten",
  why: "What a tag ran yesterday can be something else today, by mistake or by an intruder.",
  fix: "Make the tags immutable.",
  severity: "warning",
  check: onTypes(Object.keys(MUTABILITY), (repository) => {
    const found = find(repository.body, MUTABILITY[repository.type] ?? "");
    if (found.length === 0) return [{}];
    return found.flatMap((each) =>
      textOf(each.value) === "MUTABLE"
        ? [{ at: each.at, patch: replaceLiteral(each, "IMMUTABLE") }]
        : [],
    );
  }),
  examples: [
    {
      dialect: "hcl",
      failing: `resource "aws_ecr_repository" "main" {
  name                 = "app"
  image_tag_mutability = "MUTABLE" # BAD
}`,
      passing: `resource "aws_ecr_repository" "main" {
  name                 = "app"
  image_tag_mutability = "IMMUTABLE"
}`,
    },
    {
      dialect: "cloudformation",
      failing: `Resources:
  Main: # BAD
    Type: AWS::ECR::Repository
    Properties:
      RepositoryName: app`,
      passing: `Resources:
  Main:
    Type: AWS::ECR::Repository
    Properties:
      ImageTagMutability: IMMUTABLE`,
    },
  ],
};
