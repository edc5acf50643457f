// IAC-AWS-038: eCS container is privileged.

import { mustNotBeTrue } from "./engine/look.ts";
import type { Rule } from "./rule.ts";

export const awsEcsPrivileged: Rule = {
  id: "IAC-AWS-038",
  title: "ECS container is privileged",
  why: "The container is root on its host, and so is whoever breaks into it.",
  fix: "Remove privileged, and add single capabilities where needed.",
  severity: "error",
  check: mustNotBeTrue({
    aws_ecs_task_definition: "container_definitions.privileged",
    "AWS::ECS::TaskDefinition": "ContainerDefinitions.Privileged",
  }),
  examples: [
    {
      dialect: "hcl",
      failing: `resource "aws_ecs_task_definition" "main" {
  family = "app"
  container_definitions = jsonencode([{
    name  = "app"
    image = "nginx:1.27.3"
    privileged = true # BAD
  }])
}`,
      passing: `resource "aws_ecs_task_definition" "main" {
  family = "app"
  container_definitions = jsonencode([{
    name  = "app"
    image = "nginx:1.27.3"
    privileged = false
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
          Privileged: true # BAD`,
      passing: `Resources:
  Main:
    Type: AWS::ECS::TaskDefinition
    Properties:
      ContainerDefinitions:
        - Name: app
          Privileged: false`,
    },
  ],
};
