// Turns whatever went wrong (a status, an error in a stream, a dead connection) into one failure with a text a person
// can act on. Pure. Decides from structure; an endpoint's own words are only quoted, short and with keys masked.

import type { ModelFailure } from "./provider.ts";
import { errorInfo, errorInfoOfBody, type ErrorInfo } from "./error-info.ts";
import { failureText, type FailureContext, finish, hostOf, networkText } from "./failure-text.ts";
import { isOverflowText } from "./overflow.ts";

/** A failure and what the retry rules must know of it. */
export type Fault = {
  readonly failure: ModelFailure;
  /** Trying again cannot help, whatever the kind. */
  readonly isFinal?: boolean;
  /** How long the endpoint asked us to wait. Milliseconds. */
  readonly retryAfterMs?: number;
  /** The endpoint's own words, for adapting the request; never shown. */
  readonly words?: string;
};

const QUOTA =
  /insufficient[_ ](quota|balance|credits?|funds)|exceeded (your )?current quota|exceeded_current_quota|credit balance is too low|arrearage|overdue|billing[_ ](hard|not)|余额不足/i;
/** Gemini answers 400 to a wrong key. */
const BAD_KEY =
  /(api[ _]?key|token) (not valid|is invalid|expired)|(invalid|incorrect)[ _]?api[ _]?key/i;
/** Gemini words a per-minute limit like a used-up quota, but says when to come back. */
const COMES_BACK = /(?:try again|retry) (?:in|after) ([\d.]+) ?(ms|s|m)/i;

/** An answer with a status other than 2xx. `body` may be cut; it is never shown. */
export function statusFault(
  status: number,
  body: string,
  context: FailureContext,
  retryAfterMs?: number,
): Fault {
  return infoFault(errorInfoOfBody(body), status, context, retryAfterMs);
}

/** The failure that an object of a 200 stream is; `undefined` for an ordinary chunk. */
export function streamFault(value: unknown, context: FailureContext): Fault | undefined {
  const info = errorInfo(value);
  return info && infoFault(info, info.status ?? statusOfCode(info.code), context);
}

function infoFault(
  info: ErrorInfo,
  status: number | undefined,
  context: FailureContext,
  retryAfterMs?: number,
): Fault {
  const words = `${info.code} ${info.message}`;
  const kind = kindOf(status, words);
  const wait = retryAfterMs ?? comesBackMs(info.message);
  const quote = kind === "auth" && status !== 403 ? "" : info.message;
  return {
    failure: {
      kind,
      message: failureText(kind, status, quote, context),
      provider: context.endpoint.provider,
      ...(status !== undefined && { status }),
    },
    words,
    ...(wait !== undefined && { retryAfterMs: wait }),
  };
}

function kindOf(status: number | undefined, words: string): ModelFailure["kind"] {
  if (status === 401 || BAD_KEY.test(words)) return "auth";
  if (isOverflowText(words) || status === 413) return "overflow";
  const isQuota = QUOTA.test(words) && !COMES_BACK.test(words);
  if (status === 402 || isQuota) return "quota";
  if (status === 403) return "auth";
  if (status === 404) return "not_found";
  if (status === 408) return "timeout";
  if (status === 429) return "rate_limit";
  if (status === undefined || status >= 500 || status === 409) return "server";
  return status >= 400 ? "bad_request" : "not_found";
}

/** What a code in a stream would have been as a status. */
function statusOfCode(code: string): number | undefined {
  if (/rate.?limit|throttl|too_many|resource_exhausted/.test(code)) return 429;
  if (/auth|api_?key|permission/.test(code)) return 401;
  if (/overload/.test(code)) return 529;
  if (/invalid|bad_?request|badrequest/.test(code)) return 400;
  return undefined;
}

function comesBackMs(message: string): number | undefined {
  const [, amount, unit] = COMES_BACK.exec(message) ?? [];
  if (amount === undefined) return undefined;
  return Math.ceil(Number(amount) * (unit === "ms" ? 1 : unit === "m" ? 60_000 : 1000));
}

/** What the connection itself did: DNS, TLS, refused, reset. */
export function networkFault(error: unknown, context: FailureContext): Fault {
  const code = codeOf(error);
  const host = hostOf(context.endpoint.baseUrl);
  const isTls = /CERT|SSL|TLS|SELF_SIGNED|ISSUER|ALTNAME/.test(code);
  const [what, next] = networkText(code, isTls, host);
  return {
    failure: failure("network", `${context.endpoint.provider}: ${what}. ${next}`, context),
    ...(isTls && { isFinal: true }),
  };
}

/** A limit of our own passed: `no answer`, `silence`. */
export function timeoutFault(what: string, limitMs: number, context: FailureContext): Fault {
  const seconds = Math.max(1, Math.round(limitMs / 1000));
  return {
    failure: failure(
      "timeout",
      `${context.endpoint.provider}: ${what} for ${seconds} s. Try again, or check the server.`,
      context,
    ),
  };
}

/** The endpoint answered, but not in the protocol. */
export function protocolFault(what: string, context: FailureContext, isFinal = false): Fault {
  const text = `${context.endpoint.provider}: ${what}.`;
  const next = isFinal
    ? " Check that the base URL is an OpenAI-compatible API (it often ends in /v1)."
    : " Try again.";
  return { failure: failure("protocol", text + next, context), ...(isFinal && { isFinal }) };
}

/** The endpoint asks for a longer wait than we are willing to make. */
export function waitTooLongFault(fault: Fault, waitMs: number, context: FailureContext): Fault {
  const wait =
    waitMs < 7_200_000
      ? `${Math.round(waitMs / 60_000)} min`
      : `${Math.round(waitMs / 3_600_000)} h`;
  const { provider } = context.endpoint;
  const status = fault.failure.status === undefined ? "" : ` (${fault.failure.status})`;
  const what = fault.failure.kind === "rate_limit" ? "is rate limited" : "is not available";
  const message = `${provider} ${what}${status} and asks to wait ${wait}. Try again then, or choose another model.`;
  return { ...fault, failure: { ...fault.failure, message } };
}

function failure(
  kind: ModelFailure["kind"],
  message: string,
  context: FailureContext,
): ModelFailure {
  return { kind, message: finish(message, context), provider: context.endpoint.provider };
}

/** The system's error code, looked for along the chain of causes. */
function codeOf(error: unknown): string {
  for (let current = error; current instanceof Error; current = current.cause)
    if ("code" in current && typeof current.code === "string") return current.code;
  return "";
}
