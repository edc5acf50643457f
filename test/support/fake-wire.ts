// A scripted message as the bytes of chat completions and of the Responses API, streamed and whole. Pure.

import type { FakeCall, FakeMessage, FakeUsage } from "./fake-replies.ts";

export type WireContext = {
  readonly model: string;
  readonly usage: FakeUsage;
  readonly includeUsage: boolean;
  readonly newCallId: () => string;
};

const event = (data: unknown): string => `data: ${JSON.stringify(data)}\n\n`;
const named = (type: string, data: object): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`;

function piecesOf(message: FakeMessage): readonly string[] {
  const text = message.text ?? "";
  if (text === "") return [];
  if (Array.isArray(message.deltas)) return message.deltas;
  if (typeof message.deltas !== "number") return text.match(/\S+\s*|\s+/gu) ?? [text];
  const size = Math.max(1, Math.ceil(text.length / message.deltas));
  return text.match(new RegExp(`[\\s\\S]{1,${size}}`, "g")) ?? [text];
}

const argumentsOf = (call: FakeCall): string =>
  typeof call.args === "string" ? call.args : JSON.stringify(call.args);

const finishOf = (message: FakeMessage): string =>
  message.finish ?? ((message.calls?.length ?? 0) > 0 ? "tool_calls" : "stop");

/** Arguments travel in two halves, as real endpoints split them. */
const halves = (text: string): readonly [string, string] => [
  text.slice(0, Math.ceil(text.length / 2)),
  text.slice(Math.ceil(text.length / 2)),
];

export function chatStream(message: FakeMessage, context: WireContext): string[] {
  const base = {
    id: "chatcmpl-fake",
    object: "chat.completion.chunk",
    created: 0,
    model: context.model,
  };
  const chunk = (delta: object, finish: string | null = null) =>
    event({ ...base, choices: [{ index: 0, delta, finish_reason: finish }] });
  const out = [chunk({ role: "assistant", content: "" })];
  if (message.thought !== undefined) out.push(chunk({ reasoning_content: message.thought }));
  for (const piece of piecesOf(message)) out.push(chunk({ content: piece }));
  (message.calls ?? []).forEach((call, index) => {
    const [first, second] = halves(argumentsOf(call));
    const id = call.id ?? context.newCallId();
    out.push(
      chunk({
        tool_calls: [
          { index, id, type: "function", function: { name: call.name, arguments: first } },
        ],
      }),
    );
    out.push(chunk({ tool_calls: [{ index, function: { arguments: second } }] }));
  });
  out.push(chunk({}, finishOf(message)));
  if (context.includeUsage)
    out.push(event({ ...base, choices: [], usage: chatUsage(context.usage) }));
  out.push("data: [DONE]\n\n");
  return out;
}

export function chatWhole(message: FakeMessage, context: WireContext): object {
  const tool_calls = (message.calls ?? []).map((call) => ({
    id: call.id ?? context.newCallId(),
    type: "function",
    function: { name: call.name, arguments: argumentsOf(call) },
  }));
  const body = {
    role: "assistant",
    content: message.text ?? null,
    ...(message.thought !== undefined && { reasoning_content: message.thought }),
    ...(tool_calls.length > 0 && { tool_calls }),
  };
  return {
    id: "chatcmpl-fake",
    object: "chat.completion",
    created: 0,
    model: context.model,
    choices: [{ index: 0, message: body, finish_reason: finishOf(message) }],
    usage: chatUsage(context.usage),
  };
}

function chatUsage(usage: FakeUsage): object {
  return {
    prompt_tokens: usage.input,
    completion_tokens: usage.output,
    total_tokens: usage.input + usage.output,
    prompt_tokens_details: { cached_tokens: usage.cached ?? 0 },
    completion_tokens_details: { reasoning_tokens: usage.reasoning ?? 0 },
  };
}

export function responsesStream(message: FakeMessage, context: WireContext): string[] {
  const out = [named("response.created", { response: { id: "resp_fake", status: "in_progress" } })];
  const output: object[] = [];
  const add = (item: object, deltas: readonly string[]) => {
    const output_index = output.length;
    out.push(
      named("response.output_item.added", {
        output_index,
        item: { ...item, status: "in_progress" },
      }),
    );
    out.push(...deltas);
    output.push(item);
    out.push(named("response.output_item.done", { output_index, item }));
  };
  if (message.thought !== undefined) {
    const summary = [{ type: "summary_text", text: message.thought }];
    add({ type: "reasoning", id: "rs_fake", summary }, [
      named("response.reasoning_summary_text.delta", {
        output_index: output.length,
        delta: message.thought,
      }),
    ]);
  }
  if (message.text !== undefined) {
    const content = [{ type: "output_text", text: message.text, annotations: [] }];
    const output_index = output.length;
    const deltas = piecesOf(message).map((delta) =>
      named("response.output_text.delta", { output_index, content_index: 0, delta }),
    );
    add({ type: "message", id: "msg_fake", role: "assistant", content }, deltas);
  }
  for (const call of message.calls ?? []) {
    const call_id = call.id ?? context.newCallId();
    const output_index = output.length;
    const deltas = halves(argumentsOf(call)).map((delta) =>
      named("response.function_call_arguments.delta", { output_index, delta }),
    );
    add(
      {
        type: "function_call",
        id: `fc_${call_id}`,
        call_id,
        name: call.name,
        arguments: argumentsOf(call),
      },
      deltas,
    );
  }
  const cut = message.finish === "length";
  const ending = cut ? "response.incomplete" : "response.completed";
  out.push(named(ending, { response: responsesBody(message, context, output) }));
  return out;
}

export function responsesWhole(message: FakeMessage, context: WireContext): object {
  const output = [
    ...(message.text === undefined
      ? []
      : [
          {
            type: "message",
            id: "msg_fake",
            role: "assistant",
            content: [{ type: "output_text", text: message.text }],
          },
        ]),
    ...(message.calls ?? []).map((call) => {
      const call_id = call.id ?? context.newCallId();
      return {
        type: "function_call",
        id: `fc_${call_id}`,
        call_id,
        name: call.name,
        arguments: argumentsOf(call),
      };
    }),
  ];
  return responsesBody(message, context, output);
}

function responsesBody(
  message: FakeMessage,
  context: WireContext,
  output: readonly object[],
): object {
  const cut = message.finish === "length";
  const { usage } = context;
  return {
    id: "resp_fake",
    object: "response",
    status: cut ? "incomplete" : "completed",
    ...(cut && { incomplete_details: { reason: "max_output_tokens" } }),
    model: context.model,
    output,
    usage: {
      input_tokens: usage.input,
      output_tokens: usage.output,
      total_tokens: usage.input + usage.output,
      input_tokens_details: { cached_tokens: usage.cached ?? 0 },
      output_tokens_details: { reasoning_tokens: usage.reasoning ?? 0 },
    },
  };
}
