// What firewall rules of all clouds let in from the whole world, as one list of openings.

import { boolOf, find, member, textOf } from "../../value.ts";
import type { Value } from "../../value.ts";
import type { Span } from "../../hcl/tree.ts";
import type { Hit, ResourceCheck } from "../rule.ts";
import { onTypes } from "./look.ts";
import { ALL_PORTS, portRangeOf, rangeBetween, worldAt } from "./network.ts";
import type { PortRange } from "./network.ts";
import type { Resource } from "./source.ts";

/** Ports that everyone may reach. */
export type Opening = { readonly at: Span; readonly ports: PortRange };

type Reader = (value: Value) => readonly Opening[];
export type Cloud = "aws" | "alibaba" | "azure" | "google";

const SOURCES = ["cidr_blocks", "ipv6_cidr_blocks", "cidr_ipv4", "cidr_ipv6", "CidrIp", "CidrIpv6"];

const READERS: Readonly<Record<Cloud, Readonly<Record<string, Reader>>>> = {
  aws: {
    aws_security_group: each("ingress", awsHcl),
    aws_default_security_group: each("ingress", awsHcl),
    aws_security_group_rule: (rule) => (hasText(rule, "type", /^ingress$/) ? awsHcl(rule) : []),
    aws_vpc_security_group_ingress_rule: awsHcl,
    "AWS::EC2::SecurityGroup": each("SecurityGroupIngress", awsTemplate),
    "AWS::EC2::SecurityGroupIngress": awsTemplate,
  },
  alibaba: {
    alicloud_security_group_rule: (rule) =>
      hasText(rule, "type", /^ingress$/) && !hasText(rule, "policy", /^drop$/i)
        ? alibaba(rule, ["cidr_ip", "ipv6_cidr_ip"], "port_range", "ip_protocol")
        : [],
    "ALIYUN::ECS::SecurityGroup": each("SecurityGroupIngress", alibabaTemplate),
    "ALIYUN::ECS::SecurityGroupIngress": alibabaTemplate,
  },
  azure: {
    azurerm_network_security_rule: azure,
    azurerm_network_security_group: each("security_rule", azure),
  },
  google: { google_compute_firewall: google },
};

/** A check of every opening in the firewall rules of one cloud. */
export function onOpenings(
  cloud: Cloud,
  judge: (opening: Opening) => readonly Hit[],
): ResourceCheck {
  const readers = READERS[cloud];
  return onTypes(Object.keys(readers), (resource: Resource) =>
    (readers[resource.type]?.(resource.body) ?? []).flatMap(judge),
  );
}

function each(path: string, reader: Reader): Reader {
  return (value) => find(value, path).flatMap((found) => reader(found.value));
}

function awsHcl(rule: Value): readonly Opening[] {
  const protocol = textOf(member(rule, "protocol") ?? member(rule, "ip_protocol"));
  return opening(
    rule,
    SOURCES,
    isAnyProtocol(protocol) ? ALL_PORTS : rangeBetween(rule, "from_port", "to_port"),
  );
}

function awsTemplate(rule: Value): readonly Opening[] {
  const protocol = textOf(member(rule, "IpProtocol"));
  return opening(
    rule,
    SOURCES,
    isAnyProtocol(protocol) ? ALL_PORTS : rangeBetween(rule, "FromPort", "ToPort"),
  );
}

function alibabaTemplate(rule: Value): readonly Opening[] {
  if (hasText(rule, "Policy", /^drop$/i)) return [];
  return alibaba(rule, ["SourceCidrIp", "Ipv6SourceCidrIp"], "PortRange", "IpProtocol");
}

function alibaba(rule: Value, sources: readonly string[], ports: string, protocol: string) {
  const range = textOf(member(rule, ports));
  // ICMP and GRE know no ports and write -1/-1, as "all" does.
  const isOfPorts = !hasText(rule, protocol, /^(icmp|icmpv6|gre)$/i);
  return isOfPorts ? opening(rule, sources, portRangeOf(range)) : [];
}

function azure(rule: Value): readonly Opening[] {
  const isLetIn = hasText(rule, "direction", /^inbound$/i) && hasText(rule, "access", /^allow$/i);
  if (!isLetIn || hasText(rule, "protocol", /^icmp$/i)) return [];
  const ranges = ["destination_port_range", "destination_port_ranges"].flatMap((path) =>
    find(rule, path),
  );
  const sources = ["source_address_prefix", "source_address_prefixes"];
  return ranges.flatMap(({ value }) => opening(rule, sources, portRangeOf(textOf(value))));
}

function google(rule: Value): readonly Opening[] {
  if (hasText(rule, "direction", /^egress$/i) || boolOf(member(rule, "disabled")) === true)
    return [];
  return find(rule, "allow").flatMap(({ value }) => {
    if (hasText(value, "protocol", /^(icmp|esp|ah)$/i)) return [];
    const ports = find(value, "ports");
    if (ports.length === 0) return opening(rule, ["source_ranges"], ALL_PORTS);
    return ports.flatMap((port) =>
      opening(rule, ["source_ranges"], portRangeOf(textOf(port.value))),
    );
  });
}

function opening(
  rule: Value,
  sources: readonly string[],
  ports: PortRange | undefined,
): readonly Opening[] {
  const world = worldAt(rule, sources);
  return world === undefined || ports === undefined ? [] : [{ at: world.at, ports }];
}

function isAnyProtocol(protocol: string | undefined): boolean {
  return protocol === "-1" || protocol === "all";
}

function hasText(value: Value, key: string, pattern: RegExp): boolean {
  return pattern.test(textOf(member(value, key)) ?? "");
}
