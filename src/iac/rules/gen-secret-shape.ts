// IAC-GEN-002: well-known kind of secret is written in the code.

import { walk } from "../value.ts";
import { secretShapeIn } from "./engine/secret-words.ts";
import type { Hit, Rule } from "./rule.ts";

export const genSecretShape: Rule = {
  id: "IAC-GEN-002",
  title: "Well-known kind of secret is written in the code",
  why: "Everyone who reads the repository or its history can use it, and it cannot be taken back.",
  fix: "Withdraw the secret, then take the new one from a secret store.",
  severity: "error",
  check: {
    on: "resource",
    types: "every",
    run: ({ whole }) => {
      const hits: Hit[] = [];
      walk(whole, (value) => {
        const text = value.kind === "literal" && typeof value.value === "string" ? value.value : "";
        const shape = secretShapeIn(text);
        if (shape !== undefined) hits.push({ at: value.at, detail: shape });
      });
      return hits;
    },
  },
  examples: [
    {
      dialect: "hcl",
      failing: `locals {
  key_id = "AKIAQ3EGTZ2WLMNOPABC" # BAD
}`,
      passing: `locals {
  key_id = "AKIAIOSFODNN7EXAMPLE"
}`,
    },
    {
      dialect: "cloudformation",
      failing: `Resources:
  Main:
    Type: AWS::SSM::Parameter
    Properties:
      Type: String
      Value: postgres://app:s3cr3tpass@db.internal/app # BAD`,
      passing: `Resources:
  Main:
    Type: AWS::SSM::Parameter
    Properties:
      Type: String
      Value: postgres://db.internal/app`,
    },
    {
      dialect: "ros",
      failing: `ROSTemplateFormatVersion: '2015-09-01'
Resources:
  Main:
    Type: ALIYUN::FC::Function
    Properties:
      EnvironmentVariables:
        Id: LTAI5tQ8Zz9kXy3wVbNm7cRd # BAD`,
      passing: `ROSTemplateFormatVersion: '2015-09-01'
Resources:
  Main:
    Type: ALIYUN::FC::Function
    Properties:
      EnvironmentVariables:
        Id: !Ref KeyId`,
    },
    {
      dialect: "kubernetes",
      failing: `apiVersion: v1
kind: ConfigMap
metadata:
  name: app
data:
  url: redis://app:s3cr3tpass@cache/0 # BAD`,
      passing: `apiVersion: v1
kind: ConfigMap
metadata:
  name: app
data:
  url: redis://cache/0`,
    },
  ],
};
