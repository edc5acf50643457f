// What every HTTP endpoint has in common: attempts, retries, adaptations and the address, around a dialect.

import { newToolCallId } from "../lib/ids.ts";
import { adaptTo, initialAdaptation, type Adaptation } from "./adapt.ts";
import { createAddress, isPathMissing, type Address } from "./address.ts";
import { runAttempt, type AttemptEnd, type AttemptJob, type Dialect } from "./attempt.ts";
import type { DeltaEvent } from "./assembler.ts";
import { normalizeBaseUrl } from "./base-url.ts";
import { waitTooLongFault, type Fault } from "./failures.ts";
import { listModels } from "./list-models.ts";
import type { Endpoint, ModelEvent, ModelFailure, ModelRequest, Provider } from "./provider.ts";
import { ANNOUNCE_OVER_MS, BASE_DELAY_MS, decideRetry } from "./retry.ts";
import type { Limits } from "./stream-clock.ts";
import { sleep as realSleep } from "./watchdog.ts";

export type ProviderDeps = {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** In [0, 1). */
  readonly random: () => number;
  /** Resolves after `ms`, or when the signal aborts. Default: a timer. */
  readonly sleep?: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Default: newToolCallId. */
  readonly newCallId?: () => string;
  readonly limits?: Partial<Limits>;
};

const DEFAULT_LIMITS: Limits = {
  firstByteMs: 600_000,
  idleMs: 120_000,
  finishGraceMs: 10_000,
  retryBaseMs: BASE_DELAY_MS,
  listMs: 30_000,
};

/** Throws an Error with a readable text when the endpoint's base URL is not an http(s) address. */
export function createHttpProvider(
  endpoint: Endpoint,
  deps: ProviderDeps,
  dialect: Dialect,
): Provider {
  const base = normalizeBaseUrl(endpoint.baseUrl);
  if (!base.ok) throw new Error(base.error);
  const limits = { ...DEFAULT_LIMITS, ...deps.limits };
  const address = createAddress(base.url);
  const adaptations = new Map<string, Adaptation>();
  const shared = { endpoint, deps, limits, address, adaptations, dialect };
  return {
    name: endpoint.provider,
    stream: (request, signal) => stream(request, signal, shared),
    listModels: (signal) => listModels({ endpoint, address, limits, now: deps.now }, signal),
  };
}

type Shared = {
  readonly endpoint: Endpoint;
  readonly deps: ProviderDeps;
  readonly limits: Limits;
  readonly address: Address;
  readonly adaptations: Map<string, Adaptation>;
  readonly dialect: Dialect;
};

async function* stream(
  request: ModelRequest,
  signal: AbortSignal,
  shared: Shared,
): AsyncGenerator<ModelEvent, void> {
  for (let attempt = 1; ;) {
    if (signal.aborted) return;
    const shown = { text: false, other: false };
    const job = jobFor(request, signal, shared);
    const end = yield* noting(runAttempt(job), shown);
    if (end.type === "aborted" || signal.aborted) return;
    if (end.type === "complete") return yield { ...end.outcome, type: "done" };
    const { fault } = end;
    if (shown.text) return yield failed(fault.failure, true);
    const isChanged = changeRequest(job, fault, shared);
    const next = isChanged ? { delayMs: 0 } : nextAttempt(fault, attempt, request.model, shared);
    if ("failure" in next) return yield failed(next.failure, false);
    if (shown.other) yield { type: "restart" };
    if (next.delayMs > ANNOUNCE_OVER_MS)
      yield { type: "notice", text: noticeText(next.delayMs, fault) };
    if (next.delayMs > 0) await (shared.deps.sleep ?? realSleep)(next.delayMs, signal);
    // A request that was written differently is not the same attempt again.
    if (!isChanged) attempt += 1;
  }
}

function jobFor(request: ModelRequest, signal: AbortSignal, shared: Shared): AttemptJob {
  const { endpoint, deps, limits, address, adaptations, dialect } = shared;
  return {
    endpoint,
    baseUrl: address.current(),
    dialect,
    request,
    adaptation: adaptations.get(request.model) ?? initialAdaptation(endpoint.quirks),
    limits,
    now: deps.now,
    newCallId: deps.newCallId ?? newToolCallId,
    signal,
  };
}

type Shown = { text: boolean; other: boolean };

/** Passes events on and notes what of the attempt has been seen. */
async function* noting(
  attempt: AsyncGenerator<DeltaEvent, AttemptEnd>,
  shown: Shown,
): AsyncGenerator<DeltaEvent, AttemptEnd> {
  try {
    for (;;) {
      const step = await attempt.next();
      if (step.done === true) return step.value;
      if (step.value.type === "text_delta") shown.text = true;
      else shown.other = true;
      yield step.value;
    }
  } finally {
    // A consumer that stops early ends the request with it.
    await attempt.return({ type: "aborted" });
  }
}

/** Learns from a fault how this endpoint wants to be asked; true when the next request will differ. */
function changeRequest(
  { request, baseUrl, adaptation }: AttemptJob,
  fault: Fault,
  { address, adaptations }: Shared,
): boolean {
  if (isPathMissing(fault)) return address.tryOther(baseUrl);
  const { kind, status } = fault.failure;
  if (kind !== "bad_request" && status !== 422) return false;
  const adapted = adaptTo(fault.words ?? "", adaptation);
  if (adapted !== undefined) adaptations.set(request.model, adapted);
  return adapted !== undefined;
}

function nextAttempt(
  fault: Fault,
  attempt: number,
  model: string,
  { deps, limits, endpoint }: Shared,
): { readonly delayMs: number } | { readonly failure: ModelFailure } {
  const decision = decideRetry(fault, attempt, deps.random(), limits.retryBaseMs);
  switch (decision.type) {
    case "retry":
      return decision;
    case "give_up":
      return { failure: fault.failure };
    case "wait_too_long":
      return { failure: waitTooLongFault(fault, decision.waitMs, { endpoint, model }).failure };
    default:
      return decision satisfies never;
  }
}

const failed = (failure: ModelFailure, partial: boolean): ModelEvent => ({
  type: "failed",
  failure,
  partial,
});

function noticeText(delayMs: number, { failure }: Fault): string {
  const { kind, provider, status } = failure;
  const code = status === undefined ? "" : ` (${status})`;
  const what = {
    rate_limit: `${provider} is rate limited`,
    server: `${provider} failed`,
    network: `the connection to ${provider} failed`,
    timeout: `${provider} did not answer in time`,
  };
  const text =
    kind in what ? what[kind as keyof typeof what] : `${provider} did not answer properly`;
  return `Waiting ${Math.round(delayMs / 1000)} s: ${text}${code}.`;
}
