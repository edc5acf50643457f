// Time limits of our own around one request. The runtime's are off: they end slow local models at five minutes, and
// neither they nor the client library notice a stream that stays open and silent.

type WaitResult<T> =
  | { readonly type: "value"; readonly value: T }
  | { readonly type: "error"; readonly error: unknown }
  | { readonly type: "timeout" }
  | { readonly type: "aborted" };

export type Watchdog = Disposable & {
  /** Ends the request; fires with the caller's signal, after a timeout, and on disposal. */
  readonly signal: AbortSignal;
  /**
   * Waits for `promise` at most `limitMs`, or until the caller aborts; resolves at once then, even when the socket
   * under the promise never reports anything again. Never rejects.
   */
  readonly wait: <T>(promise: Promise<T>, limitMs: number) => Promise<WaitResult<T>>;
};

export function createWatchdog(caller: AbortSignal): Watchdog {
  const controller = new AbortController();
  const signal = AbortSignal.any([caller, controller.signal]);

  function wait<T>(promise: Promise<T>, limitMs: number): Promise<WaitResult<T>> {
    return new Promise((resolve) => {
      const settle = (result: WaitResult<T>) => {
        clearTimeout(timer);
        caller.removeEventListener("abort", onAbort);
        resolve(result);
      };
      const onAbort = () => settle({ type: "aborted" });
      const timer = setTimeout(() => {
        controller.abort();
        settle({ type: "timeout" });
      }, limitMs);
      promise.then(
        (value) => settle(caller.aborted ? { type: "aborted" } : { type: "value", value }),
        (error: unknown) => settle(caller.aborted ? { type: "aborted" } : { type: "error", error }),
      );
      if (caller.aborted) onAbort();
      else caller.addEventListener("abort", onAbort, { once: true });
    });
  }

  return { signal, wait, [Symbol.dispose]: () => controller.abort() };
}

/** Resolves after `ms`, or at once when `signal` aborts. */
export function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const onAbort = () => {
      clearTimeout(timer);
      resolve();
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", onAbort);
      resolve();
    }, ms);
    signal.addEventListener("abort", onAbort, { once: true });
  });
}
