// Model servers on this machine: where each usually listens, and whether one answers. Asked only when nothing else is
// configured, and never before `initialize` is answered; when to ask is the caller's affair.

import { isRecord, parseJson } from "../lib/json.ts";
import { ollamaBaseUrl } from "./base-url.ts";
import type { Env } from "./home.ts";
import type { ConfiguredEndpoint } from "./build-endpoint.ts";
import { PROVIDERS } from "./provider-table.ts";

/** Enough for any list of local models; more comes from a server of another kind. */
const MAX_ANSWER_BYTES = 1024 * 1024;
const PROBE_TIMEOUT_MS = 300;

/** Ollama where `OLLAMA_HOST` says, and the usual ports of LM Studio, llama.cpp and vLLM. */
export function localServers(env: Env): readonly ConfiguredEndpoint[] {
  return PROVIDERS.flatMap(({ id, title, use, api, quirks, models, baseUrl }) => {
    if (use !== "local" || baseUrl === undefined) return [];
    const url = id === "ollama" ? ollamaBaseUrl(env["OLLAMA_HOST"]) : { ok: true, url: baseUrl };
    if (!url.ok || !("url" in url)) return [];
    const source = id === "ollama" && env["OLLAMA_HOST"] ? "OLLAMA_HOST" : "local server";
    return [{ provider: id, title, baseUrl: url.url, api, source, quirks, models }];
  });
}

/**
 * The servers that answer in time with a list of at least one model, in the order given, that list in `models`.
 * Never rejects; no key is sent.
 */
export async function probeLocalServers(
  signal: AbortSignal,
  options: { readonly servers: readonly ConfiguredEndpoint[]; readonly timeoutMs?: number },
): Promise<readonly ConfiguredEndpoint[]> {
  const limit = AbortSignal.any([
    signal,
    AbortSignal.timeout(options.timeoutMs ?? PROBE_TIMEOUT_MS),
  ]);
  const answers = await Promise.all(options.servers.map((server) => probe(server, limit)));
  return answers.flatMap((answer) => answer ?? []);
}

async function probe(
  server: ConfiguredEndpoint,
  signal: AbortSignal,
): Promise<ConfiguredEndpoint | undefined> {
  try {
    const response = await fetch(`${server.baseUrl}/models`, { signal, redirect: "error" });
    if (!response.ok || response.body === null) return undefined;
    const ids = modelIds(parseJson(await readBounded(response.body)));
    return ids.length === 0 ? undefined : { ...server, models: ids.map((id) => ({ id })) };
  } catch {
    // Nobody there, too slow, or no model server: the same to us.
    return undefined;
  }
}

async function readBounded(body: ReadableStream<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const bytes of body) {
    text += decoder.decode(bytes, { stream: true });
    if (text.length > MAX_ANSWER_BYTES) return "";
  }
  return text;
}

/** `{data: [{id}]}`: anything else on that port is no model server. Models that only embed cannot talk. */
function modelIds(answer: unknown): readonly string[] {
  const data = isRecord(answer) ? answer["data"] : undefined;
  if (!Array.isArray(data)) return [];
  return data
    .map((item) => (isRecord(item) ? item["id"] : undefined))
    .filter((id) => typeof id === "string")
    .filter((id) => !/embed/i.test(id));
}
