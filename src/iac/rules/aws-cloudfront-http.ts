// IAC-AWS-021: cloudFront serves viewers without TLS.

import { mustNotHold } from "./engine/look.ts";
import type { Rule } from "./rule.ts";

export const awsCloudfrontHttp: Rule = {
  id: "IAC-AWS-021",
  title: "CloudFront serves viewers without TLS",
  why: "Pages and cookies pass the network in clear.",
  fix: "Set the viewer protocol policy to redirect-to-https.",
  severity: "warning",
  check: mustNotHold(
    {
      aws_cloudfront_distribution: [
        "default_cache_behavior.viewer_protocol_policy",
        "ordered_cache_behavior.viewer_protocol_policy",
      ],
      "AWS::CloudFront::Distribution": [
        "DistributionConfig.DefaultCacheBehavior.ViewerProtocolPolicy",
        "DistributionConfig.CacheBehaviors.ViewerProtocolPolicy",
      ],
    },
    (policy) => policy === "allow-all",
  ),
  examples: [
    {
      dialect: "hcl",
      failing: `resource "aws_cloudfront_distribution" "main" {
  default_cache_behavior {
    viewer_protocol_policy = "allow-all" # BAD
  }
}`,
      passing: `resource "aws_cloudfront_distribution" "main" {
  default_cache_behavior {
    viewer_protocol_policy = "redirect-to-https"
  }
}`,
    },
    {
      dialect: "cloudformation",
      failing: `Resources:
  Main:
    Type: AWS::CloudFront::Distribution
    Properties:
      DistributionConfig:
        DefaultCacheBehavior:
          ViewerProtocolPolicy: allow-all # BAD`,
      passing: `Resources:
  Main:
    Type: AWS::CloudFront::Distribution
    Properties:
      DistributionConfig:
        DefaultCacheBehavior:
          ViewerProtocolPolicy: https-only`,
    },
  ],
};
