// IAC-ALI-012: actionTrail does not record.

import { mustNotHold } from "./engine/look.ts";
import type { Rule } from "./rule.ts";

export const aliActiontrailOff: Rule = {
  id: "IAC-ALI-012",
  title: "ActionTrail does not record",
  why: "What happened in the account cannot be found out afterwards.",
  fix: "Enable the trail, for all events and all regions.",
  severity: "warning",
  check: mustNotHold(
    { alicloud_actiontrail_trail: "status", "ALIYUN::ACTIONTRAIL::Trail": "Status" },
    (status) => status === "Disable",
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
  ],
};
