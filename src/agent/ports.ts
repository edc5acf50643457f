// What the loop is given by the session that runs it. Everything with a side effect comes in here.

import type { Access } from "../conversation/access.ts";
import type { Location, ToolContent, ToolKind } from "../conversation/content.ts";
import type { AgentEvent } from "../conversation/events.ts";
import type { Message, ThoughtLevel } from "../conversation/messages.ts";
import type { JsonValue } from "../lib/json.ts";
import type { Registry } from "../lib/registry.ts";
import type { ToolCallId } from "../lib/ids.ts";
import type { Provider } from "../providers/provider.ts";
import type { Tool, ToolContext } from "../tools/tool.ts";
import type { AfterEdit } from "./after-edit.ts";
import type { Budget } from "./compact.ts";

/** The model of the next request; asked anew each time, so that a change takes effect in a running turn. */
export type ModelChoice = {
  readonly provider: Provider;
  readonly model: string;
  readonly thoughtLevel?: ThoughtLevel;
  /** Tokens. */
  readonly contextWindow: number;
  readonly maxOutputTokens?: number;
};

export type GateRequest = {
  readonly toolCallId: ToolCallId;
  readonly tool: string;
  readonly title: string;
  readonly kind: ToolKind;
  readonly access: Access;
  readonly rawInput: JsonValue;
  readonly locations: readonly Location[];
  readonly parent?: ToolCallId;
};

/** What the gate says before anybody was asked. */
export type Verdict =
  | { readonly type: "allow" }
  /** `text` is for the model. */
  | { readonly type: "deny"; readonly text: string }
  | {
      readonly type: "ask";
      readonly ask: (content: readonly ToolContent[], signal: AbortSignal) => Promise<GateAnswer>;
    };

export type GateAnswer =
  | { readonly type: "allow" }
  | { readonly type: "deny"; readonly text: string }
  | { readonly type: "cancelled" };

/** The one gate to every tool: policy, question, record. Contract: fails closed; rejects only for storage trouble. */
export type Gate = (request: GateRequest) => Promise<Verdict>;

/** What is known of a text: the file it was read from, or the command that printed it. */
export type MaskHint = { readonly path?: string; readonly command?: string };

export type Masker = {
  readonly mask: (text: string, hint?: MaskHint) => string;
  readonly unmask: (text: string) => string;
  /** Placeholders in `text` that stand for nothing here: they must not be written or run. */
  readonly unresolved: (text: string) => readonly string[];
};

export type AgentPorts = {
  /** Stores a durable event, then announces it. Rejects only for storage trouble, which ends the turn. */
  readonly emit: (event: AgentEvent) => Promise<void>;
  /** The conversation as the model is told it, without the system message; grows with what is emitted. */
  readonly messages: () => readonly Message[];
  /** The stored entry that message `index` came from, for compaction. */
  readonly seqAt: (index: number) => number | undefined;
  readonly systemPrompt: () => Promise<string>;
  readonly model: () => Promise<ModelChoice>;
  readonly tools: Registry<Tool>;
  /** Keeps requests inside the model's window; belongs to the session, since it learns from reported usage. */
  readonly budget: Budget;
  readonly gate: Gate;
  readonly masker: Masker;
  /** Checks infrastructure code after edits; made anew for each turn. Absent: edits are not followed up. */
  readonly afterEdit?: AfterEdit;
  readonly toolContext: (call: {
    readonly toolCallId: ToolCallId;
    readonly signal: AbortSignal;
    readonly progress: ToolContext["progress"];
  }) => ToolContext;
  readonly cwd: string;
  readonly roots: readonly string[];
  /** What the session has planned, for tools that act on a plan. */
  readonly plans?: ToolContext["plans"];
  readonly cacheKey: string;
  /** Ends the turn as the user's own cancel does: an open question was answered with "cancelled". */
  readonly cancelTurn: () => void;
};
