// Events of the Responses API become text, thoughts and whole calls. Pure.
// https://platform.openai.com/docs/api-reference/responses-streaming

import type { Usage } from "../conversation/messages.ts";
import { isRecord } from "../lib/json.ts";
import { withIds, type AssembleOptions } from "./assemble.ts";
import type { Assembler, DeltaEvent, Outcome } from "./assembler.ts";
import type { SlotCall } from "./call-slots.ts";
import { usageOf } from "./usage.ts";

type Item = {
  call: { callId: string; name: string; args: string } | undefined;
  text: string;
  thought: string;
  raw: Record<string, unknown> | undefined;
};
type Chunk = Readonly<Record<string, unknown>>;

/** Reads one response, streamed or whole. Encrypted reasoning items are kept verbatim as a JSON array. */
export function createResponsesAssembler(options: AssembleOptions): Assembler {
  const items = new Map<string, Item>();
  let status: string | undefined;
  let incompleteReason = "";
  let hasRefusal = false;
  let usage: Usage | undefined;

  function itemAt(chunk: Chunk): Item {
    const place = chunk["output_index"] ?? chunk["item_id"];
    const key = typeof place === "number" || typeof place === "string" ? `${place}` : "0";
    const item = items.get(key) ?? { call: undefined, text: "", thought: "", raw: undefined };
    items.set(key, item);
    return item;
  }

  function onItem(chunk: Chunk, isDone: boolean): DeltaEvent[] {
    const raw = chunk["item"];
    if (!isRecord(raw)) return [];
    const item = itemAt(chunk);
    if (isDone) item.raw = raw;
    if (raw["type"] === "message" && isDone) return missing(item, "text", textOf(raw["content"]));
    if (raw["type"] === "reasoning" && isDone)
      return missing(item, "thought", textOf(raw["summary"]) || textOf(raw["content"]));
    return raw["type"] === "function_call" ? onCall(item, raw, isDone) : [];
  }

  function onCall(item: Item, raw: Record<string, unknown>, isDone: boolean): DeltaEvent[] {
    const isNew = item.call === undefined;
    item.call ??= { callId: stringOf(raw["call_id"]), name: stringOf(raw["name"]), args: "" };
    if (isDone && stringOf(raw["arguments"]) !== "") item.call.args = stringOf(raw["arguments"]);
    if (!isNew) return [];
    const index = [...items.values()].filter(({ call }) => call !== undefined).length - 1;
    return [{ type: "tool_call_started", index, name: item.call.name }];
  }

  /** What a finished item holds beyond its deltas; servers that send no deltas send all of it there. */
  function missing(item: Item, kind: "text" | "thought", whole: string): DeltaEvent[] {
    const rest = item[kind] === "" ? whole : "";
    return rest === "" ? [] : add(item, kind, rest);
  }

  function add(item: Item, kind: "text" | "thought", text: string): DeltaEvent[] {
    if (text === "") return [];
    item[kind] += text;
    return [{ type: kind === "text" ? "text_delta" : "thought_delta", text }];
  }

  function onEnd(response: unknown): DeltaEvent[] {
    if (!isRecord(response)) return [];
    status = stringOf(response["status"]) || "completed";
    usage = usageOf(response) ?? usage;
    const details = response["incomplete_details"];
    if (isRecord(details)) incompleteReason = stringOf(details["reason"]);
    const output: unknown = response["output"];
    if (!Array.isArray(output)) return [];
    return output.flatMap((item: unknown, output_index) => onItem({ item, output_index }, true));
  }

  function push(chunk: Chunk): readonly DeltaEvent[] {
    const delta = stringOf(chunk["delta"]);
    switch (chunk["type"]) {
      case "response.output_item.added":
        return onItem(chunk, false);
      case "response.output_item.done":
        return onItem(chunk, true);
      case "response.output_text.delta":
        return add(itemAt(chunk), "text", delta);
      case "response.refusal.delta":
        hasRefusal = true;
        return add(itemAt(chunk), "text", delta);
      case "response.reasoning_summary_text.delta":
      case "response.reasoning_text.delta":
        return add(itemAt(chunk), "thought", delta);
      case "response.reasoning_summary_part.added":
        return itemAt(chunk).thought === "" ? [] : add(itemAt(chunk), "thought", "\n\n");
      case "response.function_call_arguments.delta": {
        const { call } = itemAt(chunk);
        if (call !== undefined) call.args += delta;
        return [];
      }
      case "response.completed":
      case "response.incomplete":
        return onEnd(chunk["response"]);
      default:
        return chunk["object"] === "response" ? onEnd(chunk) : [];
    }
  }

  function end(): { events: readonly DeltaEvent[]; outcome: Outcome } {
    if (status !== "completed" && status !== "incomplete")
      return {
        events: [],
        outcome: { type: "broken", ...(status !== undefined && { reason: status }) },
      };
    const isRefused = hasRefusal || incompleteReason === "content_filter";
    const isCut = status === "incomplete" && incompleteReason !== "content_filter";
    const calls = isRefused ? [] : withIds([...items.values()].flatMap(toCall), options);
    const reasoning = reasoningOf([...items.values()]);
    return {
      events: [],
      outcome: {
        type: "complete",
        finish: isCut ? "length" : isRefused ? "refusal" : calls.length > 0 ? "tool_calls" : "stop",
        toolCalls: calls,
        ...(reasoning !== undefined && { reasoning }),
        ...(usage !== undefined && { usage }),
      },
    };
  }

  return { push, state: () => (status === undefined ? "open" : "ended"), end };
}

function toCall({ call }: Item): readonly SlotCall[] {
  if (call === undefined) return [];
  const { callId, name, args } = call;
  return [
    { wireId: callId === "" ? undefined : callId, name, arguments: args === "" ? "{}" : args },
  ];
}

/** The reasoning items as they came, when they can be sent back; else the thought that was shown. */
function reasoningOf(items: readonly Item[]): string | undefined {
  const raw = items.flatMap((item) => (item.raw?.["type"] === "reasoning" ? [item.raw] : []));
  if (raw.some((item) => typeof item["encrypted_content"] === "string"))
    return JSON.stringify(
      raw.map(({ id, summary, encrypted_content }) => ({
        type: "reasoning",
        id,
        summary,
        encrypted_content,
      })),
    );
  const thought = items.map((item) => item.thought).join("");
  return thought === "" ? undefined : thought;
}

const stringOf = (value: unknown): string => (typeof value === "string" ? value : "");

function textOf(parts: unknown): string {
  if (!Array.isArray(parts)) return "";
  return parts
    .map((part: unknown) => (isRecord(part) ? stringOf(part["text"] ?? part["refusal"]) : ""))
    .join("");
}
