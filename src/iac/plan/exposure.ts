// What becomes reachable for everyone, and who may do more than before: the rules run over an object before and after,
// and whatever only the later one violates is new.

import { aliAckPublicEndpoint } from "../rules/ali-ack-public-endpoint.ts";
import { aliDbOpenWhitelist } from "../rules/ali-db-open-whitelist.ts";
import { aliOssPublic } from "../rules/ali-oss-public.ts";
import { aliPolicyPublicPrincipal } from "../rules/ali-policy-public-principal.ts";
import { aliRamFullAccess } from "../rules/ali-ram-full-access.ts";
import { awsDbPublic } from "../rules/aws-db-public.ts";
import { awsEksPublicEndpoint } from "../rules/aws-eks-public-endpoint.ts";
import { awsIamFullAccess } from "../rules/aws-iam-full-access.ts";
import { awsIamRoleOpenTrust } from "../rules/aws-iam-role-open-trust.ts";
import { awsIamServiceWildcard } from "../rules/aws-iam-service-wildcard.ts";
import { awsLambdaPublicUrl } from "../rules/aws-lambda-public-url.ts";
import { awsPolicyPublicPrincipal } from "../rules/aws-policy-public-principal.ts";
import { awsS3PublicAccessBlockOff } from "../rules/aws-s3-public-access-block-off.ts";
import { awsS3PublicAcl } from "../rules/aws-s3-public-acl.ts";
import { azDbFirewallOpen } from "../rules/az-db-firewall-open.ts";
import { azDbPublicNetwork } from "../rules/az-db-public-network.ts";
import { azStoragePublic } from "../rules/az-storage-public.ts";
import { gcpBasicRole } from "../rules/gcp-basic-role.ts";
import { gcpGkeOpenEndpoint } from "../rules/gcp-gke-open-endpoint.ts";
import { gcpIamPublic } from "../rules/gcp-iam-public.ts";
import { gcpSqlOpenNetwork } from "../rules/gcp-sql-open-network.ts";
import { type Cloud, onOpenings } from "../rules/engine/firewall.ts";
import { isAllPorts } from "../rules/engine/network.ts";
import type { Resource } from "../rules/engine/source.ts";
import type { Rule } from "../rules/rule.ts";
import type { Concern } from "./card.ts";
import { widenedPolicies } from "./iam.ts";
import { ALONE, type Masks, toResource, toValue } from "./json-value.ts";

type Watch = {
  readonly kind: "public" | "iam";
  readonly title: string;
  readonly check: Rule["check"];
};

const CLOUDS: readonly Cloud[] = ["aws", "alibaba", "azure", "google"];
const WATCHES: readonly Watch[] = [
  ...[
    aliAckPublicEndpoint,
    aliDbOpenWhitelist,
    aliOssPublic,
    aliPolicyPublicPrincipal,
    awsDbPublic,
    awsEksPublicEndpoint,
    awsLambdaPublicUrl,
    awsPolicyPublicPrincipal,
    awsS3PublicAccessBlockOff,
    awsS3PublicAcl,
    azDbFirewallOpen,
    azDbPublicNetwork,
    azStoragePublic,
    gcpGkeOpenEndpoint,
    gcpIamPublic,
    gcpSqlOpenNetwork,
  ].map(({ title, check }) => ({ kind: "public" as const, title, check })),
  ...CLOUDS.map((cloud) => ({
    kind: "public" as const,
    title: "Open to the whole internet",
    check: onOpenings(cloud, ({ ports }) => [{ detail: portsText(ports) }]),
  })),
  ...[
    aliRamFullAccess,
    awsIamFullAccess,
    awsIamRoleOpenTrust,
    awsIamServiceWildcard,
    gcpBasicRole,
  ].map(({ title, check }) => ({ kind: "iam" as const, title, check })),
];

/** By type, so that 5,000 changes cost no more than their own rules. */
const BY_TYPE = (() => {
  const index = new Map<string, Watch[]>();
  for (const watch of WATCHES) {
    if (watch.check.on !== "resource" || watch.check.types === "every") continue;
    for (const type of watch.check.types) index.set(type, [...(index.get(type) ?? []), watch]);
  }
  return index;
})();

function portsText(ports: { readonly from: number; readonly to: number }): string {
  if (isAllPorts(ports)) return "all ports";
  return ports.from === ports.to ? `port ${ports.from}` : `ports ${ports.from}-${ports.to}`;
}

/** One object in two versions; `undefined` where it does not exist. */
type Versions = {
  readonly before: Resource | undefined;
  readonly after: Resource | undefined;
};

/** A side of a change: its JSON, `null` where there is no object, and the plan's masks of it. */
type Side = Masks & { readonly json: unknown };

export function versionsOf(
  type: string,
  address: string,
  { before, after }: { readonly before: Side; readonly after: Side },
): Versions {
  const resourceOf = ({ json, ...masks }: Side) =>
    json === null || json === undefined
      ? undefined
      : toResource(type, address, toValue(json, masks));
  return { before: resourceOf(before), after: resourceOf(after) };
}

/** What the later version opens or grants that the earlier one did not. */
export function exposureOf({ before, after }: Versions): Concern[] {
  if (after === undefined) return [];
  const { address } = after;
  const watches = BY_TYPE.get(after.type) ?? [];
  const had = new Set(before === undefined ? [] : hitsOf(watches, before).map(({ key }) => key));
  const found = new Map(
    hitsOf(watches, after)
      .filter(({ key }) => !had.has(key))
      .map(({ key, kind, text }): [string, Concern] => [
        key,
        { kind, level: "review", address, text },
      ]),
  );
  return [...found.values(), ...widenedPolicies(after, before)];
}

function hitsOf(watches: readonly Watch[], resource: Resource) {
  return watches.flatMap(({ kind, title, check }) => {
    if (check.on !== "resource") return [];
    return check.run(resource, ALONE).map(({ detail }) => {
      const text = detail === undefined ? title : `${title}: ${detail}`;
      return { kind, text, key: text };
    });
  });
}
