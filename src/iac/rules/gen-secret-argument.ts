// IAC-GEN-001: secret is written in the code.

import { member, textOf, entriesOf } from "../value.ts";
import { isSecretName, isPlainSecret } from "./engine/secret-words.ts";
import type { Value } from "../value.ts";
import type { Resource } from "./engine/source.ts";
import type { Hit, Rule } from "./rule.ts";

/** These have rules of their own, with advice that fits better. */
function isJudgedElsewhere({ type, source }: Resource): boolean {
  return (
    source.dialect === "kubernetes" ||
    ["variable", "parameter", "output", "locals", "tfvars"].includes(type)
  );
}

function secretsIn({ body, type }: Resource): readonly Hit[] {
  const hits: Hit[] = [];
  collect(body, /lambda|Lambda|Serverless::Function/.test(type), hits);
  return hits;
}

/** Only what stands directly under a key is meant by the key; environments of functions are judged elsewhere. */
function collect(value: Value, skipVariables: boolean, hits: Hit[]): void {
  if (value.kind === "list") for (const item of value.items) collect(item, skipVariables, hits);
  const pair = namedSecret(value);
  if (pair !== undefined) hits.push(pair);
  for (const entry of entriesOf(value)) {
    if (skipVariables && /^(variables|Variables)$/.test(entry.key)) continue;
    const text =
      entry.value.kind === "literal" && typeof entry.value.value === "string"
        ? entry.value.value
        : "";
    if (isSecretName(entry.key) && isPlainSecret(text))
      hits.push({ at: entry.keyAt, detail: entry.key });
    else collect(entry.value, skipVariables, hits);
  }
}

/** `{ name = "DB_PASSWORD", value = "…" }`: an environment variable of a container, a setting of a Helm release. */
function namedSecret(value: Value): Hit | undefined {
  const name = textOf(member(value, "name") ?? member(value, "Name"));
  const secret = entriesOf(value).find(({ key }) => /^value$/i.test(key));
  if (name === undefined || secret === undefined || !isSecretName(name)) return undefined;
  return isPlainSecret(textOf(secret.value) ?? "") ? { at: secret.keyAt, detail: name } : undefined;
}

export const genSecretArgument: Rule = {
  id: "IAC-GEN-001",
  title: "Secret is written in the code",
  why: "Everyone who reads the repository, its history or a plan reads the secret, and it cannot be taken back.",
  fix: "Take it from a variable without a default, a secret store or a generated value, and change the secret.",
  severity: "error",
  check: {
    on: "resource",
    types: "every",
    run: (resource) => (isJudgedElsewhere(resource) ? [] : secretsIn(resource)),
  },
  examples: [
    {
      dialect: "hcl",
      failing: `resource "aws_db_instance" "main" {
  username = "app"
  password = "hunter2hunter2" # BAD
}`,
      passing: `resource "aws_db_instance" "main" {
  username = "app"
  password = var.db_password
}`,
    },
    {
      dialect: "hcl",
      failing: `resource "aws_ecs_task_definition" "main" {
  family = "app"
  container_definitions = jsonencode([{
    name = "app"
    environment = [
      { name = "LOG_LEVEL", value = "info" },
      { name = "DB_PASSWORD", value = "hunter2hunter2" }, # BAD
    ]
  }])
}`,
      passing: `resource "aws_ecs_task_definition" "main" {
  family = "app"
  container_definitions = jsonencode([{
    name    = "app"
    secrets = [{ name = "DB_PASSWORD", valueFrom = "arn:aws:ssm:eu-west-1:1:parameter/db" }]
  }])
}`,
    },
    {
      dialect: "hcl",
      failing: `provider "aws" {
  region     = "eu-west-1"
  access_key = "not-a-real-key" # BAD
}`,
      passing: `provider "aws" {
  region = "eu-west-1"
}`,
    },
    {
      dialect: "cloudformation",
      failing: `Resources:
  Main:
    Type: AWS::RDS::DBInstance
    Properties:
      MasterUsername: app
      MasterUserPassword: hunter2hunter2 # BAD`,
      passing: `Resources:
  Main:
    Type: AWS::RDS::DBInstance
    Properties:
      MasterUsername: app
      MasterUserPassword: '{{resolve:secretsmanager:db:SecretString:password}}'`,
    },
    {
      dialect: "ros",
      failing: `ROSTemplateFormatVersion: '2015-09-01'
Resources:
  Main:
    Type: ALIYUN::ECS::Instance
    Properties:
      ImageId: centos_7
      Password: Hunter2hunter2 # BAD`,
      passing: `ROSTemplateFormatVersion: '2015-09-01'
Resources:
  Main:
    Type: ALIYUN::ECS::Instance
    Properties:
      ImageId: centos_7
      Password: !Ref Password`,
    },
  ],
};
