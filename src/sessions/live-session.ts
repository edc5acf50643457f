// A session in memory: who owns it, what it remembers, what it runs. One turn at a time; further prompts wait their turn.

import type { AvailableCommand } from "@agentclientprotocol/sdk/unstable";
import { Budget } from "../agent/compact.ts";
import type { ThoughtLevel } from "../conversation/messages.ts";
import type { PromptBlock } from "../conversation/content.ts";
import type { ClientPort } from "../dispatch/client-port.ts";
import type { ConnectionId, SessionId } from "../lib/ids.ts";
import type { Grant } from "../permissions/grants.ts";
import { type ModeId, MODE_IDS } from "../permissions/modes.ts";
import { internalError } from "../protocol/errors.ts";
import type { McpServerSpec } from "../protocol/params.ts";
import type { SessionRecord } from "../stores/store.ts";
import {
  type ToolSession,
  createToolSession,
  disposeToolSession,
  killStopping,
} from "../tools/tool-session.ts";
import { createServerForms } from "./ask-user.ts";
import type { SessionEnvironment, SessionMasker } from "./environment.ts";
import { HistoryView } from "./history-view.ts";
import { SessionOffers } from "./session-offers.ts";
import { type SessionChoices, configOptions, mustBeKnown } from "./session-state.ts";
import type { TurnResult } from "./turn.ts";
import { MAX_WAITING_TURNS, TurnQueue } from "./turn-queue.ts";
import { Voice } from "./voice.ts";

export class LiveSession {
  readonly id: SessionId;
  readonly environment: SessionEnvironment;
  readonly voice: Voice;
  readonly history = new HistoryView();
  readonly budget = new Budget();
  readonly toolSession: ToolSession;
  readonly grants: Grant[] = [];
  readonly offers: SessionOffers;
  /** Real paths; the first is the session's own directory. */
  readonly roots: readonly string[];
  #record: SessionRecord;
  #owner: { readonly port: ClientPort; readonly replaced: AbortController } | undefined;
  /** Whether this owner was told commands and options in a turn; a client may drop what comes before it knows the session. */
  #isOwnerTold = false;
  /** The commands a client was last told of, as JSON. */
  #toldCommands: string | undefined;
  readonly #turns = new TurnQueue();
  readonly masker: SessionMasker;
  readonly #closing = new AbortController();
  #systemPrompt: Promise<string> | undefined;
  #lastUsed: number;

  constructor(record: SessionRecord, roots: readonly string[], environment: SessionEnvironment) {
    this.id = record.id;
    this.#record = record;
    this.roots = roots;
    this.environment = environment;
    this.#lastUsed = environment.now();
    this.toolSession = createToolSession(environment.outputDirOf(record.id));
    this.masker = environment.createMasker(record.realCwd);
    this.offers = new SessionOffers(environment, record.realCwd, roots, {
      onChange: () => void this.#announceNewCommands(),
      forms: createServerForms({ sessionId: record.id, owner: () => this.owner() }),
    });
    this.voice = new Voice({
      sessionId: record.id,
      store: environment.store,
      maskEvent: (event) => this.masker.maskEvent(event),
      onStored: (entry) => this.history.add(entry),
      modelId: () => this.choices().model.id,
      now: environment.now,
    });
  }

  get record(): SessionRecord {
    return this.#record;
  }

  get isBusy(): boolean {
    return this.#turns.isBusy;
  }

  get lastUsed(): number {
    return this.#lastUsed;
  }

  get port(): ClientPort | undefined {
    return this.#owner?.port;
  }

  owner(): { readonly port: ClientPort; readonly replaced: AbortSignal } | undefined {
    const owner = this.#owner;
    return owner === undefined ? undefined : { port: owner.port, replaced: owner.replaced.signal };
  }

  /** The newest connection owns the session: updates and questions go there from now on. */
  attach(port: ClientPort): void {
    this.touch();
    if (this.#owner?.port === port) return;
    const previous = this.#owner;
    this.#owner = { port, replaced: new AbortController() };
    this.#isOwnerTold = false;
    this.voice.port = port;
    previous?.replaced.abort();
  }

  /** The connection is gone; a running turn goes on and is stored. */
  detach(connectionId: ConnectionId): void {
    if (this.#owner?.port.connectionId !== connectionId) return;
    const previous = this.#owner;
    this.#owner = undefined;
    this.voice.port = undefined;
    previous.replaced.abort();
  }

  /** Built at the first turn and kept: it must not change between requests. */
  systemPrompt(): Promise<string> {
    const { mask } = this.masker;
    return (this.#systemPrompt ??= this.environment.systemPromptFor(
      this.#record.realCwd,
      this.roots,
      mask,
      this.#closing.signal,
    ));
  }

  /** Makes these the session's MCP servers, beside the configured ones; what they are given as secrets is masked. */
  async useServers(specs: readonly McpServerSpec[]): Promise<void> {
    await this.offers.useServers(specs);
    for (const settings of this.offers.servers.settings()) this.masker.learn(settings);
  }

  touch(): void {
    this.#lastUsed = this.environment.now();
  }

  choices(): SessionChoices {
    const { models, defaultThoughtLevel } = this.environment;
    const { modelId, modeId, thoughtLevel = defaultThoughtLevel } = this.#record;
    const model = (modelId === undefined ? undefined : models.find(modelId)) ?? models.fallback();
    return { modeId, model, thoughtLevel };
  }

  get mode(): ModeId {
    return mustBeKnown("modeId", this.#record.modeId, MODE_IDS);
  }

  async setMode(value: unknown, field = "modeId"): Promise<void> {
    const modeId = mustBeKnown(field, value, MODE_IDS);
    await this.#change({ modeId });
    await this.voice.emit({ type: "mode", modeId });
    await this.announceOptions();
  }

  async setModel(value: unknown, field = "modelId"): Promise<void> {
    const ids = this.environment.models.options().map((option) => option.id);
    const modelId = mustBeKnown(field, value, ids);
    await this.#change({ modelId });
    await this.voice.emit({ type: "model", modelId });
    await this.announceOptions();
  }

  async setThoughtLevel(value: unknown): Promise<void> {
    const thoughtLevel: ThoughtLevel = mustBeKnown(
      "value",
      value,
      this.choices().model.thoughtLevels,
    );
    await this.#change({ thoughtLevel });
    await this.voice.emit({ type: "thought_level", level: thoughtLevel });
    await this.announceOptions();
  }

  async setTitle(title: string): Promise<void> {
    await this.#change({ title });
    await this.voice.emit({
      type: "session_info",
      title,
      updatedAt: new Date(this.environment.now()).toISOString(),
    });
  }

  async #change(patch: Partial<SessionRecord>): Promise<void> {
    await this.environment.store.updateSession(this.id, patch);
    this.#record = { ...this.#record, ...patch };
  }

  async announceOptions(): Promise<void> {
    await this.port?.update(this.id, {
      sessionUpdate: "config_option_update",
      configOptions: configOptions(this.choices(), this.environment.models),
    });
  }

  async announceCommands(): Promise<void> {
    await this.offers.reload();
    const availableCommands = this.#availableCommands();
    this.#toldCommands = JSON.stringify(availableCommands);
    await this.port?.update(this.id, {
      sessionUpdate: "available_commands_update",
      availableCommands,
    });
  }

  /** Says what is new, once a client was told anything. */
  async #announceNewCommands(): Promise<void> {
    const isNew =
      this.#toldCommands !== undefined &&
      this.#toldCommands !== JSON.stringify(this.#availableCommands());
    if (isNew && !this.#closing.signal.aborted) await this.announceCommands();
  }

  #availableCommands(): AvailableCommand[] {
    return this.offers
      .commands()
      .all.map(({ name, description, hint }) =>
        hint === undefined ? { name, description } : { name, description, input: { hint } },
      );
  }

  /** Says commands and mode again once an owner, inside its first turn. */
  async tellOwner(): Promise<void> {
    if (this.#isOwnerTold) return;
    this.#isOwnerTold = true;
    await this.announceCommands();
  }

  /**
   * Runs a turn when those before it are over. Resolves with how it ended; throws -32603 `queue_full` when eight wait already.
   * `signal` ends this turn alone; `cancel()` ends every one.
   */
  async prompt(blocks: readonly PromptBlock[], signal: AbortSignal): Promise<TurnResult> {
    if (this.#turns.isFull) {
      throw internalError(
        "queue_full",
        `${MAX_WAITING_TURNS} prompts wait for this session already; let one end or cancel them`,
      );
    }
    const controller = new AbortController();
    const abort = () => controller.abort();
    signal.addEventListener("abort", abort, { once: true });
    if (signal.aborted) abort();
    try {
      return await this.#turns.run(controller, async () => {
        // With it come the loop, the gate and the tools' helpers; a session without a turn needs none of them.
        const { runTurn } = await import("./turn.ts");
        return runTurn(this, blocks, controller);
      });
    } finally {
      signal.removeEventListener("abort", abort);
      this.touch();
    }
  }

  /** Stops the running turn and every waiting one; they all answer `cancelled`. */
  cancel(): void {
    this.#turns.cancel();
  }

  /** The user's own cancel; a second one, when no turn runs any more, ends what still stops after the first. */
  cancelByUser(): void {
    if (!this.#turns.isBusy) killStopping(this.toolSession);
    this.cancel();
  }

  /** Cancels, waits for the turn to end and frees what the session holds. */
  async dispose(): Promise<void> {
    this.#closing.abort();
    this.cancel();
    await this.#turns.idle();
    this.voice.dispose();
    this.#owner?.replaced.abort();
    this.#owner = undefined;
    this.voice.port = undefined;
    await Promise.all([this.offers.dispose(), disposeToolSession(this.toolSession)]);
  }
}
