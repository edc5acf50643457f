// IAC-AWS-031: cache is not encrypted.

import { mustBeTrue } from "./engine/look.ts";
import type { Rule } from "./rule.ts";

export const awsElasticacheUnencrypted: Rule = {
  id: "IAC-AWS-031",
  title: "Cache is not encrypted",
  why: "Cached data can be read from the network or from snapshots.",
  fix: "Switch encryption at rest and in transit on.",
  severity: "warning",
  check: mustBeTrue({
    aws_elasticache_replication_group: ["at_rest_encryption_enabled", "transit_encryption_enabled"],
    "AWS::ElastiCache::ReplicationGroup": ["AtRestEncryptionEnabled", "TransitEncryptionEnabled"],
  }),
  examples: [
    {
      dialect: "hcl",
      failing: `resource "aws_elasticache_replication_group" "main" {
  replication_group_id       = "main"
  at_rest_encryption_enabled = true
  transit_encryption_enabled = false # BAD
}`,
      passing: `resource "aws_elasticache_replication_group" "main" {
  replication_group_id       = "main"
  at_rest_encryption_enabled = true
  transit_encryption_enabled = true
}`,
    },
    {
      dialect: "cloudformation",
      failing: `Resources:
  Main: # BAD
    Type: AWS::ElastiCache::ReplicationGroup
    Properties:
      AtRestEncryptionEnabled: true`,
      passing: `Resources:
  Main:
    Type: AWS::ElastiCache::ReplicationGroup
    Properties:
      AtRestEncryptionEnabled: true
      TransitEncryptionEnabled: true`,
    },
  ],
};
