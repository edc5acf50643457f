// Which failures are tried again and after how long. Pure: attempts, randomness and clock come in as arguments.

import type { Fault } from "./failures.ts";

/** Requests in all, the first included. */
export const MAX_ATTEMPTS = 5;
/** A server that lets our own time limits pass is given one more chance only: each costs minutes. */
const MAX_TIMEOUT_ATTEMPTS = 2;
export const BASE_DELAY_MS = 500;
const MAX_DELAY_MS = 30_000;
/** A longer `Retry-After` ends the turn at once: nobody waits for it. */
const MAX_RETRY_AFTER_MS = 120_000;
/** A wait longer than this is announced. */
export const ANNOUNCE_OVER_MS = 2000;
/** Up to this share is taken off a delay, so that clients do not come back all at once. */
const JITTER = 0.25;

export type RetryDecision =
  | { readonly type: "retry"; readonly delayMs: number }
  | { readonly type: "give_up" }
  | { readonly type: "wait_too_long"; readonly waitMs: number };

/** `attempt` counts from 1; `random` is in [0, 1). */
export function decideRetry(
  fault: Fault,
  attempt: number,
  random: number,
  baseMs: number = BASE_DELAY_MS,
): RetryDecision {
  if (!isRetryable(fault)) return { type: "give_up" };
  const { retryAfterMs } = fault;
  if (retryAfterMs !== undefined && retryAfterMs > MAX_RETRY_AFTER_MS)
    return { type: "wait_too_long", waitMs: retryAfterMs };
  if (attempt >= maxAttempts(fault)) return { type: "give_up" };
  // A wait of nothing would spend every attempt inside the same moment.
  if (retryAfterMs !== undefined && retryAfterMs > 0)
    return { type: "retry", delayMs: retryAfterMs };
  const delay = Math.min(baseMs * 2 ** (attempt - 1), MAX_DELAY_MS);
  return { type: "retry", delayMs: Math.round(delay * (1 - JITTER * random)) };
}

function isRetryable({ failure, isFinal }: Fault): boolean {
  if (isFinal === true) return false;
  switch (failure.kind) {
    case "rate_limit":
    case "server":
    case "network":
    case "timeout":
    case "protocol":
      return true;
    default:
      return false;
  }
}

const maxAttempts = ({ failure }: Fault): number =>
  failure.kind === "timeout" && failure.status === undefined ? MAX_TIMEOUT_ATTEMPTS : MAX_ATTEMPTS;

/**
 * The wait that response headers ask for, in milliseconds: `retry-after-ms`, or `retry-after` in seconds or as an HTTP
 * date (RFC 9110, 10.2.3). Past and negative are 0, rubbish is `undefined`.
 */
export function parseRetryAfter(headers: Headers, nowMs: number): number | undefined {
  const ms = numberOf(headers.get("retry-after-ms"));
  if (ms !== undefined) return Math.max(0, ms);
  const value = headers.get("retry-after");
  const seconds = numberOf(value);
  if (seconds !== undefined) return Math.max(0, seconds * 1000);
  // Date.parse takes almost anything with a digit; an HTTP date begins with the day's name.
  const date = value !== null && /^[A-Za-z]{3,9},? /.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - nowMs);
}

function numberOf(value: string | null): number | undefined {
  return value !== null && /^\s*-?\d+(\.\d+)?\s*$/.test(value) ? Number(value) : undefined;
}
