// Empties a lane into a stream of any kind: events in order, pings when it is time, an end when told.

import type { Lane, Opening, OutEvent } from "./lane.ts";
import type { Outbox } from "./outbox.ts";

/** Undefined when the client's socket took the bytes at once, else resolves when it did; rejects when it is gone. */
export type Written = Promise<unknown> | undefined;

/** A stream as the pump sees it. */
export type StreamWriter = {
  readonly open: (opening: Opening) => Written;
  readonly send: (events: readonly OutEvent[]) => Written;
  readonly ping: () => Written;
};

export type PumpOptions = {
  readonly outbox: Outbox;
  readonly lane: Lane;
  readonly opening: Opening;
  /** Aborts when the stream is lost, replaced, or not wanted any more. */
  readonly reader: AbortController;
  readonly pingMs: number;
  /** True when the connection has said everything: the stream ends once it is empty. */
  readonly isFinished: () => boolean;
};

/** Joined into one write. Larger writes gain nothing and cost memory. */
const BATCH_BYTES = 64 * 1024;

/** Resolves when the stream is over; a write that fails is the stream's loss and is noted by aborting `reader`. */
export async function pump(writer: StreamWriter, options: PumpOptions): Promise<void> {
  const { outbox, lane, opening, reader, isFinished } = options;
  let isPingDue = false;
  const timer = setInterval(() => {
    isPingDue = true;
    if (lane.reader === reader) lane.wake();
  }, options.pingMs);
  timer.unref();
  try {
    await orAborted(writer.open(opening), reader.signal);
    while (!reader.signal.aborted) {
      const events = lane.peek(BATCH_BYTES);
      if (events.length > 0) {
        const isAll = events.length === lane.unsentCount;
        await orAborted(writer.send(events), reader.signal);
        if (!reader.signal.aborted) outbox.sent(lane, reader, events);
        // A lone message leaves at once; in a flood one turn of the event loop gathers the next write.
        if (isAll) await new Promise<void>((resume) => void setImmediate(resume));
      } else if (isPingDue) {
        isPingDue = false;
        await orAborted(writer.ping(), reader.signal);
      } else if (isFinished()) {
        return;
      } else {
        await lane.changed();
      }
    }
  } catch {
    // The client is gone. Its connection lives on until the grace ends; that is the owner's to see.
    reader.abort();
  } finally {
    clearInterval(timer);
  }
}

/**
 * A write to a client that does not read may never end, and must not outlive its stream. Not a `Promise.race`
 * with one promise of the signal: each race would leave a reaction on it for as long as the stream lives.
 */
function orAborted(written: Written, signal: AbortSignal): Written {
  if (written === undefined) return undefined;
  return new Promise((resolve, reject) => {
    const onAbort = () => resolve(undefined);
    signal.addEventListener("abort", onAbort, { once: true });
    written.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}
