// A model request as the body of chat completions. Pure and stable: two requests of one session are the same bytes up
// to the new messages, so `messages` stands last and nothing in the body depends on time or chance.

import type { AssistantMessage, Message, ToolCall } from "../conversation/messages.ts";
import type { Adaptation } from "./adapt.ts";
import type { Endpoint, ModelRequest } from "./provider.ts";
import { shortIds } from "./short-ids.ts";
import { sortedTools } from "./sorted-tools.ts";
import { thoughtFields } from "./thought-level.ts";

type Wire = Readonly<Record<string, unknown>>;

export function toChatBody(
  request: ModelRequest,
  endpoint: Endpoint,
  adaptation: Adaptation,
): Wire {
  const { quirks } = endpoint;
  const tools = sortedTools(request.tools).map(({ name, description, parameters }) => ({
    type: "function",
    function: { name, description, parameters },
  }));
  const usesCacheKey = endpoint.provider === "openai" && request.cacheKey !== undefined;
  return {
    model: request.model,
    stream: true,
    ...(adaptation.withStreamOptions && { stream_options: { include_usage: true } }),
    ...(request.maxOutputTokens !== undefined && {
      [adaptation.maxTokensField]: request.maxOutputTokens,
    }),
    ...(adaptation.withThoughtLevel && thoughtFields(request.thoughtLevel, endpoint)),
    ...(usesCacheKey && { prompt_cache_key: request.cacheKey }),
    ...(tools.length > 0 && { tools }),
    messages: toChatMessages(request.messages, {
      sendReasoning: adaptation.sendReasoning,
      sendsProviderData: takesProviderData(endpoint),
      isMistral: quirks.shortCallIds === true,
    }),
  };
}

type MessageOptions = {
  readonly sendReasoning: Adaptation["sendReasoning"];
  readonly sendsProviderData: boolean;
  readonly isMistral: boolean;
};

function toChatMessages(messages: readonly Message[], options: MessageOptions): readonly Wire[] {
  const idOf = options.isMistral ? shortIds(messages) : (id: string) => id;
  const wire: Wire[] = [];
  for (const message of messages) {
    // Mistral refuses a user message right after a tool result.
    if (options.isMistral && message.role === "user" && wire.at(-1)?.["role"] === "tool")
      wire.push({ role: "assistant", content: "The turn ended here." });
    wire.push(toChatMessage(message, idOf, options));
  }
  return wire;
}

function toChatMessage(
  message: Message,
  idOf: (id: string) => string,
  options: MessageOptions,
): Wire {
  switch (message.role) {
    case "system":
    case "user":
      return { role: message.role, content: message.text };
    case "tool":
      return { role: "tool", tool_call_id: idOf(message.toolCallId), content: message.text };
    case "assistant":
      return toAssistant(message, idOf, options);
    default:
      return message satisfies never;
  }
}

function toAssistant(
  message: AssistantMessage,
  idOf: (id: string) => string,
  options: MessageOptions,
): Wire {
  const field = options.sendReasoning;
  const reasoning = message.reasoning;
  // Items of the Responses API mean nothing to another API.
  const isForeign = reasoning?.startsWith('[{"type":"reasoning"') ?? false;
  // An endpoint that wants reasoning back misses the field on a message with calls, even where there was none.
  const needsField = message.toolCalls.length > 0 || (reasoning !== undefined && !isForeign);
  // Most messages of a long conversation; every request holds all of them.
  if (!needsField) return { role: "assistant", content: message.text };
  return {
    role: "assistant",
    content: message.text,
    ...(field !== undefined && { [field]: isForeign ? "" : (reasoning ?? "") }),
    ...(message.toolCalls.length > 0 && {
      tool_calls: message.toolCalls.map((call) => toCall(call, idOf, options.sendsProviderData)),
    }),
  };
}

function toCall(call: ToolCall, idOf: (id: string) => string, sendsProviderData: boolean): Wire {
  return {
    id: idOf(call.id),
    type: "function",
    function: { name: call.name, arguments: call.arguments },
    ...(sendsProviderData &&
      call.providerData !== undefined && { extra_content: call.providerData }),
  };
}

/** Others answer 400 to a member that they do not know. */
function takesProviderData({ provider, baseUrl }: Endpoint): boolean {
  return provider === "gemini" || provider === "custom" || baseUrl.includes("googleapis.com");
}
