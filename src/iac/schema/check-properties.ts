// Properties of CloudFormation and ROS resources, and fields of Kubernetes manifests, that their schema does not have.
// Names only; types that the index does not know are left alone unless they look like a slip of one that it knows.

import type { Finding } from "../findings.ts";
import { manifestsOf } from "../k8s/manifest.ts";
import type { TemplateFile } from "../rules/engine/source.ts";
import { didYouMean } from "../nearest.ts";
import { entriesOf, member, textOf, type MapEntry, type Value } from "../value.ts";
import { findingAt } from "../validate/report.ts";
import type { SchemaBlock, SchemaIndex } from "./schema-index.ts";

/** The index that speaks for each dialect. */
export const SOURCE_OF = {
  cloudformation: "cloudformation",
  ros: "ros",
  kubernetes: "kubernetes-api",
} as const satisfies Record<TemplateFile["dialect"], string>;
/** By dialect; what is absent is not checked. */
export type TemplateSchemas = Partial<Record<TemplateFile["dialect"], SchemaIndex>>;

const MAX_DEPTH = 64;

type Scope = {
  readonly file: string;
  /** `AWS::S3::Bucket (cfn-lint 1.51.0, bundled index)`. */
  readonly where: string;
  readonly index: SchemaIndex;
  readonly found: Finding[];
};

export function checkProperties(
  { dialect, file, roots }: TemplateFile,
  schemas: TemplateSchemas,
): Finding[] {
  const index = schemas[dialect];
  const found: Finding[] = [];
  if (index === undefined) return found;
  for (const root of roots) {
    if (dialect === "kubernetes") checkManifests(root, file, index, found);
    else checkResources(root, file, index, found);
  }
  return found;
}

function checkResources(root: Value, file: string, index: SchemaIndex, found: Finding[]): void {
  for (const { value } of entriesOf(member(root, "Resources"))) {
    const typeAt = member(value, "Type");
    const type = textOf(typeAt);
    if (type === undefined || typeAt === undefined) continue;
    const schema = index.typeOf(type);
    if (schema === undefined) {
      const near = didYouMean(type, similarTypes(index, type));
      if (near === "") continue;
      const message = `there is no type ${type} in ${index.version}, bundled index.${near}`;
      found.push(findingAt(file, typeAt.at, "warning", "IAC-SCHEMA", message));
      continue;
    }
    const scope = { file, where: `${type} (${index.version}, bundled index)`, index, found };
    checkValue(member(value, "Properties"), schema, scope, 0);
  }
}

/** Types of the same service. */
function similarTypes({ typeNames }: SchemaIndex, type: string): string[] {
  const service = type.slice(0, type.lastIndexOf("::"));
  return typeNames.filter((name) => name.startsWith(`${service}::`));
}

function checkManifests(root: Value, file: string, index: SchemaIndex, found: Finding[]): void {
  for (const { value, apiVersion, kind } of manifestsOf(root)) {
    const type = `${apiVersion ?? ""}/${kind ?? ""}`;
    const schema = index.typeOf(type);
    const where = `${type} (Kubernetes ${index.version}, bundled index)`;
    if (schema !== undefined) checkValue(value, schema, { file, where, index, found }, 0);
  }
}

function checkValue(
  value: Value | undefined,
  schema: SchemaBlock,
  scope: Scope,
  depth: number,
): void {
  if (value === undefined || depth > MAX_DEPTH) return;
  if (value.kind === "list")
    for (const item of value.items) checkValue(item, schema, scope, depth + 1);
  else if (value.kind === "call" && value.name === "Fn::If" && value.argument.kind === "list") {
    // The condition's name, then what holds when it is met and when not.
    for (const branch of value.argument.items.slice(1))
      checkValue(branch, schema, scope, depth + 1);
  } else if (value.kind === "map")
    for (const entry of value.entries) checkEntry(entry, schema, scope, depth);
}

function checkEntry(
  { key, keyAt, value }: MapEntry,
  schema: SchemaBlock,
  scope: Scope,
  depth: number,
): void {
  // What a function or a merge key puts here is not known.
  if (key.startsWith("Fn::") || key === "Ref" || key === "<<") return;
  const field = schema.get(key);
  const { file, where, index, found } = scope;
  if (field === undefined) {
    const message = `unknown property "${key}" of ${where}.${didYouMean(key, schema.keys())}`;
    found.push(findingAt(file, keyAt, "warning", "IAC-SCHEMA", message));
  } else if (field.inside !== undefined)
    checkValue(value, index.blockAt(field.inside), scope, depth + 1);
}
