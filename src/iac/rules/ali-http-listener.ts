// IAC-ALI-010: load balancer listens without TLS.

import { find, textOf, isOpen } from "../value.ts";
import { onTypes } from "./engine/look.ts";
import type { Rule } from "./rule.ts";

const FORWARDS: Readonly<Record<string, string>> = {
  alicloud_slb_listener: "listener_forward",
  alicloud_alb_listener: "default_actions.type",
  "ALIYUN::SLB::Listener": "HttpConfig.ListenerForward",
};

export const aliHttpListener: Rule = {
  id: "IAC-ALI-010",
  title: "Load balancer listens without TLS",
  why: "Cookies, passwords and pages pass the network in clear and can be changed on the way.",
  fix: "Listen with HTTPS, and let the HTTP listener forward to it.",
  severity: "warning",
  check: onTypes(Object.keys(FORWARDS), ({ type, body }) => {
    const forwards = find(body, FORWARDS[type] ?? "").some(
      ({ value }) => isOpen(value) || textOf(value)?.toLowerCase() !== "off",
    );
    if (forwards) return [];
    return ["protocol", "listener_protocol", "Protocol", "ListenerProtocol"]
      .flatMap((path) => find(body, path))
      .filter(({ value }) => textOf(value)?.toLowerCase() === "http")
      .map(({ at }) => ({ at }));
  }),
  examples: [
    {
      dialect: "hcl",
      failing: `resource "alicloud_slb_listener" "main" {
  load_balancer_id = alicloud_slb.web.id
  frontend_port    = 80
  protocol         = "http" # BAD
}`,
      passing: `resource "alicloud_slb_listener" "main" {
  load_balancer_id = alicloud_slb.web.id
  frontend_port    = 80
  protocol         = "http"
  listener_forward = "on"
}`,
    },
    {
      dialect: "ros",
      failing: `ROSTemplateFormatVersion: '2015-09-01'
Resources:
  Main:
    Type: ALIYUN::SLB::Listener
    Properties:
      ListenerPort: 80
      Protocol: http # BAD`,
      passing: `ROSTemplateFormatVersion: '2015-09-01'
Resources:
  Main:
    Type: ALIYUN::SLB::Listener
    Properties:
      ListenerPort: 443
      Protocol: https`,
    },
  ],
};
