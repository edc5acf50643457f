// IAC-AWS-029: eKS control plane writes no logs.

import { mustBePresent } from "./engine/look.ts";
import type { Rule } from "./rule.ts";

export const awsEksNoLogs: Rule = {
  id: "IAC-AWS-029",
  title: "EKS control plane writes no logs",
  why: "Who did what in the cluster cannot be found out afterwards.",
  fix: "Switch the audit and authenticator logs on.",
  severity: "info",
  check: mustBePresent({
    aws_eks_cluster: "enabled_cluster_log_types",
    "AWS::EKS::Cluster": "Logging",
  }),
  examples: [
    {
      dialect: "hcl",
      failing: `resource "aws_eks_cluster" "main" { # BAD
  name = "main"
}`,
      passing: `resource "aws_eks_cluster" "main" {
  name                      = "main"
  enabled_cluster_log_types = ["api", "audit"]
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
      Logging:
        ClusterLogging:
          EnabledTypes: [{Type: audit}]`,
    },
  ],
};
