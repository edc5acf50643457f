// IAC-AWS-020: tLS policy allows outdated versions.

import { mustNotHold } from "./engine/look.ts";
import type { Rule } from "./rule.ts";

const OLD =
  /^(ELBSecurityPolicy-(2015|2016|TLS-1-0|TLS-1-1|FS-2018-06$|FS-1-1|TLS13-1-[01])|SSLv3|TLSv1(_2016|\.1_2016)?$|TLS_1_0|Policy-Min-TLS-1-0)/;

export const awsOldTlsPolicy: Rule = {
  id: "IAC-AWS-020",
  title: "TLS policy allows outdated versions",
  why: "TLS 1.0 and 1.1 have known attacks and are refused by current browsers.",
  fix: "Use a policy for TLS 1.2 or newer, such as ELBSecurityPolicy-TLS13-1-2-2021-06.",
  severity: "warning",
  check: mustNotHold(
    {
      aws_lb_listener: "ssl_policy",
      aws_alb_listener: "ssl_policy",
      "AWS::ElasticLoadBalancingV2::Listener": "SslPolicy",
      aws_cloudfront_distribution: "viewer_certificate.minimum_protocol_version",
      "AWS::CloudFront::Distribution":
        "DistributionConfig.ViewerCertificate.MinimumProtocolVersion",
      aws_api_gateway_domain_name: "security_policy",
      aws_apigatewayv2_domain_name: "domain_name_configuration.security_policy",
      "AWS::ApiGateway::DomainName": "SecurityPolicy",
      aws_elasticsearch_domain: "domain_endpoint_options.tls_security_policy",
      aws_opensearch_domain: "domain_endpoint_options.tls_security_policy",
      "AWS::OpenSearchService::Domain": "DomainEndpointOptions.TLSSecurityPolicy",
    },
    (policy) => OLD.test(policy),
  ),
  examples: [
    {
      dialect: "hcl",
      failing: `resource "aws_lb_listener" "main" {
  port       = 443
  protocol   = "HTTPS"
  ssl_policy = "ELBSecurityPolicy-2016-08" # BAD
}`,
      passing: `resource "aws_lb_listener" "main" {
  port       = 443
  protocol   = "HTTPS"
  ssl_policy = "ELBSecurityPolicy-TLS13-1-2-2021-06"
}`,
    },
    {
      dialect: "cloudformation",
      failing: `Resources:
  Main:
    Type: AWS::CloudFront::Distribution
    Properties:
      DistributionConfig:
        ViewerCertificate:
          MinimumProtocolVersion: TLSv1 # BAD`,
      passing: `Resources:
  Main:
    Type: AWS::CloudFront::Distribution
    Properties:
      DistributionConfig:
        ViewerCertificate:
          MinimumProtocolVersion: TLSv1.2_2021`,
    },
  ],
};
