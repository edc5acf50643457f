// IAC-GEN-008: resource has no tags.

import { find, findWhole } from "../value.ts";
import { onTypes } from "./engine/look.ts";
import type { Rule } from "./rule.ts";

const HCL_TAGGED = [
  "aws_instance",
  "aws_db_instance",
  "aws_rds_cluster",
  "aws_s3_bucket",
  "aws_dynamodb_table",
  "aws_eks_cluster",
  "aws_lb",
  "aws_vpc",
  "aws_lambda_function",
  "aws_ecs_cluster",
  "azurerm_resource_group",
  "azurerm_linux_virtual_machine",
  "azurerm_storage_account",
  "azurerm_kubernetes_cluster",
  "alicloud_instance",
  "alicloud_db_instance",
  "alicloud_oss_bucket",
  "alicloud_vpc",
];
const LABELLED = ["google_compute_instance", "google_storage_bucket", "google_compute_disk"];
const TEMPLATE_TAGGED = [
  "AWS::EC2::Instance",
  "AWS::RDS::DBInstance",
  "AWS::S3::Bucket",
  "AWS::DynamoDB::Table",
  "AWS::EKS::Cluster",
  "AWS::EC2::VPC",
  "ALIYUN::ECS::Instance",
  "ALIYUN::RDS::DBInstance",
  "ALIYUN::ECS::VPC",
];
/** Type → the argument that holds its tags. */
const TAGS: Readonly<Record<string, string>> = Object.fromEntries([
  ...HCL_TAGGED.map((type) => [type, "tags"]),
  ...LABELLED.map((type) => [type, "labels"]),
  ...TEMPLATE_TAGGED.map((type) => [type, "Tags"]),
]);

export const genNoTags: Rule = {
  id: "IAC-GEN-008",
  title: "Resource has no tags",
  why: "Nobody can tell whose it is, what it costs whom, or whether it may be deleted.",
  fix: "Add tags, at best by default_tags of the provider.",
  severity: "info",
  check: onTypes(Object.keys(TAGS), ({ type, body }, module) => {
    const path = TAGS[type] ?? "";
    const hasDefaults = (module.byType.get("provider") ?? []).some(
      ({ body: provider }) =>
        find(provider, "default_tags").length > 0 || find(provider, "default_labels").length > 0,
    );
    return hasDefaults || findWhole(body, path).length > 0 ? [] : [{}];
  }),
  examples: [
    {
      dialect: "hcl",
      failing: `resource "aws_instance" "main" { # BAD
  ami = var.ami
}`,
      passing: `resource "aws_instance" "main" {
  ami  = var.ami
  tags = local.tags
}`,
    },
    {
      dialect: "hcl",
      failing: `resource "aws_s3_bucket" "main" { # BAD
  bucket = "data"
}`,
      passing: `provider "aws" {
  default_tags {
    tags = {
      team = "data"
    }
  }
}

resource "aws_s3_bucket" "main" {
  bucket = "data"
}`,
    },
    {
      dialect: "cloudformation",
      failing: `Resources:
  Main: # BAD
    Type: AWS::EC2::Instance
    Properties:
      ImageId: !Ref Image`,
      passing: `Resources:
  Main:
    Type: AWS::EC2::Instance
    Properties:
      ImageId: !Ref Image
      Tags: [{Key: team, Value: web}]`,
    },
    {
      dialect: "ros",
      failing: `ROSTemplateFormatVersion: '2015-09-01'
Resources:
  Main: # BAD
    Type: ALIYUN::ECS::Instance
    Properties:
      ImageId: centos_7`,
      passing: `ROSTemplateFormatVersion: '2015-09-01'
Resources:
  Main:
    Type: ALIYUN::ECS::Instance
    Properties:
      ImageId: centos_7
      Tags: [{Key: team, Value: web}]`,
    },
  ],
};
