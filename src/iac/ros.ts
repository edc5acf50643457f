// Alibaba Cloud ROS templates: how to recognise one, and what sets the dialect apart.
// The checks shared with CloudFormation live in template/.

import { entriesOf, member, textOf } from "./value.ts";
import type { Value } from "./value.ts";
import type { TemplateDialect } from "./template/dialect.ts";

export const ros: TemplateDialect = {
  code: "ROS",
  title: "ROS",
  sections: new Set([
    "ROSTemplateFormatVersion",
    "Description",
    "Metadata",
    "Parameters",
    "Mappings",
    "Conditions",
    "Locals",
    "Rules",
    "Transform",
    "Workspace",
    "Resources",
    "Outputs",
  ]),
  pseudoParameters: new Set(
    [
      "StackName",
      "StackId",
      "TenantId",
      "Region",
      "AccountId",
      "NoValue",
      "Index",
      "ResourceGroupId",
    ].map((name) => `ALIYUN::${name}`),
  ),
  namesConditionsPlainly: true,
  isGenerated: () => false,
};

/** True for a template by its version line or the types of its resources. */
export function isRos(root: Value): boolean {
  if (member(root, "ROSTemplateFormatVersion") !== undefined) return true;
  return entriesOf(member(root, "Resources")).some(({ value }) =>
    /^(ALIYUN|DATASOURCE|MODULE::ALIYUN)::/.test(textOf(member(value, "Type")) ?? ""),
  );
}
