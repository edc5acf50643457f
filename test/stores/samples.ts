// Records, events and generators that the store tests share.

import fc from "fast-check";
import type { DurableEvent } from "../../src/conversation/events.ts";
import {
  newMessageId,
  newSessionId,
  newToolCallId,
  toMessageId,
  toToolCallId,
} from "../../src/lib/ids.ts";
import type { JsonValue } from "../../src/lib/json.ts";
import type { LeaseHolder, SessionRecord } from "../../src/stores/store.ts";

export function recordOf(patch: Partial<SessionRecord> = {}): SessionRecord {
  return {
    id: newSessionId(),
    cwd: "/srv/app",
    realCwd: "/srv/app",
    additionalDirectories: [],
    createdAt: 1_000,
    updatedAt: 1_000,
    prompts: 0,
    modeId: "default",
    ...patch,
  };
}

export function userMessage(text: string, local?: true): DurableEvent {
  const base = { type: "user_message", messageId: newMessageId(), blocks: [], text } as const;
  return local === undefined ? base : { ...base, local };
}

export function assistantMessage(text: string, messageId: string = newMessageId()): DurableEvent {
  return {
    type: "assistant_message",
    messageId: toMessageId(messageId),
    text,
    toolCalls: [{ id: newToolCallId(), name: "read_file", arguments: '{"path":"main.tf"}' }],
    model: "test-model",
    outcome: "complete",
  };
}

export function holderOf(holderId: string, patch: Partial<LeaseHolder> = {}): LeaseHolder {
  return { holderId, host: "here", pid: 4_000_001, startedAt: 7, ...patch };
}

/** Any string at all, lone surrogates and control characters included. */
const anyText = fc.string({ unit: "binary" });
const toolCallId = fc.nat(5).map((n) => toToolCallId(`call_${n}`));
const locations = fc.array(fc.record({ path: anyText, line: fc.nat() }), { maxLength: 2 });
const content = fc.array(
  fc.oneof(
    fc.record({ type: fc.constant("text" as const), text: anyText }),
    fc.record({ type: fc.constant("diff" as const), path: anyText, newText: anyText }),
  ),
  { maxLength: 3 },
);

export const anyEvent: fc.Arbitrary<DurableEvent> = fc.oneof(
  anyText.map((text) => userMessage(text)),
  anyText.map((text) => userMessage(text, true)),
  anyText.map((text) => assistantMessage(text)),
  fc
    .tuple(toolCallId, anyText, locations, content, fc.jsonValue())
    .map(([id, text, where, shown, value]): DurableEvent => {
      const rawInput: JsonValue = { value: JSON.stringify(value) };
      const call = { toolCallId: id, name: text, kind: "execute", title: text, rawInput } as const;
      return { type: "tool_call", ...call, locations: where, content: shown, status: "pending" };
    }),
  fc.record({
    type: fc.constant("tool_result" as const),
    toolCallId,
    status: fc.constantFrom("completed", "failed"),
    text: anyText,
    content,
  }),
  fc.record({
    type: fc.constant("permission" as const),
    toolCallId,
    tool: anyText,
    subject: anyText,
    outcome: fc.constantFrom("allowed", "denied", "cancelled"),
    by: anyText,
  }),
  fc.record({ type: fc.constant("mode" as const), modeId: anyText }),
  fc.record({ type: fc.constant("model" as const), modelId: anyText }),
  fc.record({ type: fc.constant("thought_level" as const), level: fc.constant("high" as const) }),
  fc.record({ type: fc.constant("compaction" as const), summary: anyText, upToSeq: fc.nat() }),
  fc.record({
    type: fc.constant("turn_end" as const),
    stopReason: fc.constantFrom("end_turn", "cancelled", "error"),
    usage: fc.constant({ inputTokens: 1, outputTokens: 2, totalTokens: 3 }),
  }),
);
