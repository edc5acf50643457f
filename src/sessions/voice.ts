// The one place where a session speaks: events in, store and client out, in the order they were emitted.
// Durable events are stored (masked) before they are announced; streamed text is coalesced and checkpointed.

import type { AgentEvent, DurableEvent, LiveEvent } from "../conversation/events.ts";
import type { ClientPort } from "../dispatch/client-port.ts";
import { type SessionId, type ToolCallId, toToolCallId } from "../lib/ids.ts";
import { log } from "../lib/log.ts";
import type { Draft, Store, StoredEntry } from "../stores/store.ts";
import { toUpdates } from "./to-update.ts";

/** Streamed text reaches the client at most 60 times a second; the first delta goes at once. */
const FLUSH_INTERVAL_MS = 1_000 / 60;
/** Unsent streamed text (UTF-16 units) above which whoever produces it waits for the client. */
const MAX_UNSENT_LENGTH = 256 * 1024;
/** Streamed text that kill -9 can lose. */
const CHECKPOINT_INTERVAL_MS = 1_000;

type DeltaEvent = Extract<AgentEvent, { type: "text_delta" | "thought_delta" }>;
type Partial = { readonly messageId: string; text: string; thought: string; isSaved: boolean };

export type VoiceParts = {
  readonly sessionId: SessionId;
  readonly store: Store;
  readonly maskEvent: (event: DurableEvent) => DurableEvent;
  readonly onStored: (entry: StoredEntry) => void;
  readonly modelId: () => string;
  readonly now: () => number;
};

const LIVE_TYPES: ReadonlySet<string> = new Set<LiveEvent["type"]>([
  "text_delta",
  "thought_delta",
  "warning",
  "notice",
  "tool_running",
  "tool_progress",
  "usage",
  "session_info",
]);

function isLive(event: AgentEvent): event is LiveEvent & { readonly parent?: ToolCallId } {
  return LIVE_TYPES.has(event.type);
}

function isDelta(event: AgentEvent): event is DeltaEvent {
  return event.type === "text_delta" || event.type === "thought_delta";
}

export class Voice {
  readonly #parts: VoiceParts;
  #port: ClientPort | undefined;
  #chain: Promise<unknown> = Promise.resolve();
  #unsent: DeltaEvent[] = [];
  #unsentLength = 0;
  #lastFlush = Number.NEGATIVE_INFINITY;
  #flushTimer: ReturnType<typeof setTimeout> | undefined;
  #checkpointTimer: ReturnType<typeof setTimeout> | undefined;
  /** The message being streamed, of the session ("") and of each sub-agent. */
  readonly #partials = new Map<string, Partial>();

  constructor(parts: VoiceParts) {
    this.#parts = parts;
  }

  get port(): ClientPort | undefined {
    return this.#port;
  }

  set port(port: ClientPort | undefined) {
    this.#port = port;
  }

  /** Resolves when the event is stored (if durable) and taken by the client's transport; rejects when it cannot be stored. */
  emit(event: AgentEvent): Promise<void> {
    if (isDelta(event)) return this.#stream(event);
    const before = this.#takeUnsent();
    return this.exclusive(async () => {
      await this.#send(before);
      if (!isLive(event)) await this.#store(event);
      await this.#send([event]);
    });
  }

  /** Runs `work` when everything emitted before has been said, and before anything emitted later. */
  exclusive<T>(work: () => Promise<T>): Promise<T> {
    const run = this.#chain.then(work);
    // The caller sees the failure; the next event must be said all the same.
    this.#chain = run.catch(() => undefined);
    return run;
  }

  /** Says what is still unsent and waits until everything emitted so far is said. */
  flush(): Promise<void> {
    const before = this.#takeUnsent();
    return this.exclusive(() => this.#send(before));
  }

  /** The unfinished messages, as a load has to show them. */
  partials(): readonly (Draft & { readonly parent?: ToolCallId })[] {
    const model = this.#parts.modelId();
    return [...this.#partials].map(([parent, { messageId, text, thought }]) => {
      const draft: Draft = { messageId, text, thought, model };
      return parent === "" ? draft : { ...draft, parent: toToolCallId(parent) };
    });
  }

  /** Stops the timers; nothing is emitted afterwards. */
  dispose(): void {
    clearTimeout(this.#flushTimer);
    clearTimeout(this.#checkpointTimer);
  }

  async #stream(event: DeltaEvent): Promise<void> {
    this.#track(event);
    const last = this.#unsent.at(-1);
    if (
      last !== undefined &&
      last.type === event.type &&
      last.messageId === event.messageId &&
      last.parent === event.parent
    ) {
      this.#unsent[this.#unsent.length - 1] = { ...last, text: last.text + event.text };
    } else {
      this.#unsent.push(event);
    }
    this.#unsentLength += event.text.length;
    if (this.#unsentLength > MAX_UNSENT_LENGTH) return this.flush();
    if (this.#flushTimer !== undefined) return;
    const wait = this.#lastFlush + FLUSH_INTERVAL_MS - performance.now();
    if (wait <= 0) {
      void this.flush();
      return;
    }
    this.#flushTimer = setTimeout(() => void this.flush(), wait);
  }

  #takeUnsent(): readonly DeltaEvent[] {
    clearTimeout(this.#flushTimer);
    this.#flushTimer = undefined;
    this.#lastFlush = performance.now();
    const events = this.#unsent;
    this.#unsent = [];
    this.#unsentLength = 0;
    return events;
  }

  async #send(events: readonly AgentEvent[]): Promise<void> {
    for (const event of events) {
      for (const update of toUpdates(event))
        await this.#port?.update(this.#parts.sessionId, update);
    }
  }

  async #store(event: DurableEvent & { readonly parent?: ToolCallId }): Promise<void> {
    const { parent, ...own } = event;
    const masked = this.#parts.maskEvent(own as DurableEvent);
    const entry = parent === undefined ? { event: masked } : { event: masked, parent };
    const sync = event.type === "turn_end" ? "full" : "normal";
    const stored = await this.#parts.store.append(this.#parts.sessionId, [entry], { sync });
    for (const one of stored) this.#parts.onStored(one);
    if (event.type === "assistant_message") this.#partials.delete(parent ?? "");
  }

  #track(event: DeltaEvent): void {
    const key = event.parent ?? "";
    const base = event.messageId.replace(/-thought(-\d+)?$/, "");
    let partial = this.#partials.get(key);
    if (partial?.messageId !== base) {
      partial = { messageId: base, text: "", thought: "", isSaved: false };
      this.#partials.set(key, partial);
    }
    if (event.type === "text_delta") partial.text += event.text;
    else partial.thought += event.text;
    partial.isSaved = false;
    this.#checkpointTimer ??= setTimeout(() => void this.#checkpoint(), CHECKPOINT_INTERVAL_MS);
  }

  async #checkpoint(): Promise<void> {
    this.#checkpointTimer = undefined;
    for (const [parent, partial] of this.#partials) {
      if (partial.isSaved) continue;
      partial.isSaved = true;
      const { messageId, text, thought } = partial;
      const draft: Draft = { messageId, text, thought, model: this.#parts.modelId() };
      try {
        await this.#parts.store.checkpoint(
          this.#parts.sessionId,
          draft,
          parent === "" ? undefined : toToolCallId(parent),
        );
      } catch (error) {
        // The finished message is stored in full later; only a crash before that would miss this draft.
        log.warn("A checkpoint of streamed text could not be stored", error);
      }
    }
  }
}
