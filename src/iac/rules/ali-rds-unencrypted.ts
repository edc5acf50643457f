// IAC-ALI-006: database storage is not encrypted.

import { find } from "../value.ts";
import { onTypes } from "./engine/look.ts";
import type { Rule } from "./rule.ts";

const KEYS: Readonly<Record<string, readonly string[]>> = {
  alicloud_db_instance: ["encryption_key", "tde_status"],
  "ALIYUN::RDS::DBInstance": ["EncryptionKey"],
};

export const aliRdsUnencrypted: Rule = {
  id: "IAC-ALI-006",
  title: "Database storage is not encrypted",
  why: "Disks and backups of the database can be read by whoever gets hold of them.",
  fix: "Name a KMS key as the encryption key, or switch TDE on.",
  severity: "warning",
  check: onTypes(Object.keys(KEYS), ({ type, body }) => {
    const paths = KEYS[type] ?? [];
    return paths.some((path) => find(body, path).length > 0) ? [] : [{}];
  }),
  examples: [
    {
      dialect: "hcl",
      failing: `resource "alicloud_db_instance" "main" { # BAD
  engine = "MySQL"
}`,
      passing: `resource "alicloud_db_instance" "main" {
  engine         = "MySQL"
  encryption_key = alicloud_kms_key.db.id
}`,
    },
    {
      dialect: "ros",
      failing: `ROSTemplateFormatVersion: '2015-09-01'
Resources:
  Main: # BAD
    Type: ALIYUN::RDS::DBInstance
    Properties:
      Engine: MySQL`,
      passing: `ROSTemplateFormatVersion: '2015-09-01'
Resources:
  Main:
    Type: ALIYUN::RDS::DBInstance
    Properties:
      Engine: MySQL
      EncryptionKey: !Ref Key`,
    },
  ],
};
