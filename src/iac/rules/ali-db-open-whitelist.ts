// IAC-ALI-005: database lets every address in.

import { mustNotHold } from "./engine/look.ts";
import { isWorld } from "./engine/network.ts";
import type { Rule } from "./rule.ts";

export const aliDbOpenWhitelist: Rule = {
  id: "IAC-ALI-005",
  title: "Database lets every address in",
  why: "Only the password stands between the internet and the data.",
  fix: "List the addresses of the clients, or those of the VPC.",
  severity: "error",
  check: mustNotHold(
    {
      alicloud_db_instance: "security_ips",
      alicloud_kvstore_instance: "security_ips",
      alicloud_mongodb_instance: "security_ip_list",
      alicloud_polardb_cluster: "security_ips",
      "ALIYUN::RDS::DBInstance": "SecurityIPList",
      "ALIYUN::MONGODB::Instance": "SecurityIPArray",
      "ALIYUN::REDIS::Instance": "SecurityIPList",
      "ALIYUN::POLARDB::DBCluster": "SecurityIPList",
    },
    (addresses) => addresses.split(",").some(isWorld),
  ),
  examples: [
    {
      dialect: "hcl",
      failing: `resource "alicloud_db_instance" "main" {
  engine       = "MySQL"
  security_ips = ["10.0.0.0/8", "0.0.0.0/0"] # BAD
}`,
      passing: `resource "alicloud_db_instance" "main" {
  engine       = "MySQL"
  security_ips = ["10.0.0.0/8"]
}`,
    },
    {
      dialect: "ros",
      failing: `ROSTemplateFormatVersion: '2015-09-01'
Resources:
  Main:
    Type: ALIYUN::RDS::DBInstance
    Properties:
      Engine: MySQL
      SecurityIPList: 10.0.0.1,0.0.0.0/0 # BAD`,
      passing: `ROSTemplateFormatVersion: '2015-09-01'
Resources:
  Main:
    Type: ALIYUN::RDS::DBInstance
    Properties:
      Engine: MySQL
      SecurityIPList: 10.0.0.0/8`,
    },
  ],
};
