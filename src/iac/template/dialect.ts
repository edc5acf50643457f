// What CloudFormation and ROS templates differ in, as data; the checks are shared.

import type { MapEntry } from "../value.ts";

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
  /** True for a name that the service derives from one of the declared resources. */
  readonly isGenerated: (name: string, resources: readonly MapEntry[]) => boolean;
};
