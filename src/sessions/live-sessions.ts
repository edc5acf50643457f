// Every session in memory: opening, finding, attaching, forgetting. A connection may use only sessions it opened.

import type { SessionUpdate } from "@agentclientprotocol/sdk/unstable";
import type { ClientPort } from "../dispatch/client-port.ts";
import { type ConnectionId, type SessionId, newSessionId, toSessionId } from "../lib/ids.ts";
import { log } from "../lib/log.ts";
import { sessionNotFound } from "../protocol/errors.ts";
import type { McpServerSpec } from "../protocol/params.ts";
import type { NewEntry, SessionRecord } from "../stores/store.ts";
import { removeToolFiles } from "../tools/tool-session.ts";
import type { SessionEnvironment } from "./environment.ts";
import { LiveSession } from "./live-session.ts";
import { draftEntry, interruptedResults } from "./recover.ts";
import { toReplayUpdates } from "./to-update.ts";

/** Sessions unused for this long leave memory; they come back at the next request that names them. */
export const IDLE_LIMIT_MS = 30 * 60 * 1_000;
const SWEEP_INTERVAL_MS = 60 * 1_000;
/** Updates of a load that are given to the transport before it is waited for. They keep their order. */
const REPLAYED_AT_ONCE = 64;

export type SessionPlace = {
  readonly cwd: string;
  readonly realCwd: string;
  readonly roots: readonly string[];
  readonly additionalDirectories: readonly string[];
  readonly mcpServers: readonly McpServerSpec[];
};

/** What a connection gave with a session that is not stored, for when the session comes back into memory. */
type OpenedAs = Pick<SessionPlace, "roots" | "mcpServers">;

function* replayOf(entries: readonly NewEntry[]): Generator<SessionUpdate> {
  // Each plan replaces the one before: only the last says how things stand.
  const lastPlan = entries.findLast(({ event }) => event.type === "plan")?.event;
  for (const { event, parent } of entries) {
    if (event.type === "plan" && event !== lastPlan) continue;
    yield* toReplayUpdates(parent === undefined ? event : { ...event, parent });
  }
}

export class LiveSessions {
  readonly environment: SessionEnvironment;
  readonly #live = new Map<SessionId, LiveSession>();
  /** Sessions whose last turn and tools are still letting go. */
  readonly #closing = new Map<SessionId, Promise<void>>();
  readonly #opening = new Map<SessionId, Promise<LiveSession | undefined>>();
  readonly #opened = new Map<ConnectionId, Map<SessionId, OpenedAs>>();
  readonly #sweeper: ReturnType<typeof setInterval>;
  #turns = 0;
  #tokens = 0;

  constructor(environment: SessionEnvironment) {
    this.environment = environment;
    this.#sweeper = setInterval(() => this.#sweep(), SWEEP_INTERVAL_MS);
    this.#sweeper.unref();
  }

  /** `turns` and `tokens` count from the start of the process. */
  get gauges(): Readonly<Record<"sessions" | "running" | "turns" | "tokens", number>> {
    const running = [...this.#live.values()].filter((session) => session.isBusy).length;
    return { sessions: this.#live.size, running, turns: this.#turns, tokens: this.#tokens };
  }

  countTurn(): void {
    this.#turns += 1;
  }

  /** What the endpoints reported for a turn that ended. */
  countTokens(tokens: number): void {
    this.#tokens += tokens;
  }

  /** Makes and stores a new session; it belongs to `port`. */
  async create(place: SessionPlace, port: ClientPort): Promise<LiveSession> {
    const { cwd, realCwd, additionalDirectories, roots } = place;
    const now = this.environment.now();
    const record: SessionRecord = {
      id: newSessionId(),
      cwd,
      realCwd,
      additionalDirectories,
      createdAt: now,
      updatedAt: now,
      prompts: 0,
      modeId: this.environment.defaultMode,
    };
    await this.environment.store.createSession(record);
    return this.#adopt(new LiveSession(record, roots, this.environment), place, port);
  }

  /** A new session with the history of another up to its last complete exchange. */
  async fork(from: SessionId, place: SessionPlace, port: ClientPort): Promise<LiveSession> {
    const { store, now } = this.environment;
    const source = await this.mustBeStored(from);
    const entries = await store.entries(from);
    const upToSeq =
      entries.findLast(({ event, parent }) => event.type === "turn_end" && parent === undefined)
        ?.seq ?? 0;
    const at = now();
    const { cwd, realCwd, additionalDirectories } = place;
    const record: SessionRecord = {
      ...source,
      id: newSessionId(),
      cwd,
      realCwd,
      additionalDirectories,
      createdAt: at,
      updatedAt: at,
    };
    await store.forkSession(from, record, upToSeq);
    const stored = await this.mustBeStored(record.id);
    return this.#adopt(new LiveSession(stored, place.roots, this.environment), place, port);
  }

  async mustBeStored(id: string): Promise<SessionRecord> {
    const record = await this.environment.store.getSession(toSessionId(id));
    if (record === undefined) throw sessionNotFound(id);
    return record;
  }

  /** Brings a stored session into memory for `port`, or attaches `port` to the one that is there. */
  async open(record: SessionRecord, place: SessionPlace, port: ClientPort): Promise<LiveSession> {
    const session = await this.#revive(record.id, place);
    if (session === undefined) throw sessionNotFound(record.id);
    this.#remember(port.connectionId, session, place);
    await session.useServers(place.mcpServers);
    return session;
  }

  /**
   * Replays the stored conversation to `port` and makes it the owner, with nothing lost or doubled in between: no event
   * is emitted while the snapshot is taken, and live updates are held back by the dispatcher until the load is answered.
   */
  async replayTo(session: LiveSession, port: ClientPort): Promise<void> {
    const { store } = this.environment;
    const { entries, drafts } = await session.voice.exclusive(async () => {
      const stored = await store.entries(session.id);
      session.attach(port);
      // A running turn knows its unfinished text better than the last checkpoint.
      const partials = session.isBusy ? session.voice.partials() : await store.drafts(session.id);
      return { entries: stored, drafts: partials.map(draftEntry) };
    });
    const interrupted = session.isBusy ? [] : interruptedResults(entries);
    let sent: Promise<void> | undefined;
    let count = 0;
    for (const update of replayOf([...entries, ...drafts, ...interrupted])) {
      sent = port.replay(session.id, update);
      count += 1;
      if (count % REPLAYED_AT_ONCE === 0) await sent;
    }
    await sent;
  }

  /** The session, if this connection opened it; -32602 otherwise, whoever else may have it. */
  async mustFind(id: string, port: ClientPort): Promise<LiveSession> {
    const sessionId = toSessionId(id);
    const openedAs = this.#opened.get(port.connectionId)?.get(sessionId);
    if (openedAs === undefined) throw sessionNotFound(id);
    const session = await this.#revive(sessionId, openedAs);
    if (session === undefined) throw sessionNotFound(id);
    if (session.port === undefined) session.attach(port);
    session.touch();
    return session;
  }

  /** Like `mustFind`, for notifications: `undefined` where nothing of that name is in memory for this connection. */
  find(id: string, port: ClientPort): LiveSession | undefined {
    const sessionId = toSessionId(id);
    return this.#opened.get(port.connectionId)?.has(sessionId) === true
      ? this.#live.get(sessionId)
      : undefined;
  }

  /** Cancels and frees; the history stays. */
  async close(id: string): Promise<void> {
    const sessionId = toSessionId(id);
    const session = this.#live.get(sessionId);
    for (const opened of this.#opened.values()) opened.delete(sessionId);
    if (session !== undefined) this.#release(session);
    await this.#closing.get(sessionId);
  }

  /** Takes the session out of memory; whoever opens it again waits until its last turn has let go. */
  #release(session: LiveSession): void {
    const { id } = session;
    this.#live.delete(id);
    const released = session
      .dispose()
      .catch((error: unknown) => log.warn("A session was not freed cleanly", error))
      .finally(() => this.#closing.delete(id));
    this.#closing.set(id, released);
  }

  /** The connection no longer uses a session that is not in memory anyway. */
  forget(id: string, port: ClientPort): void {
    this.#opened.get(port.connectionId)?.delete(toSessionId(id));
  }

  async delete(id: string): Promise<void> {
    await this.close(id);
    const sessionId = toSessionId(id);
    const wasStored = await this.environment.store.deleteSession(sessionId);
    // Only a name that the store knew is one of ours, and no path of somebody's making.
    if (wasStored) await removeToolFiles(this.environment.outputDirOf(sessionId));
  }

  /** The connection is gone. Its turns go on (and are stored), or are cancelled where the client ended it on purpose. */
  async closeConnection(connectionId: ConnectionId, cancelTurns: boolean): Promise<void> {
    const opened = this.#opened.get(connectionId);
    this.#opened.delete(connectionId);
    const ended: Promise<void>[] = [];
    for (const id of opened?.keys() ?? []) {
      const session = this.#live.get(id);
      if (
        session === undefined ||
        (session.port !== undefined && session.port.connectionId !== connectionId)
      )
        continue;
      // Cancelled turns still tell their client how they ended; others go on without it.
      if (cancelTurns && !this.#isOpenedElsewhere(id)) ended.push(this.close(id));
      else session.detach(connectionId);
    }
    await Promise.all(ended);
  }

  /** Cancels every turn, waits for them and frees everything. */
  async dispose(): Promise<void> {
    clearInterval(this.#sweeper);
    for (const id of this.#live.keys()) void this.close(id);
    await Promise.all(this.#closing.values());
  }

  #isOpenedElsewhere(id: SessionId): boolean {
    return [...this.#opened.values()].some((sessions) => sessions.has(id));
  }

  #remember(connectionId: ConnectionId, session: LiveSession, { mcpServers }: OpenedAs): void {
    const opened = this.#opened.get(connectionId) ?? new Map<SessionId, OpenedAs>();
    opened.set(session.id, { roots: session.roots, mcpServers });
    this.#opened.set(connectionId, opened);
  }

  async #adopt(session: LiveSession, openedAs: OpenedAs, port: ClientPort): Promise<LiveSession> {
    this.#live.set(session.id, session);
    this.#remember(port.connectionId, session, openedAs);
    session.attach(port);
    await session.useServers(openedAs.mcpServers);
    return session;
  }

  /** The live session, made from the store when it is not in memory; two requests at once get the same one. */
  #revive(id: SessionId, openedAs: OpenedAs): Promise<LiveSession | undefined> {
    const live = this.#live.get(id);
    if (live !== undefined) return Promise.resolve(live);
    const opening =
      this.#opening.get(id) ?? this.#read(id, openedAs).finally(() => this.#opening.delete(id));
    this.#opening.set(id, opening);
    return opening;
  }

  async #read(id: SessionId, { roots, mcpServers }: OpenedAs): Promise<LiveSession | undefined> {
    await this.#closing.get(id);
    const record = await this.environment.store.getSession(id);
    if (record === undefined) return undefined;
    const session = new LiveSession(record, roots, this.environment);
    await session.useServers(mcpServers);
    this.#live.set(id, session);
    return session;
  }

  #sweep(): void {
    const oldest = this.environment.now() - IDLE_LIMIT_MS;
    for (const session of this.#live.values()) {
      if (session.isBusy || session.lastUsed > oldest) continue;
      this.#release(session);
    }
  }
}
