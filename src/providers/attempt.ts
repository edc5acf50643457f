// One attempt at one request: sends it, reads the stream under our time limits, hands deltas on as they come, and says
// at the end how it went. Decides nothing about trying again.

import type { ModelRequest, Endpoint } from "./provider.ts";
import type { AssembleOptions } from "./assemble.ts";
import type { Assembler, DeltaEvent, Outcome } from "./assembler.ts";
import type { Adaptation } from "./adapt.ts";
import {
  networkFault,
  protocolFault,
  statusFault,
  streamFault,
  timeoutFault,
  type Fault,
} from "./failures.ts";
import type { FailureContext } from "./failure-text.ts";
import { pathFor, send, type HttpAnswer } from "./http-client.ts";
import { parseRetryAfter } from "./retry.ts";
import { createBodyReader, type BodyItem } from "./stream-body.ts";
import { createClock, type Limits } from "./stream-clock.ts";
import { createWatchdog, type Watchdog } from "./watchdog.ts";

/** How one API writes requests and answers. */
export type Dialect = {
  readonly path: string;
  readonly toBody: (request: ModelRequest, endpoint: Endpoint, adaptation: Adaptation) => object;
  readonly createAssembler: (options: AssembleOptions) => Assembler;
};

export type AttemptJob = {
  readonly endpoint: Endpoint;
  readonly baseUrl: string;
  readonly dialect: Dialect;
  readonly request: ModelRequest;
  readonly adaptation: Adaptation;
  readonly limits: Limits;
  /** Milliseconds since 1970, for dates in headers. */
  readonly now: () => number;
  readonly newCallId: () => string;
  readonly signal: AbortSignal;
};

export type AttemptEnd =
  | { readonly type: "complete"; readonly outcome: Extract<Outcome, { type: "complete" }> }
  | { readonly type: "fault"; readonly fault: Fault }
  | { readonly type: "aborted" };

/** Yields what is shown; the generator's return value is how it ended. */
export async function* runAttempt(job: AttemptJob): AsyncGenerator<DeltaEvent, AttemptEnd> {
  using watchdog = createWatchdog(job.signal);
  const context = { endpoint: job.endpoint, model: job.request.model };
  const body = job.dialect.toBody(job.request, job.endpoint, job.adaptation);
  const path = pathFor(job.endpoint, job.baseUrl, job.dialect.path, body);
  const call = {
    baseUrl: job.baseUrl,
    path,
    method: "post",
    body,
    signal: watchdog.signal,
  } as const;
  const sent = await watchdog.wait(send(job.endpoint, call), job.limits.firstByteMs);
  if (sent.type === "aborted") return sent;
  if (sent.type === "timeout")
    return faulty(timeoutFault("no answer", job.limits.firstByteMs, context));
  if (sent.type === "error") return faulty(networkFault(sent.error, context));
  const fault = answerFault(sent.value, context, job.now);
  if (fault !== undefined) return faulty(fault);
  const stream: ReadableStream<Uint8Array> | null =
    sent.value.type === "ok" ? sent.value.response.body : null;
  const reader = stream?.getReader();
  if (reader === undefined) return faulty(networkFault(undefined, context));
  try {
    return yield* readStream(reader, job, watchdog);
  } finally {
    // Not awaited: a dead socket may never confirm.
    void reader.cancel().catch(() => {
      // The body is gone already, and so is what there was to cancel.
    });
  }
}

const faulty = (fault: Fault): AttemptEnd => ({ type: "fault", fault });

/** The fault in an answer's status, if any. */
export function answerFault(
  answer: HttpAnswer,
  context: FailureContext,
  now: () => number,
): Fault | undefined {
  if (answer.type === "ok") return undefined;
  if (answer.type === "error") return networkFault(answer.error, context);
  return statusFault(answer.status, answer.body, context, parseRetryAfter(answer.headers, now()));
}

type Reader = {
  readonly read: () => Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>;
};

async function* readStream(
  reader: Reader,
  job: AttemptJob,
  watchdog: Watchdog,
): AsyncGenerator<DeltaEvent, AttemptEnd> {
  const context = { endpoint: job.endpoint, model: job.request.model };
  const assembler = job.dialect.createAssembler(assembleOptions(job));
  const body = createBodyReader();
  const clock = createClock(job.limits);
  let sawDone = false;
  while (!sawDone && assembler.state() !== "ended") {
    const isComplete = assembler.state() === "complete";
    const limitMs = clock.limitMs(isComplete);
    const startedAt = performance.now();
    const read = await watchdog.wait(reader.read(), limitMs);
    const waitedMs = performance.now() - startedAt;
    if (read.type === "aborted") return read;
    // A response that is complete stays so, whatever the connection does after it.
    if (read.type !== "value" && isComplete) break;
    if (read.type === "timeout") return faulty(timeoutFault("silence", limitMs, context));
    if (read.type === "error") return faulty(networkFault(read.error, context));
    const items = itemsOf(body, read.value.done ? undefined : read.value.value);
    if (items === undefined)
      return faulty(protocolFault("the answer is far too long", context, true));
    clock.waited(waitedMs, items.length > 0);
    for (const item of items) {
      if (item.type === "done") sawDone = true;
      if (sawDone) break;
      const fault = assembler.state() === "open" ? itemFault(item, context) : undefined;
      if (fault !== undefined) return faulty(fault);
      if (item.type === "object") yield* assembler.push(item.value);
    }
    if (read.value.done) break;
  }
  const { events, outcome } = assembler.end(sawDone);
  yield* events;
  if (outcome.type === "complete") return { type: "complete", outcome };
  const reason = outcome.reason === undefined ? "" : ` (${outcome.reason})`;
  return faulty(protocolFault(`the answer broke off before it was complete${reason}`, context));
}

function assembleOptions({ request, newCallId }: AttemptJob): AssembleOptions {
  const usedIds = (): ReadonlySet<string> =>
    new Set(
      request.messages.flatMap((message) =>
        message.role === "assistant" ? message.toolCalls.map(({ id }) => id) : [],
      ),
    );
  return { tools: request.tools, newCallId, usedIds };
}

/** `undefined` when the body passed its size limit. `bytes` undefined: the body has ended. */
function itemsOf(
  body: ReturnType<typeof createBodyReader>,
  bytes: Uint8Array | undefined,
): readonly BodyItem[] | undefined {
  try {
    return bytes === undefined ? body.end() : body.push(bytes);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function itemFault(item: BodyItem, context: FailureContext): Fault | undefined {
  switch (item.type) {
    case "done":
      return undefined;
    case "not_json":
      return item.isHtml
        ? protocolFault("answered with a web page instead of a model's answer", context, true)
        : protocolFault("sent a piece of the answer that is not JSON", context);
    case "object":
      return streamFault(item.value, context);
    default:
      return item satisfies never;
  }
}
