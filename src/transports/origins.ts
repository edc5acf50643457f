// Which names a request may use for us and which web pages may send it: the guard against DNS rebinding and
// against pages that a browser on this machine shows. https://fetch.spec.whatwg.org/#http-cors-protocol

import { isLoopbackName } from "./auth.ts";
import { failure } from "./reply.ts";

export type OriginRules = {
  readonly allowHosts: readonly string[];
  readonly allowOrigins: readonly string[];
};

const ALLOWED_METHODS = "GET, POST, DELETE";
const ALLOWED_HEADERS =
  "Accept, Authorization, Content-Type, Last-Event-ID, Acp-Connection-Id, Acp-Session-Id";
/** How long a browser may remember a preflight. */
const PREFLIGHT_MAX_AGE_SECONDS = 600;

/** A 403 when the `Host` or `Origin` header is not one of ours; undefined when the request may pass. */
export function refuseOrigin(request: Request, rules: OriginRules): Response | undefined {
  const host = request.headers.get("Host") ?? "";
  if (!isAllowedHost(host, rules.allowHosts))
    return failure(
      `Forbidden: the Host header names ${JSON.stringify(host)}; allow it with --allow-host`,
      {
        status: 403,
      },
    );
  const origin = request.headers.get("Origin");
  if (origin !== null && !isAllowedOrigin(origin, rules.allowOrigins))
    return failure(
      `Forbidden: the origin ${JSON.stringify(origin)} is not allowed; allow it with --allow-origin`,
      {
        status: 403,
      },
    );
  return undefined;
}

/** Headers that let a page of an allowed origin read the answer. Call it after `refuseOrigin`. */
export function corsHeaders(request: Request): Readonly<Record<string, string>> {
  const origin = request.headers.get("Origin");
  if (origin === null) return {};
  return {
    "Access-Control-Allow-Origin": origin,
    "Access-Control-Expose-Headers": "Acp-Connection-Id",
    Vary: "Origin",
  };
}

/** The answer to a preflight; undefined when the request is none. */
export function preflight(request: Request): Response | undefined {
  if (request.method !== "OPTIONS" || !request.headers.has("Origin")) return undefined;
  return new Response(null, {
    status: 204,
    headers: {
      "Access-Control-Allow-Methods": ALLOWED_METHODS,
      "Access-Control-Allow-Headers": ALLOWED_HEADERS,
      "Access-Control-Max-Age": String(PREFLIGHT_MAX_AGE_SECONDS),
    },
  });
}

function isAllowedHost(host: string, allowed: readonly string[]): boolean {
  const lower = host.toLowerCase();
  const name = lower.replace(/:\d+$/, "");
  if (isLoopbackName(name)) return true;
  return allowed.some((entry) => entry.toLowerCase() === lower || entry.toLowerCase() === name);
}

function isAllowedOrigin(origin: string, allowed: readonly string[]): boolean {
  if (allowed.some((entry) => entry.toLowerCase().replace(/\/$/, "") === origin.toLowerCase()))
    return true;
  const url = URL.parse(origin);
  return url !== null && /^https?:$/.test(url.protocol) && isLoopbackName(url.hostname);
}
