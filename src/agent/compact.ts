// Keeping requests inside the model's window: when to summarise and how hard. Where to cut is in find-cut.ts, what is said
// in place of the cut part in summary.ts. The stored history keeps everything; only what the model is told becomes shorter.

import { createHistoryRepair } from "../conversation/history.ts";
import type { Message, Usage } from "../conversation/messages.ts";
import type { ToolSpec } from "../providers/provider.ts";
import { type Calibration, createCalibration, estimateRequest } from "./estimate.ts";
import { findCut } from "./find-cut.ts";
import type { AgentPorts, ModelChoice } from "./ports.ts";
import { summaryOf } from "./summary.ts";
import { NO_USAGE, addUsage } from "./usage.ts";

/** Share of the usable window above which the conversation is summarised before a request. */
const THRESHOLD = 0.85;
/** Share of the usable window that stays verbatim, by attempt; the second is the harder one. */
const KEPT_SHARES = [0.3, 0.08] as const;
/** Tokens kept free for the answer when the model's limit is not known, and the most of the window they may take. */
const DEFAULT_OUTPUT_RESERVE = 8_192;
const MAX_RESERVE_SHARE = 0.25;
/** A request that an endpoint called too long says that its window is smaller than this share of our estimate. */
const LEARNT_WINDOW_SHARE = 0.9;
/** On request: what stays verbatim, of the window and of the conversation. */
const ASKED_SHARES = { ofWindow: 0.1, ofConversation: 0.25 } as const;
/** A reported input below this share of our estimate, for requests over this size, means the server cut the prompt. */
const SILENT_CUT = { share: 0.5, minTokens: 8_000 } as const;

export type Situation = {
  readonly system: Message;
  readonly tools: readonly ToolSpec[];
  readonly choice: ModelChoice;
};

/** The messages of the last request, whose tokens are asked for twice: before it is sent, and when its use was reported. */
type Counted = { readonly messages: readonly Message[]; readonly tokens: number };

/** A request that begins as the last one did costs what that one did and what stands behind it. */
function countFrom(last: Counted | undefined, messages: readonly Message[]): number {
  const count = (part: readonly Message[]) => estimateRequest({ messages: part, tools: [] });
  // The system message is made anew for each turn.
  const isLonger = last?.messages.every(
    (message, index) => index === 0 || messages[index] === message,
  );
  if (last === undefined || isLonger !== true) return count(messages);
  const first = count(messages.slice(0, 1)) - count(last.messages.slice(0, 1));
  return last.tokens + first + count(messages.slice(last.messages.length));
}

export class Budget {
  readonly #calibrations = new Map<string, Calibration>();
  readonly #learntWindows = new Map<string, number>();
  readonly #warnedModels = new Set<string>();
  readonly #repair = createHistoryRepair();
  #counted: Counted | undefined;
  #overflows = 0;
  #spent = NO_USAGE;

  #calibration({ provider, model }: ModelChoice): Calibration {
    const key = keyOf(provider.name, model);
    const known = this.#calibrations.get(key) ?? createCalibration();
    this.#calibrations.set(key, known);
    return known;
  }

  /** Tokens for everything but the answer. */
  #usable({ contextWindow, maxOutputTokens, provider, model }: ModelChoice): number {
    const learnt = this.#learntWindows.get(keyOf(provider.name, model)) ?? Infinity;
    const reserve = Math.min(
      maxOutputTokens ?? DEFAULT_OUTPUT_RESERVE,
      contextWindow * MAX_RESERVE_SHARE,
    );
    return Math.min(contextWindow - reserve, learnt);
  }

  /** The next request's messages as they are sent: megabytes of rubbish that a model wrote as arguments go back as `{}`. */
  #whole({ system }: Situation, ports: AgentPorts): readonly Message[] {
    return this.#repair([system, ...ports.messages()]).messages;
  }

  /** Tokens before calibration. */
  #count(messages: readonly Message[], tools: readonly ToolSpec[]): number {
    if (this.#counted?.messages !== messages)
      this.#counted = { messages, tokens: countFrom(this.#counted, messages) };
    return this.#counted.tokens + estimateRequest({ messages: [], tools });
  }

  /** Notes what was used beside the turn's own requests: by summaries and sub-agents. */
  spend(usage: Usage | undefined): void {
    this.#spent = addUsage(this.#spent, usage);
  }

  /** What was noted since it was last taken. */
  takeSpent(): Usage {
    const spent = this.#spent;
    this.#spent = NO_USAGE;
    return spent;
  }

  /** A new turn has its own two attempts after an overflow. */
  beginTurn(): void {
    this.#overflows = 0;
  }

  /**
   * The messages of the next request, whole. Summarises first when they would come too near to the window: once, then once
   * more harder.
   */
  async makeRoom(
    situation: Situation,
    ports: AgentPorts,
    signal: AbortSignal,
  ): Promise<readonly Message[]> {
    const { tools, choice } = situation;
    let messages = this.#whole(situation, ports);
    // After an overflow the attempts of shrinkAfterOverflow are all there are, until a request gets through.
    if (this.#overflows > 0) return messages;
    const usable = this.#usable(choice);
    for (const share of KEPT_SHARES) {
      const tokens = this.#calibration(choice).apply(this.#count(messages, tools));
      if (signal.aborted || tokens <= usable * THRESHOLD) break;
      if (!(await this.#compact(situation, ports, signal, { kept: usable * share }))) break;
      messages = this.#whole(situation, ports);
    }
    return messages;
  }

  /** After the endpoint said that the request was too long. False: nothing more can be done. */
  async shrinkAfterOverflow(
    situation: Situation,
    ports: AgentPorts,
    signal: AbortSignal,
  ): Promise<boolean> {
    const share = KEPT_SHARES[this.#overflows];
    this.#overflows += 1;
    const usable = this.#learnWindow(situation, ports);
    if (share === undefined || signal.aborted) return false;
    return this.#compact(situation, ports, signal, { kept: usable * share });
  }

  /** Takes over that the window is smaller than believed, where it is the conversation that fills it. */
  #learnWindow(situation: Situation, ports: AgentPorts): number {
    const { system, tools, choice } = situation;
    const fixed = estimateRequest({ messages: [system], tools });
    const sent = this.#count(this.#whole(situation, ports), tools);
    const learnt = this.#calibration(choice).apply(sent) * LEARNT_WINDOW_SHARE;
    const usable = this.#usable(choice);
    if (learnt >= usable || learnt < fixed * 2) return usable;
    this.#learntWindows.set(keyOf(choice.provider.name, choice.model), learnt);
    return learnt;
  }

  /** Summarises because the user wants it. False when there is nothing to cut. */
  async compactNow(situation: Situation, ports: AgentPorts, signal: AbortSignal): Promise<boolean> {
    const all = estimateRequest({ messages: ports.messages(), tools: [] });
    const kept = Math.min(
      this.#usable(situation.choice) * ASKED_SHARES.ofWindow,
      all * ASKED_SHARES.ofConversation,
    );
    return this.#compact(situation, ports, signal, { kept, isBetweenTurns: true });
  }

  /** Puts a summary in place of everything but the last `kept` tokens; in a turn, its request is carried along. */
  async #compact(
    situation: Situation,
    ports: AgentPorts,
    signal: AbortSignal,
    { kept, isBetweenTurns = false }: { readonly kept: number; readonly isBetweenTurns?: boolean },
  ): Promise<boolean> {
    const { choice } = situation;
    const messages = ports.messages();
    const cut = findCut(messages, { kept, most: this.#usable(choice) * THRESHOLD });
    const upToSeq = cut === undefined ? undefined : ports.seqAt(cut - 1);
    if (cut === undefined || upToSeq === undefined) return false;
    const isRequestCut =
      !isBetweenTurns && messages.findLastIndex(({ role }) => role === "user") < cut;
    const old = messages.slice(0, cut);
    const summary = await summaryOf({ old, isRequestCut, choice }, ports, signal);
    if (signal.aborted) return false;
    await ports.emit({ type: "compaction", summary, upToSeq });
    return true;
  }

  /** Learns from what the endpoint reported, shows the use of the window, and says when the prompt was cut silently. */
  async report(
    {
      messages,
      tools,
      choice,
      usage,
    }: {
      readonly messages: readonly Message[];
      readonly tools: readonly ToolSpec[];
      readonly choice: ModelChoice;
      readonly usage: Usage | undefined;
    },
    ports: AgentPorts,
  ): Promise<void> {
    this.#overflows = 0;
    const calibration = this.#calibration(choice);
    const raw = this.#count(messages, tools);
    const size = choice.contextWindow;
    if (usage === undefined || usage.inputTokens === 0) {
      await ports.emit({ type: "usage", used: calibration.apply(raw), size });
      return;
    }
    await ports.emit({ type: "usage", used: usage.inputTokens + usage.outputTokens, size });
    if (raw > SILENT_CUT.minTokens && usage.inputTokens < raw * SILENT_CUT.share) {
      await this.#warnOfSilentCut(choice, usage.inputTokens, raw, ports);
      return;
    }
    calibration.learn({ estimated: raw, reported: usage.inputTokens });
  }

  async #warnOfSilentCut(
    { model, provider }: ModelChoice,
    reported: number,
    estimated: number,
    ports: AgentPorts,
  ): Promise<void> {
    const key = keyOf(provider.name, model);
    if (this.#warnedModels.has(key)) return;
    this.#warnedModels.add(key);
    const text = `[${provider.name} reports only ${reported} input tokens for a request of about ${Math.round(estimated)}: it seems to cut the prompt silently, so the model may forget instructions. Raise the server's context length for ${model} (for Ollama: num_ctx).]\n\n`;
    await ports.emit({ type: "warning", text });
  }
}

const keyOf = (provider: string, model: string): string => `${provider}/${model}`;
