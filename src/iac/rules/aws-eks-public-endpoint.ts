// IAC-AWS-027: eKS API endpoint is open to the world.

import { find, textOf, boolOf, isOpen } from "../value.ts";
import { onTypes } from "./engine/look.ts";
import { isWorld } from "./engine/network.ts";
import type { Rule } from "./rule.ts";

const PATHS: Readonly<Record<string, readonly [access: string, ranges: string]>> = {
  aws_eks_cluster: ["vpc_config.endpoint_public_access", "vpc_config.public_access_cidrs"],
  "AWS::EKS::Cluster": [
    "ResourcesVpcConfig.EndpointPublicAccess",
    "ResourcesVpcConfig.PublicAccessCidrs",
  ],
};

export const awsEksPublicEndpoint: Rule = {
  id: "IAC-AWS-027",
  title: "EKS API endpoint is open to the world",
  why: "Everyone can try credentials and holes of the API server.",
  fix: "Make the endpoint private, or list the addresses that may reach it.",
  severity: "warning",
  check: onTypes(Object.keys(PATHS), (cluster) => {
    const [access, ranges] = PATHS[cluster.type] ?? ["", ""];
    // Public access is on, and for everyone, unless said otherwise.
    const isOff = find(cluster.body, access).some(
      ({ value }) => isOpen(value) || boolOf(value) === false,
    );
    if (isOff) return [];
    const listed = find(cluster.body, ranges);
    if (listed.length === 0) return [{}];
    return listed.filter(({ value }) => isWorld(textOf(value) ?? "")).map(({ at }) => ({ at }));
  }),
  examples: [
    {
      dialect: "hcl",
      failing: `resource "aws_eks_cluster" "main" {
  name = "main"

  vpc_config {
    subnet_ids          = var.subnets
    public_access_cidrs = ["0.0.0.0/0"] # BAD
  }
}`,
      passing: `resource "aws_eks_cluster" "main" {
  name = "main"

  vpc_config {
    subnet_ids             = var.subnets
    endpoint_public_access = false
  }
}`,
    },
    {
      dialect: "cloudformation",
      failing: `Resources:
  Main: # BAD
    Type: AWS::EKS::Cluster
    Properties:
      ResourcesVpcConfig:
        SubnetIds: !Ref Subnets`,
      passing: `Resources:
  Main:
    Type: AWS::EKS::Cluster
    Properties:
      ResourcesVpcConfig:
        SubnetIds: !Ref Subnets
        EndpointPublicAccess: true
        PublicAccessCidrs: [203.0.113.0/24]`,
    },
  ],
};
