// What is said between user, model and tools, in no provider's dialect.

import type { JsonValue } from "../lib/json.ts";

export type ToolCall = {
  /** Unique in the session. */
  readonly id: string;
  readonly name: string;
  /** As the model wrote it; history.ts makes it a JSON object string before it is sent back. */
  readonly arguments: string;
  /** What the endpoint wants back with this call, verbatim (Gemini's thought signatures). */
  readonly providerData?: JsonValue;
};

export type AssistantMessage = {
  readonly role: "assistant";
  readonly text: string;
  /** The model's reasoning, verbatim; sent back only where the endpoint wants it. */
  readonly reasoning?: string;
  readonly toolCalls: readonly ToolCall[];
};

export type Message =
  | { readonly role: "system"; readonly text: string }
  | { readonly role: "user"; readonly text: string }
  | AssistantMessage
  | { readonly role: "tool"; readonly toolCallId: string; readonly text: string };

/** Tokens. */
export type Usage = {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly totalTokens: number;
  readonly cachedInputTokens?: number;
  readonly reasoningTokens?: number;
};

export type StopReason = "end_turn" | "max_tokens" | "max_turn_requests" | "refusal" | "cancelled";
export type ThoughtLevel = "off" | "low" | "medium" | "high";
