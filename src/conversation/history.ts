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
  return outcomeOf(repairWhole(messages));
}

/**
 * `repairHistory` for a conversation that grows: its results are the same, but what was looked at before is only compared.
 * Contract: a list that was given is not changed afterwards.
 */
export function createHistoryRepair(): (messages: readonly Message[]) => RepairedHistory {
  let known: Repair | undefined;
  return (messages) => {
    const rest = known === undefined ? undefined : repairRest(messages, known);
    const work = rest ?? repairWhole(messages);
    known = work.isSettled ? work : undefined;
    return outcomeOf(work);
  };
}

type Repair = {
  readonly messages: readonly Message[];
  readonly repaired: Message[];
  readonly takenIds: Set<string>;
  /** Every call has its result, so that nothing that follows can change what is repaired. */
  isSettled: boolean;
};

function repairWhole(messages: readonly Message[]): Repair {
  const system = joinedSystem(messages);
  const repaired = system === undefined ? [] : [system];
  return repairFrom(0, { messages, repaired, takenIds: new Set(), isSettled: true });
}

/** `undefined` when `messages` are not known ones with others behind them. */
function repairRest(messages: readonly Message[], known: Repair): Repair | undefined {
  const repaired = repairedStart(messages, known);
  if (repaired === undefined) return undefined;
  const { takenIds } = known;
  return repairFrom(known.messages.length, { messages, repaired, takenIds, isSettled: true });
}

function repairFrom(start: number, work: Repair): Repair {
  const { messages, repaired, takenIds } = work;
  for (let index = start; index < messages.length; index += 1) {
    const message = messages[index];
    if (message?.role === "user") pushUser(repaired, message);
    if (message?.role !== "assistant") continue;
    const results = resultsOf(messages, index, message);
    if (results.includes(undefined)) work.isSettled = false;
    pushAssistant(repaired, message, { results, takenIds });
  }
  return work;
}

function outcomeOf({ messages, repaired }: Repair): RepairedHistory {
  const changed =
    repaired.length !== messages.length ||
    repaired.some((message, index) => message !== messages[index]);
  return { messages: changed ? repaired : messages, changed };
}

/** What is repaired already of messages that begin with known ones; `undefined` where they do not. */
function repairedStart(messages: readonly Message[], known: Repair): Message[] | undefined {
  const [first] = messages;
  if (first === undefined || messages.length < known.messages.length) return undefined;
  for (let index = 1; index < known.messages.length; index += 1)
    if (messages[index] !== known.messages[index]) return undefined;
  for (let index = known.messages.length; index < messages.length; index += 1)
    if (messages[index]?.role === "system") return undefined;
  const [knownFirst] = known.messages;
  const repaired = known.repaired.slice();
  if (first === knownFirst) return repaired;
  // The system message is made anew for each turn, with the same text.
  const isSame = first.role === "system" && knownFirst?.role === "system";
  if (!isSame || first.text !== knownFirst.text || knownFirst !== repaired[0]) return undefined;
  repaired[0] = first;
  return repaired;
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
