// IAM and RAM policy documents wherever they stand: maps, jsonencode, heredocs, quoted JSON,
// aws_iam_policy_document data sources. All become statements with places.

import type { Span } from "../../hcl/tree.ts";
import { find, findWhole, member, textOf } from "../../value.ts";
import type { Found, Value } from "../../value.ts";
import { parseYaml } from "../../yaml-tree.ts";
import type { Resource } from "./source.ts";

export type Statement = {
  readonly at: Span;
  readonly isAllow: boolean;
  readonly actions: readonly Found[];
  readonly resources: readonly Found[];
  readonly principals: readonly Found[];
  readonly hasCondition: boolean;
};

/** Stands for an interpolation inside a policy text; no pattern of a rule holds it. */
const OPEN_MARK = "\uE000";
const TRUST = "trust";

/** Type → where its policies are, as `kind path`: what it may do, who may assume it, who may use it. */
const IDENTITY: Readonly<Record<string, readonly string[]>> = {
  aws_iam_policy: ["policy"],
  aws_iam_role_policy: ["policy"],
  aws_iam_user_policy: ["policy"],
  aws_iam_group_policy: ["policy"],
  aws_iam_role: ["inline_policy.policy"],
  "AWS::IAM::Policy": ["PolicyDocument"],
  "AWS::IAM::RolePolicy": ["PolicyDocument"],
  "AWS::IAM::UserPolicy": ["PolicyDocument"],
  "AWS::IAM::GroupPolicy": ["PolicyDocument"],
  "AWS::IAM::ManagedPolicy": ["PolicyDocument"],
  "AWS::IAM::Role": ["Policies.PolicyDocument"],
  "AWS::IAM::User": ["Policies.PolicyDocument"],
  "AWS::IAM::Group": ["Policies.PolicyDocument"],
  "AWS::Serverless::Function": ["Policies"],
  alicloud_ram_policy: ["policy_document", "document"],
  "ALIYUN::RAM::ManagedPolicy": ["PolicyDocument"],
  "ALIYUN::RAM::Role": ["Policies.PolicyDocument"],
  "ALIYUN::RAM::User": ["Policies.PolicyDocument"],
};
const TRUSTS: Readonly<Record<string, readonly string[]>> = {
  aws_iam_role: ["assume_role_policy"],
  "AWS::IAM::Role": ["AssumeRolePolicyDocument"],
  alicloud_ram_role: ["document", "assume_role_policy_document"],
  "ALIYUN::RAM::Role": ["AssumeRolePolicyDocument"],
};
const ON_RESOURCES: Readonly<Record<string, readonly string[]>> = {
  aws_s3_bucket_policy: ["policy"],
  aws_s3_bucket: ["policy"],
  aws_sns_topic_policy: ["policy"],
  aws_sns_topic: ["policy"],
  aws_sqs_queue_policy: ["policy"],
  aws_sqs_queue: ["policy"],
  aws_ecr_repository_policy: ["policy"],
  aws_secretsmanager_secret_policy: ["policy"],
  aws_kms_key: ["policy"],
  aws_kms_key_policy: ["policy"],
  "AWS::S3::BucketPolicy": ["PolicyDocument"],
  "AWS::SNS::TopicPolicy": ["PolicyDocument"],
  "AWS::SQS::QueuePolicy": ["PolicyDocument"],
  "AWS::ECR::Repository": ["RepositoryPolicyText"],
  "AWS::SecretsManager::ResourcePolicy": ["ResourcePolicy"],
  "AWS::KMS::Key": ["KeyPolicy"],
  alicloud_oss_bucket_policy: ["policy"],
  alicloud_oss_bucket: ["policy"],
  "ALIYUN::OSS::Bucket": ["Policy"],
};
const TABLES = { identity: IDENTITY, [TRUST]: TRUSTS, resource: ON_RESOURCES } as const;
export type PolicyKind = keyof typeof TABLES;

const DATA_SOURCE = "data.aws_iam_policy_document";

/** The resource types of a cloud that carry policies of a kind; AWS's data source can be of any kind. */
export function policyTypes(kind: PolicyKind, cloud: "aws" | "alibaba"): readonly string[] {
  const types = Object.keys(TABLES[kind]);
  if (cloud === "alibaba") return types.filter(isOfAlibaba);
  return [...types.filter((type) => !isOfAlibaba(type)), DATA_SOURCE];
}

function isOfAlibaba(type: string): boolean {
  return /^(alicloud_|ALIYUN::)/.test(type);
}

/** The statements of all policies of that kind in a resource. */
export function statementsOf(resource: Resource, kind: PolicyKind): readonly Statement[] {
  if (resource.type === DATA_SOURCE) return find(resource.body, "statement").map(fromBlock);
  const paths = TABLES[kind][resource.type] ?? [];
  return paths
    .flatMap((path) => findWhole(resource.body, path))
    .flatMap(({ value }) => documentsIn(value, resource.source.text))
    .flatMap((document) => find(document, "Statement"))
    .map(fromMap);
}

/** True for `*` and for what means the same. */
export function isStar(found: Found): boolean {
  return /^\*(:\*)?$/.test(textOf(found.value) ?? "");
}

function fromBlock({ value, at }: Found): Statement {
  const effect = member(value, "effect");
  return {
    at,
    isAllow: effect === undefined || textOf(effect) === "Allow",
    actions: find(value, "actions"),
    resources: find(value, "resources"),
    principals: find(value, "principals.identifiers"),
    hasCondition: member(value, "condition") !== undefined,
  };
}

function fromMap({ value, at }: Found): Statement {
  const principals = find(value, "Principal").flatMap((found) =>
    found.value.kind === "map"
      ? found.value.entries.flatMap(({ key }) => find(found.value, key))
      : [found],
  );
  return {
    at,
    isAllow: textOf(member(value, "Effect")) === "Allow",
    actions: find(value, "Action"),
    resources: find(value, "Resource"),
    principals,
    hasCondition: member(value, "Condition") !== undefined,
  };
}

/** The documents a policy argument holds: itself, a list of them, or JSON text. */
function documentsIn(value: Value, text: string): readonly Value[] {
  if (value.kind === "list") return value.items.flatMap((item) => documentsIn(item, text));
  if (value.kind === "map") return [value];
  const source = text.slice(value.at.start, value.at.end);
  const open = withoutInterpolation(source);
  if (open.startsWith("<<")) return fromHeredoc(open, value.at);
  if (value.kind === "literal" && typeof value.value === "string" && value.value.includes("{"))
    return relocated(parseYaml(value.value)[0]?.root, value.at);
  if (value.kind !== "unknown" || !open.startsWith('"')) return [];
  try {
    const decoded: unknown = JSON.parse(open);
    return typeof decoded === "string" ? relocated(parseYaml(decoded)[0]?.root, value.at) : [];
  } catch {
    // Escapes that JSON does not know: the text stays unread, as any other value that is not known.
    return [];
  }
}

/** Keeps lines and columns: the text stands as it is, below as many line breaks as there are above it. */
function fromHeredoc(source: string, at: Span): readonly Value[] {
  const lines = source.trimEnd().split("\n");
  const inner = lines.slice(1, -1).join("\n");
  const [document] = parseYaml("\n".repeat(at.line) + inner);
  return document?.root === undefined || document.faults.length > 0 ? [] : [document.root];
}

function relocated(value: Value | undefined, at: Span): readonly Value[] {
  return value === undefined ? [] : [moved(value, at)];
}

function moved(value: Value, at: Span): Value {
  if (value.kind === "list")
    return { ...value, at, items: value.items.map((item) => moved(item, at)) };
  if (value.kind !== "map") return { ...value, at };
  const entries = value.entries.map((entry) => ({
    key: entry.key,
    keyAt: at,
    value: moved(entry.value, at),
  }));
  return { ...value, at, entries };
}

/** `${…}`, nested braces included, becomes a mark of the same length. */
function withoutInterpolation(source: string): string {
  let result = "";
  let at = 0;
  for (;;) {
    const start = source.indexOf("${", at);
    if (start < 0) return result + source.slice(at);
    let depth = 1;
    let end = start + 2;
    while (end < source.length && depth > 0) {
      if (source[end] === "{") depth++;
      if (source[end] === "}") depth--;
      end++;
    }
    result += source.slice(at, start) + OPEN_MARK.repeat(end - start);
    at = end;
  }
}
