// IAC-AWS-019: load balancer listens without TLS.

import { find, textOf, isOpen } from "../value.ts";
import { literalsAt, onTypes } from "./engine/look.ts";
import type { Resource } from "./engine/source.ts";
import type { Rule } from "./rule.ts";

/** A redirect, and what only a run can tell, is no reason to complain. */
function isRedirect(listener: Resource): boolean {
  const types = ["default_action.type", "DefaultActions.Type"].flatMap((path) =>
    find(listener.body, path),
  );
  return types.some(({ value }) => isOpen(value) || textOf(value) === "redirect");
}

export const awsHttpListener: Rule = {
  id: "IAC-AWS-019",
  title: "Load balancer listens without TLS",
  why: "Cookies, passwords and pages pass the network in clear and can be changed on the way.",
  fix: "Listen with HTTPS, and let the HTTP listener redirect to it.",
  severity: "warning",
  check: onTypes(
    ["aws_lb_listener", "aws_alb_listener", "AWS::ElasticLoadBalancingV2::Listener"],
    (listener) =>
      ["protocol", "Protocol"]
        .flatMap((path) => literalsAt(listener, path))
        .filter(({ text }) => text === "HTTP" && !isRedirect(listener))
        .map(({ found }) => ({ at: found.at })),
  ),
  examples: [
    {
      dialect: "hcl",
      failing: `resource "aws_lb_listener" "main" {
  load_balancer_arn = aws_lb.web.arn
  port              = 80
  protocol          = "HTTP" # BAD

  default_action {
    type             = "forward"
    target_group_arn = aws_lb_target_group.web.arn
  }
}`,
      passing: `resource "aws_lb_listener" "main" {
  load_balancer_arn = aws_lb.web.arn
  port              = 80
  protocol          = "HTTP"

  default_action {
    type = "redirect"

    redirect {
      port        = "443"
      protocol    = "HTTPS"
      status_code = "HTTP_301"
    }
  }
}`,
    },
    {
      dialect: "cloudformation",
      failing: `Resources:
  Main:
    Type: AWS::ElasticLoadBalancingV2::Listener
    Properties:
      Port: 80
      Protocol: HTTP # BAD
      DefaultActions:
        - Type: forward`,
      passing: `Resources:
  Main:
    Type: AWS::ElasticLoadBalancingV2::Listener
    Properties:
      Port: 443
      Protocol: HTTPS
      DefaultActions:
        - Type: forward`,
    },
  ],
};
