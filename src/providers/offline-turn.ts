// What the offline reviewer reads off a conversation, and how it speaks. Pure.

import type { Message, ToolCall } from "../conversation/messages.ts";
import { newToolCallId } from "../lib/ids.ts";
import { isRecord, parseJson } from "../lib/json.ts";
import type { ModelEvent } from "./provider.ts";

/** Text is streamed in pieces of about this many UTF-16 units, at line borders. */
const PIECE_LENGTH = 120;

export const HOW_TO_CONNECT = `I am the built-in offline reviewer: rules, no language model. For an agent that understands questions, plans and writes code, connect one:
- set a provider's key, for example OPENAI_API_KEY, ANTHROPIC_API_KEY, DASHSCOPE_API_KEY or DEEPSEEK_API_KEY, or
- run \`iac-code login\`, or
- point IACCODE_BASE_URL, IACCODE_MODEL and IACCODE_API_KEY at any OpenAI-compatible server, or
- start Ollama, LM Studio, llama.cpp or vLLM on this machine; it is found by itself.
`;

/** A call made since the user spoke last, with its result. */
export type Done = {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly result: string;
};

export type OfflineTurn = { readonly asked: string; readonly done: readonly Done[] };

export function turnOf(messages: readonly Message[]): OfflineTurn {
  const start = messages.findLastIndex((message) => message.role === "user");
  const since = messages.slice(start + 1);
  const results = new Map(
    since.flatMap((message) =>
      message.role === "tool" ? [[message.toolCallId, message.text] as const] : [],
    ),
  );
  const calls = since.flatMap((message) => (message.role === "assistant" ? message.toolCalls : []));
  return {
    asked: messages[start]?.text ?? "",
    done: calls.map((call) => {
      const args = parseJson(call.arguments);
      return {
        name: call.name,
        args: isRecord(args) ? args : {},
        result: results.get(call.id) ?? "",
      };
    }),
  };
}

export const isDenied = (result: string): boolean => result.startsWith("Permission denied.");

export function* say(text: string): Generator<ModelEvent> {
  let piece = "";
  for (const line of text.split(/(?<=\n)/)) {
    piece += line;
    if (piece.length < PIECE_LENGTH) continue;
    yield { type: "text_delta", text: piece };
    piece = "";
  }
  if (piece !== "") yield { type: "text_delta", text: piece };
}

/** The last words of a turn. */
export function* sayLast(text: string): Generator<ModelEvent> {
  yield* say(text);
  yield { type: "done", finish: "stop", toolCalls: [] };
}

export type WantedCall = readonly [name: string, args: object];

export function callTools(...wanted: readonly WantedCall[]): ModelEvent {
  const toolCalls = wanted.map(([name, args]): ToolCall => ({
    id: newToolCallId(),
    name,
    arguments: JSON.stringify(args),
  }));
  return { type: "done", finish: "tool_calls", toolCalls };
}
