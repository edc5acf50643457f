// Makes any history whole, so that no endpoint refuses it: pure, and the identity on a history that is whole already.
// Broken histories come from cancelled turns, killed processes, other models' habits and hands in the database.

import { isRecord, parseJson } from "../lib/json.ts";
import { INTERRUPTED_TEXT } from "./from-events.ts";
import type { AssistantMessage, Message, ToolCall } from "./messages.ts";

/** Stands for a beginning that is no longer there: endpoints want the user to speak first. */
const LOST_BEGINNING_TEXT = "[The earlier part of this conversation is not kept.]";
const EMPTY_RESULT_TEXT = "(no output)";

/** OpenAI takes 40 characters, Anthropic no others than these. */
const CALL_ID = /^[a-zA-Z0-9_-]{1,40}$/;
/** Room for a suffix that makes an id unique. */
const ID_STEM_LENGTH = 32;
const TOOL_NAME = /^[a-zA-Z0-9_-]{1,64}$/;
const TOOL_NAME_LENGTH = 64;

export type RepairedHistory = {
  readonly messages: readonly Message[];
  /** False: `messages` are those that were given. */
  readonly changed: boolean;
};

/**
 * Contract: in the result one system message stands first (none when there was none), the user speaks first and never
 * twice in a row, nor does the assistant; every call has exactly one result right behind its message and no result
 * lacks its call; call ids are unique and legal, arguments are JSON object strings, and no message is empty.
 */
export function repairHistory(messages: readonly Message[]): RepairedHistory {
  const takenIds = new Set<string>();
  const repaired: Message[] = [];
  const system = joinedSystem(messages);
  if (system !== undefined) repaired.push(system);
  messages.forEach((message, index) => {
    if (message.role === "user") pushUser(repaired, message);
    if (message.role === "assistant")
      pushAssistant(repaired, message, { results: resultsOf(messages, index, message), takenIds });
  });
  const changed =
    repaired.length !== messages.length ||
    repaired.some((message, index) => message !== messages[index]);
  return { messages: changed ? repaired : messages, changed };
}

function joinedSystem(messages: readonly Message[]): Message | undefined {
  const all = messages.filter((message) => message.role === "system" && !isBlank(message.text));
  const [first] = all;
  if (first === undefined) return undefined;
  return withText(first, all.length === 1 ? first.text : joined(...all.map(({ text }) => text)));
}

type TextMessage = Extract<Message, { role: "system" | "user" | "tool" }>;

/** A text is replaced only when it differs, so that a message that was whole stays the same object. */
function withText<T extends Message>(message: T, text: string): T {
  const wellFormed = text.toWellFormed();
  return wellFormed === message.text ? message : { ...message, text: wellFormed };
}

function pushUser(repaired: Message[], message: TextMessage): void {
  if (isBlank(message.text)) return;
  const last = repaired.at(-1);
  if (last?.role === "user")
    repaired[repaired.length - 1] = withText(last, joined(last.text, message.text));
  else repaired.push(withText(message, message.text));
}

type CallContext = {
  /** For each call, in order, the result that belongs to it. */
  readonly results: readonly (TextMessage | undefined)[];
  readonly takenIds: Set<string>;
};

function pushAssistant(
  repaired: Message[],
  message: AssistantMessage,
  { results, takenIds }: CallContext,
): void {
  if (isBlank(message.text) && message.toolCalls.length === 0) return;
  const toolCalls = message.toolCalls.map((call) => repairCall(call, takenIds));
  const last = repaired.at(-1);
  if (last === undefined || last.role === "system")
    repaired.push({ role: "user", text: LOST_BEGINNING_TEXT });
  const whole = withCalls(withText(message, isBlank(message.text) ? "" : message.text), toolCalls);
  if (last?.role === "assistant") repaired[repaired.length - 1] = merged(last, whole);
  else repaired.push(whole);
  toolCalls.forEach((call, index) => repaired.push(resultFor(call, results[index])));
}

function withCalls(message: AssistantMessage, toolCalls: readonly ToolCall[]): AssistantMessage {
  const isSame = toolCalls.every((call, index) => call === message.toolCalls[index]);
  return isSame ? message : { ...message, toolCalls };
}

/** Two answers in a row, of which the first made no calls, are one. Reasoning belongs to the calls it led to. */
function merged(first: AssistantMessage, second: AssistantMessage): AssistantMessage {
  const reasoning = second.reasoning ?? first.reasoning;
  return {
    role: "assistant",
    text: isBlank(second.text) ? first.text : joined(first.text, second.text),
    toolCalls: second.toolCalls,
    ...(reasoning !== undefined && { reasoning }),
  };
}

function resultFor(call: ToolCall, result: TextMessage | undefined): Message {
  if (result?.role !== "tool") return { role: "tool", toolCallId: call.id, text: INTERRUPTED_TEXT };
  const named = result.toolCallId === call.id ? result : { ...result, toolCallId: call.id };
  return withText(named, isBlank(result.text) ? EMPTY_RESULT_TEXT : result.text);
}

/** The results that follow, up to where the same id is used again; the first of several counts. */
function resultsOf(
  messages: readonly Message[],
  index: number,
  { toolCalls }: AssistantMessage,
): readonly (TextMessage | undefined)[] {
  const used = new Set<Message>();
  return toolCalls.map(({ id }) => {
    for (let at = index + 1; at < messages.length; at += 1) {
      const message = messages[at];
      if (message === undefined) break;
      if (message.role === "assistant" && message.toolCalls.some((call) => call.id === id))
        return undefined;
      if (message.role !== "tool" || message.toolCallId !== id || used.has(message)) continue;
      used.add(message);
      return message;
    }
    return undefined;
  });
}

function repairCall(call: ToolCall, takenIds: Set<string>): ToolCall {
  const id = uniqueId(call.id, takenIds);
  takenIds.add(id);
  const name = TOOL_NAME.test(call.name) ? call.name : legalName(call.name);
  const args = objectArguments(call.arguments);
  const isSame = id === call.id && name === call.name && args === call.arguments;
  return isSame ? call : { ...call, id, name, arguments: args };
}

function uniqueId(id: string, takenIds: ReadonlySet<string>): string {
  if (CALL_ID.test(id) && !takenIds.has(id)) return id;
  const stem = id.replace(/[^a-zA-Z0-9_-]/g, "_").slice(0, ID_STEM_LENGTH) || "call";
  for (let n = 1; ; n += 1) {
    const candidate = n === 1 ? stem : `${stem}_${n}`;
    if (!takenIds.has(candidate)) return candidate;
  }
}

function legalName(name: string): string {
  return name.replace(/[^a-zA-Z0-9_-]/g, "_").slice(0, TOOL_NAME_LENGTH) || "unnamed_tool";
}

/** Arguments that no endpoint takes back become `{}`; what the model wrote stands in the result's error text. */
function objectArguments(text: string): string {
  const value = parseJson(text);
  if (isRecord(value)) return text.isWellFormed() ? text : text.toWellFormed();
  return typeof value === "string" && isRecord(parseJson(value)) ? value.toWellFormed() : "{}";
}

const isBlank = (text: string): boolean => text.trim() === "";
const joined = (...texts: readonly string[]): string => texts.join("\n\n");
