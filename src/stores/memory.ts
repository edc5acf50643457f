// The session store without a disk, for one process and no longer than it: tests, and runs that keep nothing.

import type { SessionId, ToolCallId } from "../lib/ids.ts";
import { compareNewestFirst, decodeCursor, encodeCursor, START } from "./cursor.ts";
import { isProcessAlive, mayTakeLease } from "./leases.ts";
import type { Lease, StoreOptions } from "./leases.ts";
import { resolveDirectory } from "./list-directory.ts";
import { countsAsPrompt, LEASE_MS } from "./store.ts";
import type {
  Draft,
  ListPage,
  ListQuery,
  NewEntry,
  SessionRecord,
  Store,
  StoredEntry,
} from "./store.ts";

type StoredDraft = Draft & { readonly parent?: ToolCallId };
type Held = {
  record: SessionRecord;
  readonly entries: StoredEntry[];
  readonly drafts: Map<ToolCallId | "", StoredDraft>;
  lease?: Lease | undefined;
};
type Sessions = Map<SessionId, Held>;

export function createMemoryStore({ now, isAlive = isProcessAlive }: StoreOptions): Store {
  const sessions: Sessions = new Map();
  return {
    createSession: async (record) => create(sessions, record, []),
    getSession: async (id) => sessions.get(id)?.record,
    updateSession: async (id, patch) => {
      const held = mustFind(sessions, id);
      held.record = { ...held.record, ...patch };
    },
    append: async (id, entries) =>
      entries.length === 0 ? [] : append(mustFind(sessions, id), entries, now()),
    entries: async (id, { afterSeq = 0, limit } = {}) => {
      const found = sessions.get(id)?.entries.filter(({ seq }) => seq > afterSeq) ?? [];
      return found.slice(0, limit);
    },
    forkSession: async (from, to, upToSeq) => {
      const entries = mustFind(sessions, from).entries.filter(({ seq }) => seq <= upToSeq);
      create(sessions, { ...to, prompts: entries.filter(countsAsPrompt).length }, entries);
    },
    deleteSession: async (id) => sessions.delete(id),
    listSessions: (query) => list(sessions, query),
    checkpoint: async (id, draft, parent) => {
      const { drafts } = mustFind(sessions, id);
      if (draft === undefined) drafts.delete(parent ?? "");
      else drafts.set(parent ?? "", parent === undefined ? draft : { ...draft, parent });
    },
    drafts: async (id) => [...(sessions.get(id)?.drafts.values() ?? [])],
    acquireLease: async (id, holder) => {
      const held = mustFind(sessions, id);
      const at = { now: now(), isAlive };
      if (!mayTakeLease(held.lease, holder, at)) return false;
      held.lease = { holder, expiresAt: at.now + LEASE_MS };
      return true;
    },
    releaseLease: async (id, { holderId }) => {
      const held = sessions.get(id);
      if (held?.lease?.holder.holderId === holderId) held.lease = undefined;
    },
    [Symbol.asyncDispose]: async () => sessions.clear(),
  };
}

function mustFind(sessions: Sessions, id: SessionId): Held {
  const held = sessions.get(id);
  if (held === undefined) throw new Error(`There is no session ${id} in the store`);
  return held;
}

function create(sessions: Sessions, record: SessionRecord, entries: StoredEntry[]): void {
  if (sessions.has(record.id)) {
    throw new Error(`There is already a session ${record.id} in the store`);
  }
  sessions.set(record.id, { record, entries, drafts: new Map() });
}

function append(held: Held, added: readonly NewEntry[], at: number): readonly StoredEntry[] {
  const first = (held.entries.at(-1)?.seq ?? 0) + 1;
  const stored = added.map((entry, i) => ({ ...entry, seq: first + i, at }));
  held.entries.push(...stored);
  held.record = {
    ...held.record,
    updatedAt: at,
    prompts: held.record.prompts + added.filter(countsAsPrompt).length,
  };
  for (const { event } of added) {
    if (event.type !== "assistant_message") continue;
    for (const [parent, draft] of held.drafts) {
      if (draft.messageId === event.messageId) held.drafts.delete(parent);
    }
  }
  return stored;
}

async function list(sessions: Sessions, query: ListQuery): Promise<ListPage> {
  const { cwd, cursor, limit } = query;
  const after = cursor === undefined ? START : decodeCursor(cursor, cwd);
  if (after === undefined) return { ok: false };
  const directory = cwd === undefined ? undefined : await resolveDirectory(cwd);
  const isInDirectory = (record: SessionRecord) =>
    directory === undefined ||
    record.cwd === directory.asGiven ||
    record.realCwd === directory.real ||
    record.realCwd === directory.asGiven;
  const matching = [...sessions.values()]
    .map(({ record }) => record)
    .filter((record) => record.prompts > 0 && isInDirectory(record))
    .filter((record) => compareNewestFirst(after, record) < 0)
    .toSorted(compareNewestFirst);
  const page = matching.slice(0, limit);
  const last = page.at(-1);
  if (matching.length <= limit || last === undefined) return { ok: true, sessions: page };
  return { ok: true, sessions: page, nextCursor: encodeCursor(last, cwd) };
}
