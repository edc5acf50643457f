// IAC-GEN-003: secret variable is not protected.

import { member, textOf, boolOf, entriesOf } from "../value.ts";
import { onTypes } from "./engine/look.ts";
import { isSecretName, isPlainSecret } from "./engine/secret-words.ts";
import type { Rule } from "./rule.ts";

export const genSecretVariable: Rule = {
  id: "IAC-GEN-003",
  title: "Secret variable is not protected",
  why: "Its value is printed in plans, logs and the console, or a default stands in the code.",
  fix: "Mark it sensitive (NoEcho in templates) and give it no default.",
  severity: "warning",
  check: onTypes(["variable", "parameter"], ({ name, body, source }) => {
    const type = textOf(member(body, "type")) ?? textOf(member(body, "Type")) ?? "string";
    if (!isSecretName(name) || /^(bool|number|Number|Boolean|AWS::SSM)/.test(type)) return [];
    const standard = entriesOf(body).find(({ key }) => /^default$/i.test(key));
    if (standard !== undefined && isPlainSecret(textOf(standard.value) ?? ""))
      return [{ at: standard.keyAt, detail: "default" }];
    const isProtected = [
      member(body, "sensitive"),
      member(body, "ephemeral"),
      member(body, "NoEcho"),
    ].some((flag) => flag !== undefined && boolOf(flag) !== false);
    const isKubernetes = source.dialect === "kubernetes";
    return isProtected || isKubernetes ? [] : [{}];
  }),
  examples: [
    {
      dialect: "hcl",
      failing: `variable "db_password" { # BAD
  type = string
}`,
      passing: `variable "db_password" {
  type      = string
  sensitive = true
}`,
    },
    {
      dialect: "hcl",
      failing: `variable "api_token" {
  type      = string
  sensitive = true
  default   = "q8s7dfh3kjh4" # BAD
}`,
      passing: `variable "api_token" {
  type      = string
  sensitive = true
  default   = ""
}`,
    },
    {
      dialect: "cloudformation",
      failing: `Parameters:
  DbPassword: # BAD
    Type: String
Resources:
  Main:
    Type: AWS::S3::Bucket`,
      passing: `Parameters:
  DbPassword:
    Type: String
    NoEcho: true
Resources:
  Main:
    Type: AWS::S3::Bucket`,
    },
    {
      dialect: "ros",
      failing: `ROSTemplateFormatVersion: '2015-09-01'
Parameters:
  InstancePassword: # BAD
    Type: String
Resources: {}`,
      passing: `ROSTemplateFormatVersion: '2015-09-01'
Parameters:
  InstancePassword:
    Type: String
    NoEcho: true
Resources: {}`,
    },
  ],
};
