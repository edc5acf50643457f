/** What `make` returns, made at the first call: for what costs start-up time and few runs need. A throw is not kept. */
export function lazily<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
