// Addresses and ports as the firewall rules of every cloud write them.

import { find, numberOf, textOf } from "../../value.ts";
import type { Found, Value } from "../../value.ts";

/** Ports that administer machines or hold data: none of them is meant for everyone. */
const GUARDED_PORTS: ReadonlyMap<number, string> = new Map([
  [22, "SSH"],
  [23, "Telnet"],
  [445, "SMB"],
  [1433, "SQL Server"],
  [1521, "Oracle"],
  [2375, "Docker"],
  [2376, "Docker"],
  [2379, "etcd"],
  [3306, "MySQL"],
  [3389, "RDP"],
  [5432, "PostgreSQL"],
  [5601, "Kibana"],
  [5984, "CouchDB"],
  [5985, "WinRM"],
  [6379, "Redis"],
  [6443, "the Kubernetes API"],
  [9042, "Cassandra"],
  [9200, "Elasticsearch"],
  [10_250, "the kubelet"],
  [11_211, "Memcached"],
  [27_017, "MongoDB"],
]);
const MAX_PORT = 65_535;

export type PortRange = { readonly from: number; readonly to: number };

export const ALL_PORTS: PortRange = { from: 0, to: MAX_PORT };

/** Every address of IPv4 or IPv6, in the spellings of all clouds. */
export function isWorld(address: string): boolean {
  return /^(0\.0\.0\.0(\/0)?|::(\/0)?|\*|any|internet|0\.0\.0\.0\/1|128\.0\.0\.0\/1)$/i.test(
    address.trim(),
  );
}

/** The first place among the paths that names the whole world. */
export function worldAt(value: Value, paths: readonly string[]): Found | undefined {
  return paths
    .flatMap((path) => find(value, path))
    .find((found) => isWorld(textOf(found.value) ?? ""));
}

/** `22`, `20-25`, `22/22` (Alibaba Cloud), `-1/-1` and `*` for all; `undefined` when it is none of them. */
export function portRangeOf(text: string | undefined): PortRange | undefined {
  if (text === undefined) return undefined;
  if (/^(\*|-1|-1\/-1|all|any)$/i.test(text.trim())) return ALL_PORTS;
  const match = /^\s*(\d+)(?:\s*[-/:]\s*(\d+))?\s*$/.exec(text);
  if (match === null) return undefined;
  const from = Number(match[1]);
  return { from, to: match[2] === undefined ? from : Number(match[2]) };
}

/** A range from two attributes; `undefined` when one is there but not known. */
export function rangeBetween(value: Value, from: string, to: string): PortRange | undefined {
  const low = numberOf(find(value, from)[0]?.value);
  const high = numberOf(find(value, to)[0]?.value);
  if (low === undefined || high === undefined) return undefined;
  return low < 0 || high < 0 ? ALL_PORTS : { from: low, to: high };
}

/** True when the range is so wide that naming its ports says nothing. */
export function isAllPorts({ from, to }: PortRange): boolean {
  return from <= 1 && to >= MAX_PORT;
}

/** `SSH (22)` for the first guarded port in the range. */
export function guardedIn({ from, to }: PortRange): string | undefined {
  for (const [port, name] of GUARDED_PORTS)
    if (port >= from && port <= to) return `${name} (${port})`;
  return undefined;
}
