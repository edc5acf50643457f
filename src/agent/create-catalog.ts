// The model catalog made from configuration: every model of every endpoint that can be used now, and `offline` at the end.

import type { ConfiguredEndpoint } from "../config/build-endpoint.ts";
import { localServers, probeLocalServers } from "../config/local-servers.ts";
import { type Config } from "../config/load.ts";
import { findKnownModel } from "../config/find-provider.ts";
import { type Resolution, resolveEndpoints } from "../config/models.ts";
import type { ModelInfo, Provider } from "../providers/provider.ts";
import type { ModelCatalog, ModelOption } from "./model-catalog.ts";

/** Tokens, where nobody says how large a window is: a cautious guess for hosted models and one for local servers. */
const DEFAULT_WINDOW = 128_000;
const DEFAULT_LOCAL_WINDOW = 32_768;

const NO_CHAT =
  /embed|whisper|transcri|\btts\b|-tts|dall-e|moderation|rerank|gpt-image|sora|realtime|imagen|veo-/i;

export const OFFLINE: ModelOption = {
  id: "offline",
  name: "Offline reviewer (no language model)",
  model: "offline",
  description: "Built in: reviews the project by rules, without any network",
  contextWindow: DEFAULT_WINDOW,
  thoughtLevels: [],
};

export type CatalogParts = {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly openEndpoint: (endpoint: ConfiguredEndpoint) => Promise<Provider>;
  readonly openOffline: () => Promise<Provider>;
};

export type LiveCatalog = ModelCatalog & {
  /** Takes over a configuration that was read anew. */
  readonly use: (config: Config) => void;
  readonly endpoints: () => readonly ConfiguredEndpoint[];
  readonly problems: () => readonly string[];
};

type Entry = { readonly option: ModelOption; readonly endpoint: ConfiguredEndpoint };

/** What is said of a model by the endpoint itself goes before what the table knows. */
function toOption(endpoint: ConfiguredEndpoint, { id, ...said }: ModelInfo): ModelOption {
  const known = { ...findKnownModel(id, endpoint.models), ...said };
  const isLocal = endpoint.source === "local server" || endpoint.source === "OLLAMA_HOST";
  return {
    id: `${endpoint.provider}/${id}`,
    name: known.name ?? id,
    model: id,
    description: `${endpoint.title} (${endpoint.source})`,
    contextWindow: known.contextWindow ?? (isLocal ? DEFAULT_LOCAL_WINDOW : DEFAULT_WINDOW),
    ...(known.maxOutputTokens === undefined ? {} : { maxOutputTokens: known.maxOutputTokens }),
    thoughtLevels: known.thoughtLevels ?? [],
  };
}

/** What an endpoint lists, with what is known of each; models that only embed, speak or draw are left out. */
export function mergeListed(
  endpoint: ConfiguredEndpoint,
  listed: readonly ModelInfo[],
): readonly ModelOption[] {
  return listed.filter(({ id }) => !NO_CHAT.test(id)).map((info) => toOption(endpoint, info));
}

function toEntry(endpoint: ConfiguredEndpoint, id: string): Entry {
  return { endpoint, option: toOption(endpoint, { id }) };
}

function entriesOf({ endpoints, current }: Pick<Resolution, "endpoints" | "current">): Entry[] {
  const chosen = current === undefined ? [] : [toEntry(current.endpoint, current.model)];
  const all = endpoints.flatMap((endpoint) =>
    endpoint.models.map(({ id }) => toEntry(endpoint, id)),
  );
  return [...chosen, ...all.filter(({ option }) => option.id !== chosen[0]?.option.id)];
}

export function createCatalog(config: Config, parts: CatalogParts): LiveCatalog {
  let resolution = resolveEndpoints(config, parts.env);
  let entries = entriesOf(resolution);
  let hasChoice = resolution.current !== undefined;
  let probing: Promise<void> | undefined;
  const opened = new Map<string, Promise<Provider>>();

  const open = (key: string, make: () => Promise<Provider>): Promise<Provider> => {
    const known = opened.get(key);
    if (known !== undefined) return known;
    const made = make();
    opened.set(key, made);
    // A failure may be over the next time, after the address was mended.
    made.catch(() => opened.delete(key));
    return made;
  };

  const probe = async (signal: AbortSignal): Promise<void> => {
    // A choice that went wrong must be mended by its user, not covered up by whatever runs on this machine.
    if (entries.length > 0 || resolution.problems.length > 0) return;
    const [found] = await probeLocalServers(signal, { servers: localServers(parts.env) });
    const model = found?.models[0]?.id;
    if (found === undefined || model === undefined) return;
    entries = entriesOf({ endpoints: [found], current: { endpoint: found, model } });
    hasChoice = true;
  };

  return {
    options: () => [...entries.map(({ option }) => option), OFFLINE],
    // Where a wrong address or an unknown model was asked for, no other provider may get the work unasked.
    fallback: () => (hasChoice ? (entries[0]?.option ?? OFFLINE) : OFFLINE),
    find: (id) =>
      id === OFFLINE.id
        ? OFFLINE
        : entries.find(({ option }) => option.id === id || option.model === id)?.option,
    open: (option) => {
      if (option.id === OFFLINE.id) return open(OFFLINE.id, parts.openOffline);
      const entry = entries.find((one) => one.option.id === option.id);
      if (entry === undefined)
        return Promise.reject(new Error(`The model ${option.id} is not configured any more`));
      return open(entry.endpoint.provider, () => parts.openEndpoint(entry.endpoint));
    },
    missing: () => {
      if (hasChoice) return undefined;
      return (
        resolution.problems[0] ??
        "No model is configured. Set OPENAI_API_KEY or another provider's key, or IACCODE_BASE_URL and IACCODE_MODEL, or run: iac-code login"
      );
    },
    use: (fresh) => {
      resolution = resolveEndpoints(fresh, parts.env);
      entries = entriesOf(resolution);
      hasChoice = resolution.current !== undefined;
      probing = undefined;
      opened.clear();
    },
    ready: (signal) => (probing ??= probe(signal)),
    endpoints: () => [...new Set(entries.map(({ endpoint }) => endpoint))],
    problems: () => resolution.problems,
  };
}
