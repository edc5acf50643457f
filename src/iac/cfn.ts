// CloudFormation and SAM templates: how to recognise one, and what sets the dialect apart.
// The checks shared with ROS live in template/.

import { entriesOf, member, textOf } from "./value.ts";
import type { MapEntry, Value } from "./value.ts";
import type { TemplateDialect } from "./template/dialect.ts";

/** Logical ids that the SAM transform makes without a resource of that name as prefix. */
const SAM_IMPLICIT = /^Serverless(RestApi|HttpApi|DeploymentApplication|CodeDeployRole)/;

/** What SAM puts behind a logical id; the names of a function's events come first in some. */
const SAM_SUFFIX =
  /^(\.|Version|Alias|Deployment|Url|\w*(Role|Stage|Permissions?|Rule|Queue|Subscription|Config|ApiKey|UsagePlan|UsagePlanKey|Authorizer|DomainName|RecordSetGroup|BasePathMapping)$)/;

export const cloudFormation: TemplateDialect = {
  code: "CFN",
  title: "CloudFormation",
  // https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/template-anatomy.html and SAM's Globals.
  sections: new Set([
    "AWSTemplateFormatVersion",
    "Description",
    "Metadata",
    "Parameters",
    "Rules",
    "Mappings",
    "Conditions",
    "Transform",
    "Globals",
    "Resources",
    "Outputs",
    "Hooks",
    // What `aws cloudformation package` resolves before a deploy.
    "Modules",
    "Packages",
    "Constants",
  ]),
  pseudoParameters: new Set(
    [
      "AccountId",
      "NotificationARNs",
      "NoValue",
      "Partition",
      "Region",
      "StackId",
      "StackName",
      "URLSuffix",
    ].map((name) => `AWS::${name}`),
  ),
  namesConditionsPlainly: false,
  isGenerated: (name, resources) => isMadeBySam(name, resources) || isOfModule(name, resources),
};

/** True for a template by its version line, its transform or the types of its resources. */
export function isCloudFormation(root: Value): boolean {
  if (member(root, "AWSTemplateFormatVersion") !== undefined) return true;
  const transform = textOf(member(root, "Transform"));
  if (transform?.startsWith("AWS::") === true) return true;
  return entriesOf(member(root, "Resources")).some(({ value }) =>
    /^(AWS|Custom|Alexa)::/.test(textOf(member(value, "Type")) ?? ""),
  );
}

/** SAM names what it makes after its source: `HandlerRole`, `Handler.Version`, `ApiprodStage`, `HandlerPostPermission`. */
function isMadeBySam(name: string, resources: readonly MapEntry[]): boolean {
  const sources = resources.filter(({ value }) =>
    textOf(member(value, "Type"))?.startsWith("AWS::Serverless::"),
  );
  if (sources.length === 0) return false;
  if (SAM_IMPLICIT.test(name)) return true;
  return sources.some(({ key, value }) => {
    if (!name.startsWith(key)) return false;
    const suffix = name.slice(key.length);
    const events = entriesOf(member(member(value, "Properties"), "Events"));
    return SAM_SUFFIX.test(suffix) || events.some((event) => suffix.startsWith(event.key));
  });
}

/** The resources of a registry module are named after it: `Network.Vpc` or `NetworkVpc`. */
function isOfModule(name: string, resources: readonly MapEntry[]): boolean {
  return resources.some(
    ({ key, value }) =>
      name.startsWith(key) && textOf(member(value, "Type"))?.endsWith("::MODULE") === true,
  );
}
