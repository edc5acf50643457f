// What the rules are run over: parsed files, and the resources found in them, alike for every dialect.

import type { HclFile, Span } from "../../hcl/tree.ts";
import type { Value } from "../../value.ts";

export type RuleDialect = "hcl" | "cloudformation" | "ros" | "kubernetes";

export type HclSource = {
  readonly dialect: "hcl";
  /** Relative to the project's root, with forward slashes. */
  readonly file: string;
  readonly text: string;
  readonly hcl: HclFile;
};
export type TemplateFile = {
  readonly dialect: "cloudformation" | "ros" | "kubernetes";
  readonly file: string;
  readonly text: string;
  /** The documents that parse and belong to the dialect. */
  readonly roots: readonly Value[];
};
export type RuleSource = HclSource | TemplateFile;

export type Resource = {
  readonly source: RuleSource;
  /**
   * `aws_s3_bucket`, `data.aws_iam_policy_document`, `provider`, `terraform`, `module`, `variable`, `locals`, `tfvars`;
   * `AWS::S3::Bucket`, `ALIYUN::OSS::Bucket`, `parameter`; `Deployment`.
   */
  readonly type: string;
  readonly name: string;
  /** As people name it: `aws_s3_bucket.logs`, `Logs`, `Deployment/web`. */
  readonly address: string;
  /** Where a finding about the resource as a whole points. */
  readonly at: Span;
  /** The arguments: a block's body, `Properties`, the whole manifest. */
  readonly body: Value;
  /** The whole declaration: for CloudFormation and ROS with `DeletionPolicy` and the like. */
  readonly whole: Value;
};

/** What is deployed together: the HCL files of a directory, the manifests of one, or a single template. */
export type Module = {
  readonly directory: string;
  readonly dialect: RuleDialect;
  readonly sources: readonly RuleSource[];
  readonly resources: readonly Resource[];
  readonly byType: ReadonlyMap<string, readonly Resource[]>;
};
