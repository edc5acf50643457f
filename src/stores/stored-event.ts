// The edge where stored JSON becomes events again: a cheap check of the parts that readers rely on.
// What fails it is skipped by the store, so that one damaged row never makes a session unloadable.

import type { DurableEvent } from "../conversation/events.ts";
import { isRecord, parseJson } from "../lib/json.ts";
import type { Draft } from "./store.ts";

type Check = (value: unknown) => boolean;
type Shape = Readonly<Record<string, Check>>;

const string: Check = (value) => typeof value === "string";
const count: Check = (value) => Number.isFinite(value);
const present: Check = (value) => value !== undefined;
const optional =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value);
const object = (shape: Shape): Check => {
  // Once a shape, not once a row: a long load checks tens of thousands.
  const members = Object.entries(shape);
  return (value) => isRecord(value) && members.every(([key, check]) => check(value[key]));
};
const list =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check);

const tagged = list(object({ type: string }));
const locations = list(object({ path: string, line: optional(count) }));
const usage = object({ inputTokens: count, outputTokens: count, totalTokens: count });

/** Keyed by the union itself, so that a new event does not compile without its shape. */
const SHAPES: Readonly<Record<DurableEvent["type"], Check>> = {
  user_message: object({ messageId: string, blocks: tagged, text: string }),
  assistant_message: object({
    messageId: string,
    text: string,
    thought: optional(string),
    reasoning: optional(string),
    toolCalls: list(object({ id: string, name: string, arguments: string })),
    model: string,
    outcome: string,
  }),
  tool_call: object({
    toolCallId: string,
    name: string,
    kind: string,
    title: string,
    rawInput: present,
    locations,
    content: tagged,
    status: string,
  }),
  tool_result: object({
    toolCallId: string,
    status: string,
    text: string,
    content: tagged,
    locations: optional(locations),
  }),
  permission: object({
    toolCallId: string,
    tool: string,
    subject: string,
    outcome: string,
    by: string,
  }),
  mode: object({ modeId: string }),
  model: object({ modelId: string }),
  thought_level: object({ level: string }),
  plan: object({ entries: list(object({ content: string, priority: string, status: string })) }),
  compaction: object({ summary: string, upToSeq: count }),
  turn_end: object({ stopReason: string, usage }),
};
const DRAFT = object({ messageId: string, text: string, thought: string, model: string });

function isEventType(type: unknown): type is DurableEvent["type"] {
  return typeof type === "string" && Object.hasOwn(SHAPES, type);
}

function isDurableEvent(value: unknown): value is DurableEvent {
  return isRecord(value) && isEventType(value["type"]) && SHAPES[value["type"]](value);
}

function isDraft(value: unknown): value is Draft {
  return DRAFT(value);
}

/** `undefined` when the text is no event that this version knows. */
export function parseEvent(text: string): DurableEvent | undefined {
  const value = parseJson(text);
  return isDurableEvent(value) ? value : undefined;
}

/** `undefined` when the text is no draft. */
export function parseDraft(text: string): Draft | undefined {
  const value = parseJson(text);
  return isDraft(value) ? value : undefined;
}
