// Call ids of exactly nine letters and digits, for Mistral. Pure: the same history always gives the same ids.

import type { Message } from "../conversation/messages.ts";

const LENGTH = 9;
const SHORT = /^[a-zA-Z0-9]{9}$/;

/** Maps every call id of `messages`; ids that fit already stay, and no two ids become one. */
export function shortIds(messages: readonly Message[]): (id: string) => string {
  const map = new Map<string, string>();
  const taken = new Set<string>();
  const add = (id: string, short: string) => {
    map.set(id, short);
    taken.add(short);
  };
  // In order of the conversation, so that a longer history never changes an earlier id.
  for (const message of messages) {
    if (message.role !== "assistant") continue;
    for (const { id } of message.toolCalls) if (!map.has(id)) add(id, free(id, taken));
  }
  return (id) => map.get(id) ?? free(id, taken);
}

function free(id: string, taken: ReadonlySet<string>): string {
  if (SHORT.test(id) && !taken.has(id)) return id;
  for (let salt = 0; ; salt += 1) {
    const short = hashOf(salt === 0 ? id : `${id}#${salt}`);
    if (!taken.has(short)) return short;
  }
}

/** Nine base-36 digits of a 64-bit hash. */
function hashOf(text: string): string {
  const hash = Bun.hash.wyhash(text, 0n);
  return hash.toString(36).padStart(LENGTH, "0").slice(-LENGTH);
}
