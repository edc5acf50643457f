// Which addresses a fetch may reach. Everything that is not plainly public is refused. Pure.
// https://www.iana.org/assignments/iana-ipv4-special-registry, …/iana-ipv6-special-registry

import { isIPv4, isIPv6 } from "node:net";

type Range = { readonly base: bigint; readonly bits: number; readonly what: string };

const V4_RANGES: readonly Range[] = [
  v4("0.0.0.0", 8, "this network"),
  v4("10.0.0.0", 8, "private"),
  v4("100.64.0.0", 10, "shared address space, also used by cloud metadata services"),
  v4("127.0.0.0", 8, "loopback"),
  v4("168.63.129.16", 32, "an address of a cloud's own services"),
  v4("169.254.0.0", 16, "link-local, also used by cloud metadata services"),
  v4("172.16.0.0", 12, "private"),
  v4("192.0.0.0", 24, "reserved"),
  v4("192.0.2.0", 24, "documentation"),
  v4("192.88.99.0", 24, "relay"),
  v4("192.168.0.0", 16, "private"),
  v4("198.18.0.0", 15, "benchmarking"),
  v4("198.51.100.0", 24, "documentation"),
  v4("203.0.113.0", 24, "documentation"),
  v4("224.0.0.0", 4, "multicast"),
  v4("240.0.0.0", 4, "reserved or broadcast"),
];
const V6_RANGES: readonly Range[] = [
  v6("::", 128, "unspecified"),
  v6("::1", 128, "loopback"),
  v6("64:ff9b:1::", 48, "local translation"),
  v6("100::", 64, "discarded"),
  v6("2001::", 23, "reserved or tunnelled"),
  v6("2001:db8::", 32, "documentation"),
  v6("3fff::", 20, "documentation"),
  v6("5f00::", 16, "segment routing"),
  v6("fc00::", 7, "private, also used by cloud metadata services"),
  v6("fe80::", 10, "link-local"),
  v6("fec0::", 10, "site-local"),
  v6("ff00::", 8, "multicast"),
];
/** Ranges that carry an IPv4 address; `shift` is how far it stands from the right. */
const EMBEDDING = [
  { ...v6("::ffff:0:0", 96, "mapped IPv4"), shift: 0n },
  { ...v6("::ffff:0:0:0", 96, "translated IPv4"), shift: 0n },
  { ...v6("::", 96, "compatible IPv4"), shift: 0n },
  { ...v6("64:ff9b::", 96, "NAT64"), shift: 0n },
  { ...v6("2002::", 16, "6to4"), shift: 80n },
] as const;

/** Why `address` (an IP literal) is refused; `undefined` for a public one. */
export function addressFault(address: string): string | undefined {
  const bare = address.replace(/^\[|\]$/g, "").replace(/%.*$/, "");
  if (isIPv4(bare)) return faultIn(V4_RANGES, parseV4(bare), 32);
  if (!isIPv6(bare)) return "not an IP address";
  const value = parseV6(bare);
  const own = faultIn(V6_RANGES, value, 128);
  if (own) return own;
  for (const range of EMBEDDING) {
    if (!isWithin(range, value, 128)) continue;
    const inner = faultIn(V4_RANGES, (value >> range.shift) & 0xffff_ffffn, 32);
    if (inner) return `${range.what}, ${inner}`;
  }
  return undefined;
}

function faultIn(ranges: readonly Range[], value: bigint, width: number): string | undefined {
  return ranges.find((range) => isWithin(range, value, width))?.what;
}

function isWithin({ base, bits }: Range, value: bigint, width: number): boolean {
  const shift = BigInt(width - bits);
  return value >> shift === base >> shift;
}

function v4(base: string, bits: number, what: string): Range {
  return { base: parseV4(base), bits, what };
}

function v6(base: string, bits: number, what: string): Range {
  return { base: parseV6(base), bits, what };
}

function parseV4(text: string): bigint {
  return text.split(".").reduce((value, part) => (value << 8n) | BigInt(part), 0n);
}

/** `text` is a valid IPv6 literal without a zone. */
function parseV6(text: string): bigint {
  const dotted = /[^:]+\.[^:]+$/.exec(text)?.[0];
  const tail = dotted === undefined ? 0n : parseV4(dotted);
  const plain =
    dotted === undefined
      ? text
      : `${text.slice(0, -dotted.length)}${(tail >> 16n).toString(16)}:${(tail & 0xffffn).toString(16)}`;
  const [left = "", right] = plain.split("::");
  const head = left === "" ? [] : left.split(":");
  const end = right === undefined || right === "" ? [] : right.split(":");
  const zeros = right === undefined ? 0 : 8 - head.length - end.length;
  const groups = [...head, ...Array.from({ length: zeros }, () => "0"), ...end];
  return groups.reduce((value, group) => (value << 16n) | BigInt(`0x${group}`), 0n);
}
