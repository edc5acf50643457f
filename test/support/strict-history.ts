// A validator as strict as the strictest endpoint: what passes here is taken by all of them. Works on the wire
// forms (chat completions and Responses) and, for the pure repair, on our own messages.

import type { Message } from "../../src/conversation/messages.ts";
import { isRecord, parseJson } from "../../src/lib/json.ts";

const CALL_ID = /^[a-zA-Z0-9_-]{1,40}$/;
const TOOL_NAME = /^[a-zA-Z0-9_-]{1,64}$/;

/** What is wrong with the body of a chat-completions request; empty when nothing is. */
export function chatRequestFaults(body: unknown): string[] {
  if (!isRecord(body)) return ["the body is not an object"];
  const faults = [...toolFaults(body["tools"], true), ...chatMessageFaults(body["messages"])];
  if (typeof body["model"] !== "string" || body["model"] === "") faults.push("model is missing");
  const messages = body["messages"];
  const last: unknown = Array.isArray(messages) ? messages.at(-1) : undefined;
  if (isRecord(last) && last["role"] === "assistant")
    faults.push("the last message is the assistant's");
  return faults;
}

/** What is wrong with the body of a Responses request. */
export function responsesRequestFaults(body: unknown): string[] {
  if (!isRecord(body)) return ["the body is not an object"];
  const input: unknown = body["input"];
  if (!Array.isArray(input) || input.length === 0) return ["input is not an array with items"];
  return [
    ...toolFaults(body["tools"], false),
    ...chatMessageFaults(chatFromInput(input, body["instructions"])),
  ];
}

/** What is wrong with our own messages as a whole history. */
export function historyFaults(messages: readonly Message[]): string[] {
  return chatMessageFaults(messages.map(toWire));
}

function toWire(message: Message): unknown {
  if (message.role === "tool")
    return { role: "tool", tool_call_id: message.toolCallId, content: message.text };
  if (message.role !== "assistant") return { role: message.role, content: message.text };
  const tool_calls = message.toolCalls.map((call) => ({
    id: call.id,
    type: "function",
    function: { name: call.name, arguments: call.arguments },
  }));
  return { role: "assistant", content: message.text, ...(tool_calls.length > 0 && { tool_calls }) };
}

function toolFaults(tools: unknown, nested: boolean): string[] {
  if (tools === undefined) return [];
  if (!Array.isArray(tools) || tools.length === 0) return ["tools is not an array with entries"];
  const faults: string[] = [];
  const names = tools.map((tool: unknown) => {
    const spec: unknown = nested && isRecord(tool) ? tool["function"] : tool;
    if (!isRecord(spec) || typeof spec["name"] !== "string" || !TOOL_NAME.test(spec["name"]))
      return (faults.push(`a tool's name is not legal: ${JSON.stringify(tool)}`), "");
    if (!isRecord(spec["parameters"]) || spec["parameters"]["type"] !== "object")
      faults.push(`parameters of ${spec["name"]} are not an object schema`);
    return spec["name"];
  });
  if (new Set(names).size !== names.length) faults.push("two tools share a name");
  if (JSON.stringify(names.toSorted()) !== JSON.stringify(names))
    faults.push("tools are not sorted by name");
  return faults;
}

/** Walks the messages once, keeping which calls still wait for a result. */
function chatMessageFaults(messages: unknown): string[] {
  if (!Array.isArray(messages) || messages.length === 0)
    return ["messages is not an array with entries"];
  const faults: string[] = [];
  const seenIds = new Set<string>();
  let waiting = new Set<string>();
  let previous = "";
  messages.forEach((message: unknown, index): void => {
    const fault = (text: string) => faults.push(`message ${index}: ${text}`);
    if (!isRecord(message)) return void fault("is not an object");
    const role = String(message["role"]);
    if (role !== "tool" && waiting.size > 0) {
      fault(`tool_calls must be followed by tool messages, missing: ${[...waiting].join(", ")}`);
      waiting = new Set();
    }
    if (role === "system" && index > 0) fault("a system message that is not the first");
    if (role === previous && role !== "tool") fault(`two ${role} messages in a row`);
    if (role === "assistant" && (previous === "" || previous === "system"))
      fault("the conversation does not begin with the user");
    if (role === "tool") checkResult(message, waiting, fault);
    else if (role === "assistant") checkAssistant(message, { seenIds, waiting }, fault);
    else if (role === "system" || role === "user") checkText(message["content"], fault);
    else fault(`unknown role ${role}`);
    previous = role;
  });
  if (waiting.size > 0) faults.push(`the last calls have no result: ${[...waiting].join(", ")}`);
  return faults;
}

type Fault = (text: string) => unknown;

function checkText(content: unknown, fault: Fault): void {
  if (typeof content !== "string" || content.trim() === "")
    fault("content is not a string with text");
  else if (!content.isWellFormed()) fault("content holds half a surrogate pair");
}

function checkResult(message: Record<string, unknown>, waiting: Set<string>, fault: Fault): void {
  checkText(message["content"], fault);
  const id = String(message["tool_call_id"]);
  if (!waiting.delete(id)) fault(`a tool result without a call that waits for it: ${id}`);
}

function checkAssistant(
  message: Record<string, unknown>,
  ids: { readonly seenIds: Set<string>; readonly waiting: Set<string> },
  fault: Fault,
): void {
  const calls = message["tool_calls"];
  const content = message["content"];
  const hasText = typeof content === "string" && content.trim() !== "";
  if (typeof content === "string" && !content.isWellFormed())
    fault("content holds half a surrogate pair");
  if (calls === undefined) {
    if (!hasText) fault("an assistant message with neither text nor calls");
    return;
  }
  if (!Array.isArray(calls) || calls.length === 0)
    return void fault("tool_calls is not an array with entries");
  for (const call of calls as readonly unknown[]) checkCall(call, ids, fault);
}

function checkCall(
  call: unknown,
  { seenIds, waiting }: { readonly seenIds: Set<string>; readonly waiting: Set<string> },
  fault: Fault,
): void {
  const spec: unknown = isRecord(call) ? call["function"] : undefined;
  if (!isRecord(call) || !isRecord(spec) || call["type"] !== "function")
    return void fault("a tool call that is not a function call");
  const id = call["id"];
  if (typeof id !== "string" || !CALL_ID.test(id))
    fault(`a call id that is not legal: ${JSON.stringify(id)}`);
  else if (seenIds.has(id)) fault(`the call id ${id} is used twice`);
  else {
    seenIds.add(id);
    waiting.add(id);
  }
  if (typeof spec["name"] !== "string" || !TOOL_NAME.test(spec["name"]))
    fault(`a call's name is not legal: ${JSON.stringify(spec["name"])}`);
  const args = spec["arguments"];
  if (typeof args !== "string" || !isRecord(parseJson(args)) || !args.isWellFormed())
    fault(`arguments are not a JSON object string: ${JSON.stringify(args)}`);
}

/** Reads Responses items as the chat messages they stand for. */
function chatFromInput(input: readonly unknown[], instructions: unknown): unknown[] {
  const messages: Record<string, unknown>[] = [];
  if (typeof instructions === "string") messages.push({ role: "system", content: instructions });
  let assistant: { role: "assistant"; content: string; tool_calls?: unknown[] } | undefined;
  for (const item of input) {
    if (!isRecord(item) || item["type"] === "reasoning") continue;
    const isCall = item["type"] === "function_call";
    if (isCall || item["role"] === "assistant") {
      if (assistant === undefined) messages.push((assistant = { role: "assistant", content: "" }));
      if (isCall) (assistant.tool_calls ??= []).push(callFromItem(item));
      else assistant.content += textOf(item["content"]);
      continue;
    }
    assistant = undefined;
    if (item["type"] === "function_call_output")
      messages.push({ role: "tool", tool_call_id: item["call_id"], content: item["output"] });
    else messages.push({ role: item["role"], content: textOf(item["content"]) });
  }
  return messages;
}

function callFromItem(item: Record<string, unknown>): unknown {
  return {
    id: item["call_id"],
    type: "function",
    function: { name: item["name"], arguments: item["arguments"] },
  };
}

function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content
    .map((part: unknown) =>
      isRecord(part) && typeof part["text"] === "string" ? part["text"] : "",
    )
    .join("");
}
