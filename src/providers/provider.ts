// The contract of a model endpoint: one request in, a stream of events out, failures as data.

import type { Message, ThoughtLevel, ToolCall, Usage } from "../conversation/messages.ts";
import type { JsonObject } from "../lib/json.ts";

export type ToolSpec = {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonObject;
};

export type ModelRequest = {
  readonly model: string;
  /** Whole: one system message first, each call with exactly one result. See conversation/history.ts. */
  readonly messages: readonly Message[];
  readonly tools: readonly ToolSpec[];
  readonly thoughtLevel?: ThoughtLevel;
  readonly maxOutputTokens?: number;
  /** The session's directory; only the offline model looks at it. */
  readonly cwd: string;
  /** Stable for a session, for endpoints that route their prompt cache by a key. */
  readonly cacheKey?: string;
};

export type ModelFailure = {
  readonly kind:
    | "auth"
    | "quota"
    | "rate_limit"
    | "not_found"
    | "bad_request"
    | "overflow"
    | "server"
    | "network"
    | "timeout"
    | "protocol"
    | "not_configured";
  /** For a person: at most 300 characters, with provider and status, keys masked, and what to do next. */
  readonly message: string;
  readonly status?: number;
  readonly provider: string;
};

export type ModelEvent =
  | { readonly type: "text_delta"; readonly text: string }
  | { readonly type: "thought_delta"; readonly text: string }
  /** A call of that name has begun; its arguments are still on their way. `index` counts the calls of this response from 0. */
  | { readonly type: "tool_call_started"; readonly index: number; readonly name: string }
  /** Shown as a thought, never stored: `Waiting 12 s: openai is rate limited (429).` */
  | { readonly type: "notice"; readonly text: string }
  /** An attempt failed after thoughts were shown and is made again; what was thought is void. */
  | { readonly type: "restart" }
  | {
      readonly type: "done";
      /** Pending calls decide, not the label: `tool_calls` exactly when `toolCalls` is not empty and the output was not cut. */
      readonly finish: "stop" | "tool_calls" | "length" | "refusal";
      /** In order, each complete; with `length` none of them may run. */
      readonly toolCalls: readonly ToolCall[];
      readonly reasoning?: string;
      readonly usage?: Usage;
    }
  /** Nothing follows. `partial`: text was already shown, so it was not tried again. */
  | { readonly type: "failed"; readonly failure: ModelFailure; readonly partial: boolean };

export type ModelInfo = {
  readonly id: string;
  readonly name?: string;
  /** Tokens. */
  readonly contextWindow?: number;
  readonly maxOutputTokens?: number;
  readonly thoughtLevels?: readonly ThoughtLevel[];
};

/**
 * Contract: `stream` never throws for anything an endpoint or the network did; it ends with exactly one `done` or `failed`.
 * After `signal` aborts it ends within a second, without either.
 */
export type Provider = {
  readonly name: string;
  readonly stream: (request: ModelRequest, signal: AbortSignal) => AsyncIterable<ModelEvent>;
  /** What the endpoint itself lists; rejects with a readable Error. */
  readonly listModels: (signal: AbortSignal) => Promise<readonly ModelInfo[]>;
};

/** One reachable endpoint. Made from configuration (config/models.ts); data only. */
export type Endpoint = {
  /** `openai`, `dashscope`, `ollama`, `custom`, … */
  readonly provider: string;
  readonly baseUrl: string;
  readonly apiKey?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly api: "chat" | "responses";
  /** Where it came from, for `models` and `doctor`: `OPENAI_API_KEY`, `config.json`. */
  readonly source: string;
  readonly quirks: Quirks;
};

/** How an endpoint bends the protocol, as data. Absent: the usual way. */
export type Quirks = {
  /** Send reasoning back as this field of assistant messages. */
  readonly sendReasoning?: "reasoning_content" | "reasoning";
  readonly thoughtStyle?: "reasoning_effort" | "enable_thinking" | "thinking" | "reasoning_object";
  readonly maxTokensField?: "max_tokens" | "max_completion_tokens";
  /** `include_usage` is not understood. */
  readonly noStreamOptions?: true;
  /** Call ids must be exactly 9 letters and digits (Mistral). */
  readonly shortCallIds?: true;
  /** `api-version` query and `api-key` header (Azure). */
  readonly azureApiVersion?: string;
};
