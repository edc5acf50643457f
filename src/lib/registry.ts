// The one way plug-in members are found: by name, in alphabetical order.

export type Named = { readonly name: string };
export type Registry<T extends Named> = {
  readonly names: readonly string[];
  readonly all: readonly T[];
  readonly get: (name: string) => T | undefined;
};

/**
 * Indexes the members that an `all.ts` exports. Order is alphabetical, so a model's prompt cache stays warm.
 * Throws when two members share a name.
 */
export function registryOf<T extends Named>(
  members: Readonly<Record<string, T>> | readonly T[],
): Registry<T> {
  const all = Object.values(members).toSorted((a, b) =>
    a.name < b.name ? -1 : a.name > b.name ? 1 : 0,
  );
  const byName = new Map<string, T>();
  for (const member of all) {
    if (byName.has(member.name)) throw new Error(`Two members are named ${member.name}`);
    byName.set(member.name, member);
  }
  return { names: all.map((member) => member.name), all, get: (name) => byName.get(name) };
}

/** A registry that is always what `current` returns, for members that come and go; `current` should be cheap. */
export function liveRegistry<T extends Named>(current: () => Registry<T>): Registry<T> {
  return {
    get names() {
      return current().names;
    },
    get all() {
      return current().all;
    },
    get: (name) => current().get(name),
  };
}
