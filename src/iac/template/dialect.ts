// What CloudFormation and ROS templates differ in, as data; the checks are shared.

export type TemplateDialect = {
  /** First part of the finding codes. */
  readonly code: "CFN" | "ROS";
  /** The product's name in messages. */
  readonly title: string;
  readonly sections: ReadonlySet<string>;
  /** Names that `Ref` and `Sub` know without a declaration. */
  readonly pseudoParameters: ReadonlySet<string>;
  /** In `Conditions`, a plain string inside `Fn::And`, `Fn::Or`, `Fn::Not` names a condition. */
  readonly namesConditionsPlainly: boolean;
  /** True when a resource, declared under this name, makes further resources with names of its own. */
  readonly isGenerated: (name: string, resourceTypes: ReadonlyMap<string, string>) => boolean;
};
