// Assertions for broken invariants of our own. A peer's fault is never an assertion.

/** Throws when `condition` does not hold; the message may be built lazily. */
export function assert(condition: unknown, message: string | (() => string)): asserts condition {
  if (!condition) throw new Error(typeof message === "string" ? message : message());
}

/** Returns `value`, or throws when it is null or undefined. */
export function must<T>(
  value: T | null | undefined,
  message = "A value that must be there is missing",
): T {
  if (value === null || value === undefined) throw new Error(message);
  return value;
}

/** Marks a branch that the types rule out; at run time it throws and names the value. */
export function unreachable(value: never): never {
  throw new Error(`Unexpected value: ${JSON.stringify(value)}`);
}
