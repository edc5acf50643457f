// The contract of a session store and what it promises. All methods are async, so that another database can stand in.
//
// Promises: a resolved `append` survives kill -9; entries of a session are numbered from 1 without a gap; a list or load
// never sees half an append; several processes may share one store.

import type { DurableEvent } from "../conversation/events.ts";
import type { ThoughtLevel } from "../conversation/messages.ts";
import type { SessionId, ToolCallId } from "../lib/ids.ts";

export type SessionRecord = {
  readonly id: SessionId;
  /** As the client gave it. */
  readonly cwd: string;
  readonly realCwd: string;
  readonly additionalDirectories: readonly string[];
  readonly title?: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  readonly updatedAt: number;
  /** User prompts so far; sessions without one are not listed. */
  readonly prompts: number;
  readonly modeId: string;
  readonly modelId?: string;
  readonly thoughtLevel?: ThoughtLevel;
};

export type NewEntry = {
  readonly event: DurableEvent;
  /** The tool call whose sub-agent this belongs to; absent for the session itself. */
  readonly parent?: ToolCallId;
};

export type StoredEntry = NewEntry & { readonly seq: number; readonly at: number };

/** The streaming message as of the last checkpoint; at most one for each session and sub-agent. */
export type Draft = {
  readonly messageId: string;
  readonly text: string;
  readonly thought: string;
  readonly model: string;
};

export type SessionPatch = Partial<
  Pick<
    SessionRecord,
    "title" | "modeId" | "modelId" | "thoughtLevel" | "updatedAt" | "additionalDirectories"
  >
>;

export type ListQuery = {
  /** A directory as given or its real path; absent: every session. */
  readonly cwd?: string;
  readonly cursor?: string;
  readonly limit: number;
};

export type ListPage =
  | { readonly ok: true; readonly sessions: readonly SessionRecord[]; readonly nextCursor?: string }
  /** The cursor is not one of ours, or belongs to another filter. */
  | { readonly ok: false };

/**
 * Who holds a session. On the same machine the process is looked for, so that a dead holder's lease ends at once:
 * `host`, `pid` and `startedAt` are what `thisProcess()` in leases.ts says.
 */
export type LeaseHolder = {
  readonly holderId: string;
  readonly host: string;
  readonly pid: number;
  readonly startedAt: number;
};

export type Store = AsyncDisposable & {
  readonly createSession: (record: SessionRecord) => Promise<void>;
  readonly getSession: (id: SessionId) => Promise<SessionRecord | undefined>;
  readonly updateSession: (id: SessionId, patch: SessionPatch) => Promise<void>;
  /**
   * Appends in one transaction, counts `user_message`s that are not `local` as prompts, moves `updatedAt`.
   * `sync: "full"` waits for the disk (turn ends). Rejects when the session does not exist.
   */
  readonly append: (
    id: SessionId,
    entries: readonly NewEntry[],
    options?: { readonly sync?: "normal" | "full" },
  ) => Promise<readonly StoredEntry[]>;
  /** In order of `seq`. `afterSeq` is exclusive. */
  readonly entries: (
    id: SessionId,
    options?: { readonly afterSeq?: number; readonly limit?: number },
  ) => Promise<readonly StoredEntry[]>;
  /** Copies the entries up to and including `upToSeq` to a new session, renumbering nothing. */
  readonly forkSession: (from: SessionId, to: SessionRecord, upToSeq: number) => Promise<void>;
  /** False when there was none. */
  readonly deleteSession: (id: SessionId) => Promise<boolean>;
  readonly listSessions: (query: ListQuery) => Promise<ListPage>;
  /** Replaces the draft; `undefined` removes it. An `assistant_message` appended with its messageId removes it too. */
  readonly checkpoint: (
    id: SessionId,
    draft: Draft | undefined,
    parent?: ToolCallId,
  ) => Promise<void>;
  readonly drafts: (
    id: SessionId,
  ) => Promise<readonly (Draft & { readonly parent?: ToolCallId })[]>;
  /** True when `holder` holds the lease for the next `LEASE_MS`, newly or still. */
  readonly acquireLease: (id: SessionId, holder: LeaseHolder) => Promise<boolean>;
  readonly releaseLease: (id: SessionId, holder: LeaseHolder) => Promise<void>;
};

/** True for what a user asked: not a slash command, not what a sub-agent was told. */
export function countsAsPrompt({ event, parent }: NewEntry): boolean {
  return event.type === "user_message" && event.local !== true && parent === undefined;
}

/** How long a lease lasts unless renewed. */
export const LEASE_MS = 15_000;
