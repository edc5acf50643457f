// Names of other people's things, made fit for model endpoints and clients: legal characters, bounded length, no two
// alike, and the same name for the same set of things whatever their order. Pure.

import { createHash } from "node:crypto";

/** Of a tool, by OpenAI and Anthropic. */
export const NAME_MAX_LENGTH = 64;
const HASH_LENGTH = 8;

export type NamedThing = { readonly server: string; readonly name: string };

function hashOf({ server, name }: NamedThing): string {
  return createHash("sha256")
    .update(JSON.stringify([server, name]))
    .digest("hex")
    .slice(0, HASH_LENGTH);
}

function withHash(plain: string, thing: NamedThing): string {
  return `${plain.slice(0, NAME_MAX_LENGTH - HASH_LENGTH - 1)}_${hashOf(thing)}`;
}

/** `mcp__server__name`; where that is too long, or two would be alike, it ends with a hash of both full names. */
export function assignNames<T extends NamedThing>(
  things: readonly T[],
  fit: (text: string) => string = (text) => text.replaceAll(/[^a-zA-Z0-9_-]/g, "_"),
): ReadonlyMap<string, T> {
  const wanted = things.map((thing) => fit(`mcp__${thing.server}__${thing.name}`));
  const uses = new Map<string, number>();
  for (const plain of wanted) uses.set(plain, (uses.get(plain) ?? 0) + 1);
  const named = new Map<string, T>();
  for (const [index, thing] of things.entries()) {
    const plain = wanted[index] ?? "";
    const isFit = plain.length <= NAME_MAX_LENGTH && uses.get(plain) === 1;
    const name = isFit ? plain : withHash(plain, thing);
    // Two of one server with one name, or a name that looks like another's hash: the first stays.
    if (!named.has(name)) named.set(name, thing);
  }
  return named;
}

/** What can be typed after a slash. */
export const fitCommandName = (text: string): string =>
  text.toLowerCase().replaceAll(/[^a-z0-9_-]/g, "_");
