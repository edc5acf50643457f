// IAC-AWS-032: search domain is not encrypted.

import { mustBeTrue } from "./engine/look.ts";
import type { Rule } from "./rule.ts";

const HCL_PATHS = [
  "encrypt_at_rest.enabled",
  "node_to_node_encryption.enabled",
  "domain_endpoint_options.enforce_https",
];
const TEMPLATE_PATHS = [
  "EncryptionAtRestOptions.Enabled",
  "NodeToNodeEncryptionOptions.Enabled",
  "DomainEndpointOptions.EnforceHTTPS",
];

export const awsSearchUnencrypted: Rule = {
  id: "IAC-AWS-032",
  title: "Search domain is not encrypted",
  why: "The index can be read from disks or between the nodes.",
  fix: "Switch encryption at rest and node-to-node encryption on, and enforce HTTPS.",
  severity: "warning",
  check: mustBeTrue({
    aws_opensearch_domain: HCL_PATHS,
    aws_elasticsearch_domain: HCL_PATHS,
    "AWS::OpenSearchService::Domain": TEMPLATE_PATHS,
    "AWS::Elasticsearch::Domain": TEMPLATE_PATHS,
  }),
  examples: [
    {
      dialect: "hcl",
      failing: `resource "aws_opensearch_domain" "main" {
  domain_name = "logs"

  encrypt_at_rest {
    enabled = false # BAD
  }

  node_to_node_encryption {
    enabled = true
  }

  domain_endpoint_options {
    enforce_https = true
  }
}`,
      passing: `resource "aws_opensearch_domain" "main" {
  domain_name = "logs"

  encrypt_at_rest {
    enabled = true
  }

  node_to_node_encryption {
    enabled = true
  }

  domain_endpoint_options {
    enforce_https = true
  }
}`,
    },
    {
      dialect: "cloudformation",
      failing: `Resources:
  Main: # BAD
    Type: AWS::OpenSearchService::Domain
    Properties:
      DomainName: logs`,
      passing: `Resources:
  Main:
    Type: AWS::OpenSearchService::Domain
    Properties:
      EncryptionAtRestOptions: {Enabled: true}
      NodeToNodeEncryptionOptions: {Enabled: true}
      DomainEndpointOptions: {EnforceHTTPS: true}`,
    },
  ],
};
