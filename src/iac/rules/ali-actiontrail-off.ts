// IAC-ALI-012: actionTrail does not record.

import { mustNotBeFalse, mustNotHold, allOf } from "./engine/look.ts";
import type { Rule } from "./rule.ts";

export const aliActiontrailOff: Rule = {
  id: "IAC-ALI-012",
  title: "ActionTrail does not record",
  why: "What happened in the account cannot be found out afterwards.",
  fix: "Enable the trail, for all events and all regions.",
  severity: "warning",
  check: allOf(
    mustNotHold({ alicloud_actiontrail_trail: "status" }, (status) => status === "Disable"),
    mustNotBeFalse({ "ALIYUN::ACTIONTRAIL::TrailLogging": "Enable" }),
  ),
  examples: [
    {
      dialect: "hcl",
      failing: `resource "alicloud_actiontrail_trail" "main" {
  trail_name = "main"
  status     = "Disable" # BAD
}`,
      passing: `resource "alicloud_actiontrail_trail" "main" {
  trail_name = "main"
  status     = "Enable"
}`,
    },
    {
      dialect: "ros",
      failing: `ROSTemplateFormatVersion: '2015-09-01'
Resources:
  Main:
    Type: ALIYUN::ACTIONTRAIL::TrailLogging
    Properties:
      Name: main
      Enable: false # BAD`,
      passing: `ROSTemplateFormatVersion: '2015-09-01'
Resources:
  Main:
    Type: ALIYUN::ACTIONTRAIL::TrailLogging
    Properties:
      Name: main
      Enable: true`,
    },
  ],
};
