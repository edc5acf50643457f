// Chat-completion deltas, with every quirk real endpoints have, become text, thoughts and whole calls. Pure: the same
// chunks in any packets give the same events, apart from where a delta is cut.

import type { ToolCall, Usage } from "../conversation/messages.ts";
import { isRecord, type JsonValue } from "../lib/json.ts";
import type { Assembler, DeltaEvent, Outcome } from "./assembler.ts";
import { createCallSlots, type SlotCall } from "./call-slots.ts";
import { deltaText } from "./delta-text.ts";
import type { ToolSpec } from "./provider.ts";
import {
  MAX_TEXT_CALL_LENGTH,
  mayBeTextCall,
  readTextCall,
  TEXT_CALL_HEAD_LENGTH,
} from "./textcalls.ts";
import { createThinkSplitter, type ThinkPiece } from "./think-tags.ts";
import { usageOf } from "./usage.ts";

export type AssembleOptions = {
  readonly tools: readonly ToolSpec[];
  /** Makes an id where the endpoint sent none, or one that it used before. */
  readonly newCallId: () => string;
  /** Ids of earlier responses, which none of this one may repeat. Asked for when there are calls. */
  readonly usedIds?: () => ReadonlySet<string>;
};

/** What every endpoint accepts as a call id: OpenAI takes 40 characters, Anthropic no others than these. */
const CALL_ID = /^[a-zA-Z0-9_-]{1,40}$/;
const LENGTH = new Set([
  "length",
  "max_tokens",
  "max_output_tokens",
  "model_length",
  "model_context_window_exceeded",
]);
const REFUSED = new Set([
  "content_filter",
  "refusal",
  "safety",
  "sensitive",
  "recitation",
  "blocklist",
  "prohibited_content",
]);
/** DeepSeek, GLM and OpenRouter end a response with these when the server gave up. */
const BROKEN = new Set(["error", "network_error", "insufficient_system_resource", "abort"]);

/** Reads one response of chat completions, streamed or whole. */
export function createChatAssembler(options: AssembleOptions): Assembler {
  const slots = createCallSlots(options.tools.map(({ name }) => name));
  let reasoning = "";
  const splitter = createThinkSplitter(() => reasoning !== "");
  /** Text that may turn out to be a call; `undefined` once it is known to be text. */
  let held: string | undefined = options.tools.length > 0 ? "" : undefined;
  let finish: string | undefined;
  let hasRefusal = false;
  let sawChoice = false;
  let usage: Usage | undefined;

  function show(pieces: readonly ThinkPiece[]): DeltaEvent[] {
    return pieces.flatMap((piece) =>
      piece.type === "thought" ? think(piece.text) : say(piece.text),
    );
  }

  function think(text: string): DeltaEvent[] {
    reasoning += text;
    return [{ type: "thought_delta", text }];
  }

  function say(text: string): DeltaEvent[] {
    if (held === undefined) return [{ type: "text_delta", text }];
    // Looking again at a text that is known to begin like a call would take time with the square of its length.
    const isKnown = held.length > TEXT_CALL_HEAD_LENGTH;
    held += text;
    const mayBe = isKnown ? held.length <= MAX_TEXT_CALL_LENGTH : mayBeTextCall(held);
    return mayBe ? [] : release();
  }

  function release(): DeltaEvent[] {
    const text = held ?? "";
    held = undefined;
    return text === "" ? [] : [{ type: "text_delta", text }];
  }

  function pushChoice(choice: Record<string, unknown>): DeltaEvent[] {
    sawChoice = true;
    const label = choice["finish_reason"];
    // DashScope's native habit is the text "null".
    if (typeof label === "string" && label !== "" && label !== "null") finish = label.toLowerCase();
    const delta = choice["delta"] ?? choice["message"];
    if (!isRecord(delta)) return [];
    const parts = deltaText(delta);
    if (parts.refusal !== "") hasRefusal = true;
    return [
      ...(parts.thought === "" ? [] : think(parts.thought)),
      ...(parts.text === "" ? [] : show(splitter.push(parts.text))),
      ...(parts.refusal === "" ? [] : [...show(splitter.end()), ...say(parts.refusal)]),
      ...pushCalls(delta),
    ];
  }

  function pushCalls(delta: Record<string, unknown>): DeltaEvent[] {
    const events: DeltaEvent[] = [];
    for (const entry of [...listOf(delta["tool_calls"]), ...listOf(delta["function_call"])]) {
      const started = slots.add(entry);
      if (started !== undefined) events.push({ type: "tool_call_started", ...started });
    }
    return events;
  }

  function end(sawDone: boolean): { events: readonly DeltaEvent[]; outcome: Outcome } {
    const isComplete = finish !== undefined || (sawDone && sawChoice);
    if (!isComplete || BROKEN.has(finish ?? ""))
      // What was held back was never shown, so the attempt can be made again.
      return {
        events: [],
        outcome: { type: "broken", ...(finish !== undefined && { reason: finish }) },
      };
    const events = show(splitter.end());
    const calls = finalCalls(events);
    const kind = finishKind(calls.length > 0);
    const toolCalls = kind === "refusal" ? [] : calls;
    return {
      events,
      outcome: {
        type: "complete",
        finish: kind,
        toolCalls,
        ...(reasoning !== "" && { reasoning }),
        ...(usage !== undefined && { usage }),
      },
    };
  }

  /** Calls of the protocol, else the one that the text is; adds to `events` what this makes known. */
  function finalCalls(events: DeltaEvent[]): readonly ToolCall[] {
    const calls = slots.calls();
    const isPlain = calls.length === 0 && !hasRefusal && !LENGTH.has(finish ?? "");
    const fromText = isPlain && held !== undefined ? readTextCall(held, options.tools) : undefined;
    if (fromText === undefined) {
      events.push(...release());
      return withIds(calls, options);
    }
    held = undefined;
    events.push({ type: "tool_call_started", index: 0, name: fromText.name });
    return [{ id: options.newCallId(), ...fromText }];
  }

  function finishKind(hasCalls: boolean): "stop" | "tool_calls" | "length" | "refusal" {
    if (LENGTH.has(finish ?? "")) return "length";
    if (hasRefusal || REFUSED.has(finish ?? "")) return "refusal";
    return hasCalls ? "tool_calls" : "stop";
  }

  return {
    push(chunk) {
      usage = usageOf(chunk) ?? usage;
      // With n = 1 several choices are one answer in parts, as some gateways send text and calls apart.
      return listOf(chunk["choices"]).filter(isRecord).flatMap(pushChoice);
    },
    state: () => (finish === undefined ? "open" : "complete"),
    end,
  };
}

/** Gives every call an id that no other has, here or before. */
export function withIds(calls: readonly SlotCall[], options: AssembleOptions): readonly ToolCall[] {
  if (calls.length === 0) return [];
  const taken = new Set(options.usedIds?.());
  return calls.map(({ wireId, name, arguments: args, providerData }) => {
    const isUsable = wireId !== undefined && CALL_ID.test(wireId) && !taken.has(wireId);
    const id = isUsable ? wireId : options.newCallId();
    taken.add(id);
    return {
      id,
      name,
      arguments: args,
      // Came out of JSON, so it is a JSON value.
      ...(providerData !== undefined && { providerData: providerData as JsonValue }),
    };
  });
}

function listOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  return isRecord(value) ? [value] : [];
}
