// Waiting with a limit, for the ends of connections, where something else than a rejection must follow.

/** Resolves true when `work` resolved within `limitMs`, else false. The work goes on. */
export async function withLimit(work: Promise<unknown>, limitMs: number): Promise<boolean> {
  const limit = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => limit.resolve(false), limitMs);
  try {
    return await Promise.race([work.then(() => true), limit.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** Resolves when `signal` aborts. */
export function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) =>
    signal.addEventListener("abort", () => resolve(), { once: true }),
  );
}
