// How long an endpoint may be silent, and how much of that is left. Pure: waits are told to it.

/** Milliseconds. */
export type Limits = {
  /** Until the first byte of the answer, and between two events while only pings come. */
  readonly firstByteMs: number;
  /** Between two bytes. */
  readonly idleMs: number;
  /** Between two events once a finish_reason was seen, for usage and `[DONE]`. */
  readonly finishGraceMs: number;
  readonly retryBaseMs: number;
  /** For listing models. */
  readonly listMs: number;
};

/**
 * Pings keep a stream alive for the idle limit, but not for ever: events must come within the longer limit. Only time
 * spent waiting counts, so a consumer that is slow does not make the endpoint late.
 */
export function createClock(limits: Limits): {
  readonly limitMs: (isComplete: boolean) => number;
  readonly waited: (ms: number, withEvent: boolean) => void;
} {
  let silentMs = 0;
  let hasBytes = false;
  const left = (limitMs: number) => Math.max(0, limitMs - silentMs);
  return {
    limitMs(isComplete) {
      // Counted from the last event: some endpoints send a finish_reason with every chunk.
      if (isComplete) return left(limits.finishGraceMs);
      return hasBytes
        ? Math.min(limits.idleMs, left(limits.firstByteMs))
        : left(limits.firstByteMs);
    },
    waited(ms, withEvent) {
      hasBytes = true;
      silentMs = withEvent ? 0 : silentMs + ms;
    },
  };
}
