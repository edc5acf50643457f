// The models that an endpoint itself lists, with what it says about their windows.

import { isRecord, parseJson } from "../lib/json.ts";
import { isPathMissing, type Address } from "./address.ts";
import { answerFault } from "./attempt.ts";
import { networkFault, protocolFault, timeoutFault, type Fault } from "./failures.ts";
import { pathFor, send } from "./http-client.ts";
import type { Endpoint, ModelInfo } from "./provider.ts";
import type { Limits } from "./stream-clock.ts";
import { createWatchdog } from "./watchdog.ts";

export type ListContext = {
  readonly endpoint: Endpoint;
  readonly address: Address;
  readonly limits: Limits;
  readonly now: () => number;
};

type Listed =
  | { readonly type: "models"; readonly models: readonly ModelInfo[] }
  | { readonly type: "fault"; readonly fault: Fault };

/** Sorted by id. Rejects with a readable Error; one request, and one more when the bare address answers 404. */
export async function listModels(
  context: ListContext,
  signal: AbortSignal,
): Promise<readonly ModelInfo[]> {
  for (;;) {
    const baseUrl = context.address.current();
    const listed = await listOnce(context, baseUrl, signal);
    if (listed.type === "models") return listed.models;
    const isMissing = isPathMissing(listed.fault);
    if (!isMissing || !context.address.tryOther(baseUrl))
      throw new Error(listed.fault.failure.message);
  }
}

async function listOnce(
  { endpoint, limits, now }: ListContext,
  baseUrl: string,
  signal: AbortSignal,
): Promise<Listed> {
  using watchdog = createWatchdog(signal);
  const names = { endpoint, model: "any model" };
  const path = pathFor(endpoint, baseUrl, "/models", undefined);
  const read = async () => {
    const answer = await send(endpoint, { baseUrl, path, method: "get", signal: watchdog.signal });
    return { answer, text: answer.type === "ok" ? await answer.response.text() : "" };
  };
  const result = await watchdog.wait(read(), limits.listMs);
  switch (result.type) {
    case "aborted":
      throw new Error("Listing models was cancelled");
    case "timeout":
      return { type: "fault", fault: timeoutFault("no answer", limits.listMs, names) };
    case "error":
      return { type: "fault", fault: networkFault(result.error, names) };
    case "value": {
      const fault = answerFault(result.value.answer, names, now);
      if (fault !== undefined) return { type: "fault", fault };
      const models = modelsOf(parseJson(result.value.text));
      if (models !== undefined) return { type: "models", models };
      return {
        type: "fault",
        fault: protocolFault("answered with something that is no list of models", names, true),
      };
    }
    default:
      return result satisfies never;
  }
}

/** `{data: […]}` as OpenAI has it, `{models: […]}` or a bare list; `undefined` for anything else. */
function modelsOf(value: unknown): readonly ModelInfo[] | undefined {
  const list: unknown = isRecord(value) ? (value["data"] ?? value["models"]) : value;
  if (!Array.isArray(list)) return undefined;
  const models = list.filter(isRecord).flatMap(toModelInfo);
  return models.toSorted((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0));
}

function toModelInfo(raw: Record<string, unknown>): readonly ModelInfo[] {
  const id = raw["id"] ?? raw["name"] ?? raw["model"];
  if (typeof id !== "string" || id === "") return [];
  const name = raw["display_name"] ?? raw["name"];
  const top = isRecord(raw["top_provider"]) ? raw["top_provider"] : {};
  const contextWindow = tokens(
    raw["context_length"],
    raw["context_window"],
    raw["max_model_len"],
    raw["max_context_length"],
    isRecord(raw["meta"]) ? raw["meta"]["n_ctx_train"] : undefined,
  );
  const maxOutputTokens = tokens(
    raw["max_output_tokens"],
    raw["max_completion_tokens"],
    top["max_completion_tokens"],
  );
  return [
    {
      // Gemini prefixes its ids with the name of the collection.
      id: id.replace(/^models\//, ""),
      ...(typeof name === "string" && name !== id && { name }),
      ...(contextWindow !== undefined && { contextWindow }),
      ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    },
  ];
}

function tokens(...candidates: readonly unknown[]): number | undefined {
  return candidates.find((value): value is number => typeof value === "number" && value > 0);
}
