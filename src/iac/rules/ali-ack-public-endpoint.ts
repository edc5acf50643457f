// IAC-ALI-014: aCK API server has a public address.

import { mustNotBeTrue } from "./engine/look.ts";
import type { Rule } from "./rule.ts";

export const aliAckPublicEndpoint: Rule = {
  id: "IAC-ALI-014",
  title: "ACK API server has a public address",
  why: "Everyone can try credentials and holes of the API server.",
  fix: "Switch the public endpoint off and reach it from inside the VPC.",
  severity: "warning",
  check: mustNotBeTrue({
    alicloud_cs_managed_kubernetes: "slb_internet_enabled",
    alicloud_cs_kubernetes: "slb_internet_enabled",
    "ALIYUN::CS::ManagedKubernetesCluster": "EndpointPublicAccess",
  }),
  examples: [
    {
      dialect: "hcl",
      failing: `resource "alicloud_cs_managed_kubernetes" "main" {
  name                 = "main"
  slb_internet_enabled = true # BAD
}`,
      passing: `resource "alicloud_cs_managed_kubernetes" "main" {
  name                 = "main"
  slb_internet_enabled = false
}`,
    },
    {
      dialect: "ros",
      failing: `ROSTemplateFormatVersion: '2015-09-01'
Resources:
  Main:
    Type: ALIYUN::CS::ManagedKubernetesCluster
    Properties:
      Name: main
      EndpointPublicAccess: true # BAD`,
      passing: `ROSTemplateFormatVersion: '2015-09-01'
Resources:
  Main:
    Type: ALIYUN::CS::ManagedKubernetesCluster
    Properties:
      Name: main
      EndpointPublicAccess: false`,
    },
  ],
};
