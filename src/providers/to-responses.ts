// A model request as the body of the Responses API, stateless: nothing is stored at the endpoint. Pure and stable, as
// to-chat.ts is: `input` stands last.

import type { AssistantMessage, Message } from "../conversation/messages.ts";
import { isRecord, parseJson } from "../lib/json.ts";
import type { Adaptation } from "./adapt.ts";
import type { Endpoint, ModelRequest } from "./provider.ts";
import { sortedTools } from "./sorted-tools.ts";

type Wire = Readonly<Record<string, unknown>>;

export function toResponsesBody(
  request: ModelRequest,
  endpoint: Endpoint,
  adaptation: Adaptation,
): Wire {
  const [first, ...rest] = request.messages;
  const hasSystem = first?.role === "system";
  const tools = sortedTools(request.tools).map(({ name, description, parameters }) => ({
    type: "function",
    name,
    description,
    parameters,
    strict: false,
  }));
  const level = adaptation.withThoughtLevel ? request.thoughtLevel : undefined;
  const effort = level === "off" ? "minimal" : level;
  return {
    model: request.model,
    stream: true,
    store: false,
    include: ["reasoning.encrypted_content"],
    ...(request.maxOutputTokens !== undefined && { max_output_tokens: request.maxOutputTokens }),
    ...(effort !== undefined && { reasoning: { effort, summary: "auto" } }),
    ...(endpoint.provider === "openai" &&
      request.cacheKey !== undefined && { prompt_cache_key: request.cacheKey }),
    ...(tools.length > 0 && { tools }),
    ...(hasSystem && { instructions: first.text }),
    input: (hasSystem ? rest : request.messages).flatMap(toItems),
  };
}

function toItems(message: Message): readonly Wire[] {
  switch (message.role) {
    case "system":
    case "user":
      return [{ role: message.role, content: message.text }];
    case "tool":
      return [{ type: "function_call_output", call_id: message.toolCallId, output: message.text }];
    case "assistant":
      return assistantItems(message);
    default:
      return message satisfies never;
  }
}

function assistantItems({ text, reasoning, toolCalls }: AssistantMessage): readonly Wire[] {
  const calls = toolCalls.map(({ id, name, arguments: args }) => ({
    type: "function_call",
    call_id: id,
    name,
    arguments: args,
  }));
  const said = text === "" ? [] : [{ role: "assistant", content: text }];
  return [...reasoningItems(reasoning), ...said, ...calls];
}

/** Only items that this API made itself can be sent back to it. */
function reasoningItems(reasoning: string | undefined): readonly Wire[] {
  const items = reasoning?.startsWith('[{"type":"reasoning"') ? parseJson(reasoning) : undefined;
  return Array.isArray(items) ? items.filter(isRecord) : [];
}
