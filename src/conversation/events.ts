// The one union of what happens in a session. Durable events are stored before they are announced and are all that
// a load can replay; live events only ever reach a client that is there.

import type { JsonValue } from "../lib/json.ts";
import type { MessageId, ToolCallId } from "../lib/ids.ts";
import type { CommandClass } from "./access.ts";
import type { Location, PlanEntry, PromptBlock, ToolContent, ToolKind } from "./content.ts";
import type { StopReason, ThoughtLevel, ToolCall, Usage } from "./messages.ts";

export type UserMessageEvent = {
  readonly type: "user_message";
  readonly messageId: MessageId;
  readonly blocks: readonly PromptBlock[];
  /** What the model is told, blocks flattened. */
  readonly text: string;
  /** A slash command's prompt and answer are shown, not told to the model. */
  readonly local?: true;
};

export type AssistantMessageEvent = {
  readonly type: "assistant_message";
  readonly messageId: MessageId;
  readonly text: string;
  readonly thought?: string;
  /** Reasoning to send back verbatim, when it differs from the thought that was shown. */
  readonly reasoning?: string;
  readonly toolCalls: readonly ToolCall[];
  readonly model: string;
  /** `broken`: the stream died; `cancelled`: the user stopped it. No call of either ran. */
  readonly outcome: "complete" | "broken" | "cancelled";
  readonly local?: true;
};

export type ToolCallEvent = {
  readonly type: "tool_call";
  readonly toolCallId: ToolCallId;
  readonly name: string;
  readonly kind: ToolKind;
  readonly title: string;
  readonly rawInput: JsonValue;
  readonly locations: readonly Location[];
  readonly content: readonly ToolContent[];
  /** `pending` while a person is asked, else `in_progress`. */
  readonly status: "pending" | "in_progress";
};

export type ToolResultEvent = {
  readonly type: "tool_result";
  readonly toolCallId: ToolCallId;
  readonly status: "completed" | "failed";
  /** What the model is told. */
  readonly text: string;
  readonly content: readonly ToolContent[];
  readonly rawOutput?: JsonValue;
  readonly locations?: readonly Location[];
};

export type PermissionEvent = {
  readonly type: "permission";
  readonly toolCallId: ToolCallId;
  readonly tool: string;
  readonly subject: string;
  readonly class?: CommandClass;
  readonly outcome: "allowed" | "denied" | "cancelled";
  /** The rule, mode or answer that decided: `rule deny bash(terraform destroy:*)`, `mode accept_edits`, `answer allow_once`. */
  readonly by: string;
};

export type DurableEvent =
  | UserMessageEvent
  | AssistantMessageEvent
  | ToolCallEvent
  | ToolResultEvent
  | PermissionEvent
  | { readonly type: "mode"; readonly modeId: string }
  | { readonly type: "model"; readonly modelId: string }
  | { readonly type: "thought_level"; readonly level: ThoughtLevel }
  /** The model's steps for the task at hand; replaces the plan before. */
  | { readonly type: "plan"; readonly entries: readonly PlanEntry[] }
  /** The model sees `summary` in place of every entry up to and including `upToSeq`. */
  | { readonly type: "compaction"; readonly summary: string; readonly upToSeq: number }
  | { readonly type: "turn_end"; readonly stopReason: StopReason | "error"; readonly usage: Usage };

export type LiveEvent =
  | { readonly type: "text_delta"; readonly messageId: MessageId; readonly text: string }
  | { readonly type: "thought_delta"; readonly messageId: MessageId; readonly text: string }
  /** A word of the program's own to the user, shown as text and not told to the model. */
  | { readonly type: "warning"; readonly text: string }
  /** Shown as a thought and never stored: `Waiting 12 s: openai is rate limited (429).` */
  | { readonly type: "notice"; readonly messageId: MessageId; readonly text: string }
  | { readonly type: "tool_running"; readonly toolCallId: ToolCallId; readonly rawInput: JsonValue }
  | {
      readonly type: "tool_progress";
      readonly toolCallId: ToolCallId;
      readonly content: readonly ToolContent[];
    }
  | { readonly type: "usage"; readonly used: number; readonly size: number }
  | { readonly type: "session_info"; readonly title?: string; readonly updatedAt: string };

/** Events of a sub-agent carry the call that started it. */
export type AgentEvent = (DurableEvent | LiveEvent) & { readonly parent?: ToolCallId };
