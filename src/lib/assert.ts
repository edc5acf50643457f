// For broken invariants of our own. A peer's fault is never one.

/** Returns `value`, or throws when it is null or undefined. */
export function must<T>(
  value: T | null | undefined,
  message = "A value that must be there is missing",
): T {
  if (value === null || value === undefined) throw new Error(message);
  return value;
}
