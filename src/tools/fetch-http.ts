// One HTTP exchange to an address that was checked: the name is resolved here, every address it has must be public, and
// the connection goes to the checked address itself, so that a second look-up cannot lead elsewhere. Redirects come
// back here.

import { lookup } from "node:dns/promises";
import { isIP, isIPv4 } from "node:net";
import { addressFault } from "./fetch-address.ts";

const MAX_REDIRECTS = 5;
const HEADERS_TIMEOUT_MS = 10_000;
const TOTAL_TIMEOUT_MS = 30_000;
const USER_AGENT = "iac-code (web_fetch)";
const ACCEPT = "text/html, application/json, text/*;q=0.9, */*;q=0.1";
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

export type FetchRules = {
  /** `host:port` that may be reached though its address is private. */
  readonly allowPrivate: readonly string[];
  readonly isHostDenied?: ((host: string) => boolean) | undefined;
  readonly resolve?: (host: string) => Promise<readonly string[]>;
  /** PEM certificates to trust instead of the system's. */
  readonly ca?: string;
};

export type Fetched =
  | {
      readonly ok: true;
      readonly url: URL;
      readonly status: number;
      readonly contentType: string;
      readonly body: Uint8Array;
      readonly isCut: boolean;
    }
  | { readonly ok: false; readonly text: string };

/** Why a URL may not be fetched at all; `undefined` when it may be tried. */
export function urlFault(url: URL): string | undefined {
  if (url.protocol !== "http:" && url.protocol !== "https:")
    return `url: only http and https can be fetched, not ${url.protocol.slice(0, -1)}.`;
  if (url.username !== "" || url.password !== "")
    return "url: it holds a user name or password, which would be sent in the clear and stored. Leave it out.";
  return undefined;
}

/** Follows redirects, checking each. Never rejects; `signal` is the turn's. */
export async function fetchChecked(
  start: URL,
  maxBytes: number,
  rules: FetchRules,
  signal: AbortSignal,
): Promise<Fetched> {
  const whole = AbortSignal.any([signal, AbortSignal.timeout(TOTAL_TIMEOUT_MS)]);
  let url = start;
  try {
    for (let hop = 0; hop <= MAX_REDIRECTS; hop++) {
      const address = await checkedAddress(url, rules, whole);
      if (!address.ok) return address;
      const response = await request(url, address.address, rules, whole);
      const location = response.headers.get("location");
      if (!REDIRECTS.has(response.status) || location === null) {
        const { bytes, isCut } = await readBody(response, maxBytes, whole);
        const contentType = response.headers.get("content-type") ?? "";
        return { ok: true, url, status: response.status, contentType, body: bytes, isCut };
      }
      await response.body?.cancel();
      if (!URL.canParse(location, url.href))
        return { ok: false, text: `${url.href} redirects to something that is not a URL.` };
      url = new URL(location, url);
      const fault = urlFault(url);
      if (fault) return { ok: false, text: `A redirect was refused. ${fault}` };
    }
    return {
      ok: false,
      text: `Gave up after ${MAX_REDIRECTS} redirects, the last to ${url.href}.`,
    };
  } catch (error) {
    return { ok: false, text: describeFault(url, error, signal, whole) };
  }
}

type CheckedAddress =
  | { readonly ok: true; readonly address: string }
  | { readonly ok: false; readonly text: string };

async function checkedAddress(
  url: URL,
  { allowPrivate, isHostDenied, resolve = resolveHost }: FetchRules,
  signal: AbortSignal,
): Promise<CheckedAddress> {
  // The URL parser has already turned decimal, octal and hexadecimal spellings into dotted ones.
  const host = url.hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "");
  if (isHostDenied?.(host)) return { ok: false, text: `A rule denies fetching from ${host}.` };
  const addresses = isIP(host) ? [host] : await abortable(resolve(host), signal);
  // Without a race between both kinds, the one that works nearly everywhere goes first.
  const first = addresses.find((address) => isIPv4(address)) ?? addresses[0];
  if (first === undefined) return { ok: false, text: `${host} has no address.` };
  const port = url.port || (url.protocol === "https:" ? "443" : "80");
  if (allowPrivate.includes(`${url.hostname}:${port}`) || allowPrivate.includes(`${host}:${port}`))
    return { ok: true, address: first };
  for (const address of addresses) {
    const fault = addressFault(address);
    if (fault)
      return {
        ok: false,
        text: `${host} is not public: ${address} is ${fault}. Nothing was sent. The user can allow it with fetch.allowPrivate: ["${host}:${port}"] in the configuration.`,
      };
  }
  return { ok: true, address: first };
}

async function resolveHost(host: string): Promise<readonly string[]> {
  return (await lookup(host, { all: true, verbatim: true })).map(({ address }) => address);
}

async function request(
  url: URL,
  address: string,
  { ca }: FetchRules,
  whole: AbortSignal,
): Promise<Response> {
  const target = new URL(url);
  target.hostname = address.includes(":") ? `[${address}]` : address;
  const headers = new AbortController();
  const timer = setTimeout(() => headers.abort(new HeadersTimeout()), HEADERS_TIMEOUT_MS);
  const name = url.hostname.replace(/\.$/, "");
  try {
    return await fetch(target, {
      redirect: "manual",
      headers: { Host: url.host, "User-Agent": USER_AGENT, Accept: ACCEPT },
      signal: AbortSignal.any([whole, headers.signal]),
      credentials: "omit",
      // A connection that is kept alive would be found again by address, whatever name it was made for.
      keepalive: false,
      // The certificate must be the name's, though the connection goes to an address.
      tls: {
        ...(isIP(name.replace(/^\[|\]$/g, "")) ? {} : { serverName: name }),
        ...(ca === undefined ? {} : { ca }),
      },
    });
  } finally {
    clearTimeout(timer);
  }
}

class HeadersTimeout extends Error {}

async function readBody(
  response: Response,
  maxBytes: number,
  signal: AbortSignal,
): Promise<{ readonly bytes: Uint8Array; readonly isCut: boolean }> {
  if (!response.body) return { bytes: new Uint8Array(), isCut: false };
  const reader = response.body.getReader();
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for (;;) {
      const { done, value } = await abortable(reader.read(), signal);
      if (done) return { bytes: Buffer.concat(chunks), isCut: false };
      chunks.push(value);
      size += value.byteLength;
      if (size > maxBytes)
        return { bytes: Buffer.concat(chunks).subarray(0, maxBytes), isCut: true };
    }
  } finally {
    // Not awaited: a dead peer must not hold the answer up; a fault in closing changes nothing.
    void reader.cancel().catch(() => undefined);
  }
}

async function abortable<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  const { promise, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(signal.reason);
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

function describeFault(url: URL, error: unknown, turn: AbortSignal, whole: AbortSignal): string {
  if (turn.aborted) return "Cancelled.";
  if (whole.aborted) return `${url.href} was not complete after ${TOTAL_TIMEOUT_MS / 1_000} s.`;
  if (error instanceof HeadersTimeout)
    return `${url.href} did not answer within ${HEADERS_TIMEOUT_MS / 1_000} s.`;
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  if (code === "ENOTFOUND" || code === "EAI_AGAIN" || code.startsWith("DNS_"))
    return `The host ${url.hostname} could not be found (${code}).`;
  const message = error instanceof Error ? error.message : String(error);
  return `${url.href} could not be fetched: ${code === "" ? message : code}.`;
}
