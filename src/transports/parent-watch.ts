// Notices that the process that started us is gone while its end of our stdin lives on in another process
// (a killed `npx` or `sh -c` wrapper). Signals and EOF do not come then; the parent's id changes.

/** How often the parent's id is asked for. A system call of under a microsecond, so the rate hardly matters. */
export const PARENT_POLL_MS = 2_000;

/**
 * Calls `onGone` once when the parent's id is no longer the one at the start. A process that starts as an
 * orphan (parent 1) is a daemon on purpose and is not watched. The timer never keeps the process alive.
 */
export function watchParent(
  onGone: () => void,
  pollMs: number = PARENT_POLL_MS,
  parentId: () => number = () => process.ppid,
): Disposable {
  const first = parentId();
  if (first <= 1) return { [Symbol.dispose]: () => undefined };
  const timer = setInterval(() => {
    if (parentId() === first) return;
    clearInterval(timer);
    onGone();
  }, pollMs);
  timer.unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
