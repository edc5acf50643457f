// IAC-AWS-039: function URL needs no authentication.

import { mustNotHold } from "./engine/look.ts";
import type { Rule } from "./rule.ts";

export const awsLambdaPublicUrl: Rule = {
  id: "IAC-AWS-039",
  title: "Function URL needs no authentication",
  why: "Everyone can call the function, and its bill is yours.",
  fix: "Use AWS_IAM, or an API Gateway with an authorizer.",
  severity: "warning",
  check: mustNotHold(
    { aws_lambda_function_url: "authorization_type", "AWS::Lambda::Url": "AuthType" },
    (type) => type === "NONE",
  ),
  examples: [
    {
      dialect: "hcl",
      failing: `resource "aws_lambda_function_url" "main" {
  function_name      = "api"
  authorization_type = "NONE" # BAD
}`,
      passing: `resource "aws_lambda_function_url" "main" {
  function_name      = "api"
  authorization_type = "AWS_IAM"
}`,
    },
    {
      dialect: "cloudformation",
      failing: `Resources:
  Main:
    Type: AWS::Lambda::Url
    Properties:
      AuthType: NONE # BAD`,
      passing: `Resources:
  Main:
    Type: AWS::Lambda::Url
    Properties:
      AuthType: AWS_IAM`,
    },
  ],
};
