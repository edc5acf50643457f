// IAC-AWS-030: secret stands in the environment of a function.

import { findWhole, textOf, entriesOf } from "../value.ts";
import { onTypes } from "./engine/look.ts";
import { isSecretName, isPlainSecret } from "./engine/secret-words.ts";
import type { Rule } from "./rule.ts";

const ENVIRONMENTS: Readonly<Record<string, string>> = {
  aws_lambda_function: "environment.variables",
  "AWS::Lambda::Function": "Environment.Variables",
  "AWS::Serverless::Function": "Environment.Variables",
};

export const awsLambdaEnvSecret: Rule = {
  id: "IAC-AWS-030",
  title: "Secret stands in the environment of a function",
  why: "Everyone who may read the function's configuration, the template or its history reads the secret.",
  fix: "Keep it in Secrets Manager or SSM Parameter Store and read it at run time.",
  severity: "error",
  check: onTypes(Object.keys(ENVIRONMENTS), (resource) =>
    findWhole(resource.body, ENVIRONMENTS[resource.type] ?? "")
      .flatMap(({ value }) => entriesOf(value))
      .filter(({ key, value }) => isSecretName(key) && isPlainSecret(textOf(value) ?? ""))
      .map(({ key, keyAt }) => ({ at: keyAt, detail: key })),
  ),
  examples: [
    {
      dialect: "hcl",
      failing: `resource "aws_lambda_function" "main" {
  function_name = "api"

  environment {
    variables = {
      LOG_LEVEL   = "info"
      DB_PASSWORD = "hunter2hunter2" # BAD
    }
  }
}`,
      passing: `resource "aws_lambda_function" "main" {
  function_name = "api"

  environment {
    variables = {
      DB_SECRET_ARN = "arn:aws:secretsmanager:eu-west-1:1:secret:db"
      DB_PASSWORD   = var.db_password
    }
  }
}`,
    },
    {
      dialect: "cloudformation",
      failing: `Resources:
  Main:
    Type: AWS::Lambda::Function
    Properties:
      Environment:
        Variables:
          API_KEY: q8s7dfh3kjh4 # BAD`,
      passing: `Resources:
  Main:
    Type: AWS::Lambda::Function
    Properties:
      Environment:
        Variables:
          API_KEY: '{{resolve:secretsmanager:api-key}}'`,
    },
  ],
};
