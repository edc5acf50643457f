// A template cut into its sections: what is declared, under which name, and where.

import type { Span } from "../hcl/tree.ts";
import { entriesOf, member, textOf, walk } from "../value.ts";
import type { MapEntry, Value } from "../value.ts";

export type Template = {
  readonly root: Value;
  readonly parameters: readonly MapEntry[];
  readonly mappings: readonly MapEntry[];
  readonly conditions: readonly MapEntry[];
  readonly resources: readonly MapEntry[];
  readonly outputs: readonly MapEntry[];
  /** ROS: named values, referred to like parameters. */
  readonly locals: readonly MapEntry[];
  /** Logical id → type, for resources whose type is literal. */
  readonly types: ReadonlyMap<string, string>;
  readonly transforms: readonly string[];
  /** True when names may come from a macro, an include or a loop that only the service expands. */
  readonly hasUnseenNames: boolean;
};

export function templateOf(root: Value): Template {
  const section = (key: string) => entriesOf(member(root, key));
  const resources = section("Resources");
  const types = new Map<string, string>();
  for (const { key, value } of resources) {
    const type = textOf(member(value, "Type"));
    if (type !== undefined) types.set(key, type);
  }
  const transforms = transformsOf(member(root, "Transform"));
  return {
    root,
    parameters: section("Parameters"),
    mappings: section("Mappings"),
    conditions: section("Conditions"),
    resources,
    outputs: section("Outputs"),
    locals: section("Locals"),
    types,
    transforms,
    hasUnseenNames: transforms.some((name) => !isPlainTransform(name)) || hasExpansion(root),
  };
}

/** Where a section's key stands; the start of the template when it is absent. */
export function sectionAt(template: Template, key: string): Span {
  return entriesOf(template.root).find((entry) => entry.key === key)?.keyAt ?? template.root.at;
}

function transformsOf(value: Value | undefined): readonly string[] {
  if (value === undefined) return [];
  if (value.kind === "list") return value.items.flatMap(transformsOf);
  return [textOf(value) ?? textOf(member(value, "Name")) ?? "unknown"];
}

/** Transforms that add no names, or only names that the dialect can tell. */
function isPlainTransform(name: string): boolean {
  return /^(AWS::Serverless|AWS::LanguageExtensions|AWS::SecretsManager|AWS::CodeDeployBlueGreen)/.test(
    name,
  );
}

function hasExpansion(root: Value): boolean {
  // A ROS template of Terraform code uses its parameters in there.
  if (member(root, "Workspace") !== undefined) return true;
  // Local modules are put in by the AWS CLI before the template is deployed.
  if (member(root, "Modules") !== undefined) return true;
  let isExpanded = false;
  walk(root, (value) => {
    if (value.kind === "call") isExpanded ||= value.name === "Fn::Transform";
    if (value.kind === "map")
      isExpanded ||= value.entries.some(({ key }) => /^Fn::(ForEach|Transform)/.test(key));
  });
  return isExpanded;
}
