// IAC-AWS-037: container runs an image without a fixed tag.

import { literalsAt, onTypes } from "./engine/look.ts";
import type { Rule } from "./rule.ts";

export const awsEcsLatestImage: Rule = {
  id: "IAC-AWS-037",
  title: "Container runs an image without a fixed tag",
  why: "What runs changes without a deploy, and a rollback gets the same broken image.",
  fix: "Name a version tag or a digest.",
  severity: "warning",
  check: onTypes(["aws_ecs_task_definition", "AWS::ECS::TaskDefinition"], (task) =>
    ["container_definitions.image", "ContainerDefinitions.Image"]
      .flatMap((path) => literalsAt(task, path))
      .filter(({ text }) => !/@sha256:|:(?!latest$)[\w.-]+$/.test(text))
      .map(({ text, found }) => ({ at: found.at, detail: text })),
  ),
  examples: [
    {
      dialect: "hcl",
      failing: `resource "aws_ecs_task_definition" "main" {
  family = "app"
  container_definitions = jsonencode([{
    name  = "app"
    image = "nginx:latest" # BAD
  }])
}`,
      passing: `resource "aws_ecs_task_definition" "main" {
  family = "app"
  container_definitions = jsonencode([{
    name  = "app"
    image = "nginx:1.27.3"
  }])
}`,
    },
    {
      dialect: "cloudformation",
      failing: `Resources:
  Main:
    Type: AWS::ECS::TaskDefinition
    Properties:
      ContainerDefinitions:
        - Name: app
          Image: nginx # BAD`,
      passing: `Resources:
  Main:
    Type: AWS::ECS::TaskDefinition
    Properties:
      ContainerDefinitions:
        - Name: app
          Image: !Sub '\${Repository}:\${Tag}'`,
    },
  ],
};
