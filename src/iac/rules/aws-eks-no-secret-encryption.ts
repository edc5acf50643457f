// IAC-AWS-028: eKS secrets are not encrypted with a key of yours.

import { mustBePresent } from "./engine/look.ts";
import type { Rule } from "./rule.ts";

export const awsEksNoSecretEncryption: Rule = {
  id: "IAC-AWS-028",
  title: "EKS secrets are not encrypted with a key of yours",
  why: "Who reads the cluster's storage or its backups reads the secrets.",
  fix: "Add an encryption configuration for secrets.",
  severity: "warning",
  check: mustBePresent({
    aws_eks_cluster: "encryption_config",
    "AWS::EKS::Cluster": "EncryptionConfig",
  }),
  examples: [
    {
      dialect: "hcl",
      failing: `resource "aws_eks_cluster" "main" { # BAD
  name = "main"
}`,
      passing: `resource "aws_eks_cluster" "main" {
  name = "main"

  encryption_config {
    resources = ["secrets"]

    provider {
      key_arn = aws_kms_key.eks.arn
    }
  }
}`,
    },
    {
      dialect: "cloudformation",
      failing: `Resources:
  Main: # BAD
    Type: AWS::EKS::Cluster
    Properties:
      Name: main`,
      passing: `Resources:
  Main:
    Type: AWS::EKS::Cluster
    Properties:
      Name: main
      EncryptionConfig:
        - Resources: [secrets]`,
    },
  ],
};
