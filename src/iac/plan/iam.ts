// Permissions that grow: statements of policies compared, powerful roles attached, and policies nobody can read yet.

import { policyTypes, statementsOf, type PolicyKind } from "../rules/engine/policy.ts";
import type { Resource } from "../rules/engine/source.ts";
import { find, isOpen, textOf, type Found, type Value } from "../value.ts";
import type { Concern } from "./card.ts";
import { SENSITIVE } from "./json-value.ts";

const KINDS: readonly PolicyKind[] = ["identity", "trust", "resource"];
const POLICY_TYPES = new Set(
  KINDS.flatMap((kind) => [...policyTypes(kind, "aws"), ...policyTypes(kind, "alibaba")]),
);
const MAX_NAMED = 5;
const POWERFUL =
  /(?:^|[/.])(?:AdministratorAccess|PowerUserAccess|IAMFullAccess|AliyunRAMFullAccess|Owner|Contributor|User Access Administrator|owner|editor|cluster-admin)$/;
/** Type → where it names the role or policy that somebody gets. */
const ATTACHMENTS: readonly (readonly [type: RegExp, path: string])[] = [
  [/^aws_iam_.*policy_attachment$/, "policy_arn"],
  [/^aws_iam_.*policy_attachments_exclusive$/, "policy_arns"],
  [/^aws_iam_role$/, "managed_policy_arns"],
  [/^AWS::IAM::(?:Role|User|Group)$/, "ManagedPolicyArns"],
  [/^alicloud_ram_.*policy_attachment$/, "policy_name"],
  [/^azurerm_role_assignment$/, "role_definition_name"],
  [/^kubernetes_cluster_role_binding(?:_v1)?$/, "role_ref.name"],
];
/** Attributes that decide who may do or reach something. */
const DECIDING = new Set(
  "policy policy_document assume_role_policy document acl cidr_blocks ipv6_cidr_blocks cidr_ipv4 cidr_ipv6 cidr_ip source_ranges publicly_accessible security_ips".split(
    " ",
  ),
);
const DECIDING_TYPE =
  /policy|_iam_|_ram_|security_group|firewall|network_acl|_acl$|db_instance|redshift|_mq_broker/;

/** What `next` may do that `old` might not; a new policy is judged by the rules alone. */
export function widenedPolicies(next: Resource, old: Resource | undefined): Concern[] {
  const concerns = [...attached(next, old), ...undecided(next)];
  if (old !== undefined && POLICY_TYPES.has(next.type))
    for (const kind of KINDS) concerns.push(...widened(next, old, kind));
  return concerns;
}

function attached(next: Resource, old: Resource | undefined): Concern[] {
  const path = ATTACHMENTS.find(([type]) => type.test(next.type))?.[1];
  if (path === undefined) return [];
  const had = new Set(old === undefined ? [] : texts(find(old.body, path)));
  return texts(find(next.body, path))
    .filter((name) => POWERFUL.test(name) && !had.has(name))
    .map((name) => ({
      kind: "iam",
      level: "review",
      address: next.address,
      text: `attaches ${name}`,
    }));
}

/** Top-level attributes only: what lies deeper is part of them. */
function undecided({ type, address, body }: Resource): Concern[] {
  if (body.kind !== "map" || !DECIDING_TYPE.test(type)) return [];
  return body.entries
    .filter(({ key, value }) => DECIDING.has(key) && holdsOpen(value))
    .map(({ key, value }) => ({
      kind: "unknown",
      level: "review",
      address,
      text: isSensitive(value)
        ? `\`${key}\` decides who gets in, and it is marked as sensitive: it was not looked at`
        : `\`${key}\` is known only after the apply, and it decides who gets in`,
    }));
}

const isSensitive = (value: Value): boolean =>
  value.kind === "unknown" && value.references[0] === SENSITIVE;

function holdsOpen(value: Value): boolean {
  return isOpen(value) || (value.kind === "list" && value.items.some(holdsOpen));
}

function widened(next: Resource, old: Resource, kind: PolicyKind): Concern[] {
  const now = summaryOf(next, kind);
  const then = summaryOf(old, kind);
  const parts = (["actions", "resources", "principals"] as const).flatMap((part) => {
    const added = [...now[part]].filter((name) => !then[part].has(name));
    return added.length === 0 ? [] : [`${part} ${listed(added)}`];
  });
  if (now.denials < then.denials) parts.push("a Deny statement is gone");
  if (now.conditions < then.conditions && now.allows >= then.allows)
    parts.push("a condition is gone");
  if (parts.length === 0) return [];
  const text = `may do more than before: ${parts.join("; ")}`;
  return [{ kind: "iam", level: "review", address: next.address, text }];
}

function listed(names: readonly string[]): string {
  const shown = names.slice(0, MAX_NAMED).map((name) => `\`${name.slice(0, 120)}\``);
  const more = names.length > MAX_NAMED ? ` and ${names.length - MAX_NAMED} more` : "";
  return shown.join(", ") + more;
}

function summaryOf(resource: Resource, kind: PolicyKind) {
  const statements = statementsOf(resource, kind);
  const allows = statements.filter(({ isAllow }) => isAllow);
  return {
    actions: new Set(texts(allows.flatMap(({ actions }) => actions))),
    resources: new Set(texts(allows.flatMap(({ resources }) => resources))),
    principals: new Set(texts(allows.flatMap(({ principals }) => principals))),
    allows: allows.length,
    denials: statements.length - allows.length,
    conditions: allows.filter(({ hasCondition }) => hasCondition).length,
  };
}

function texts(found: readonly Found[]): string[] {
  return found.flatMap(({ value }) => textOf(value) ?? []);
}
