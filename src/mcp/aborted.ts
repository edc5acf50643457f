// Abort signals as promises.

/** Resolves when the signal aborts, or at once when it has. */
export function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

/** Settles like `work`, or rejects with `why` when `signal` aborts; `work` is then left alone. */
export function within<T>(work: Promise<T>, signal: AbortSignal, why: string): Promise<T> {
  const stopped = aborted(signal).then((): never => {
    throw new Error(why);
  });
  return Promise.race([work, stopped]);
}
