// From configuration and environment to the endpoints that can be used now, and the one to begin with. Pure: local servers
// are asked in local-servers.ts, and where nothing is found the caller has the offline model.

import { normalizeBaseUrl } from "./base-url.ts";
import { buildEndpoint, CUSTOM, readVariable } from "./build-endpoint.ts";
import type { ConfiguredEndpoint, Wanted } from "./build-endpoint.ts";
import { findProvider, providerOfUrl } from "./find-provider.ts";
import type { Env } from "./home.ts";
import type { Config } from "./load.ts";
import { PROVIDERS } from "./provider-table.ts";

export type Resolution = {
  /** Strongest first, one for each provider id. */
  readonly endpoints: readonly ConfiguredEndpoint[];
  /** Absent when there is no endpoint, or no way to know which model of it is meant. */
  readonly current?: { readonly endpoint: ConfiguredEndpoint; readonly model: string };
  /** Why something that is configured cannot be used, each with the fix. No keys, no addresses. */
  readonly problems: readonly string[];
};

/**
 * Order: `IACCODE_BASE_URL` and `IACCODE_API_KEY`; what config.json names at its top; providers whose usual variable is
 * set; `providers` of config.json; stored keys. A key only goes to the address it was given for.
 */
export function resolveEndpoints(config: Config, env: Env): Resolution {
  const endpoints: ConfiguredEndpoint[] = [];
  const problems: string[] = looseSettings(config);
  const told = [...fromEnvironment(config, env), ...fromTopOfFile(config)];
  const found = [...fromUsualVariables(env), ...fromProviders(config), ...fromStoredKeys(config)];
  let isToldOneBroken = false;
  for (const wanted of [...told, ...found]) {
    if (endpoints.some(({ provider }) => provider === wanted.id)) continue;
    const built = buildEndpoint(wanted, config, env);
    if (built.ok) endpoints.push(built.endpoint);
    else if (!problems.includes(built.problem)) problems.push(built.problem);
    isToldOneBroken ||= wanted === told[0] && !built.ok;
  }
  const [first] = endpoints;
  // What somebody means for one endpoint is never sent to another because the first is misspelt.
  if (first === undefined || isToldOneBroken) return { endpoints, problems };
  const choice = choose(config, env, endpoints, first);
  return choice.ok
    ? { endpoints, current: choice.current, problems }
    : { endpoints, problems: [...problems, choice.problem] };
}

/** Settings at the top of the file that belong to an endpoint, with none beside them. */
function looseSettings(config: Config): string[] {
  const { headers, apiFormat } = config;
  const isLoose = fromTopOfFile(config).length === 0 && (headers ?? apiFormat) !== undefined;
  const problem = 'config.json: "headers" and "apiFormat" need "provider" or "baseUrl" beside them';
  return isLoose ? [problem] : [];
}

function prefixOf(model: string | undefined): string | undefined {
  const end = model?.indexOf("/") ?? -1;
  return end > 0 ? model?.slice(0, end) : undefined;
}

/** The id for an address: its hosted provider's, else `custom`. */
function idOfUrl(baseUrl: string): string {
  const url = normalizeBaseUrl(baseUrl);
  return (url.ok ? providerOfUrl(url.url)?.id : undefined) ?? CUSTOM;
}

function fromEnvironment(config: Config, env: Env): readonly Wanted[] {
  const baseUrl = readVariable(env, "IACCODE_BASE_URL");
  const apiKey = readVariable(env, "IACCODE_API_KEY");
  if (baseUrl !== undefined) {
    return [{ id: idOfUrl(baseUrl), baseUrl, apiKey, source: "IACCODE_BASE_URL" }];
  }
  if (apiKey === undefined) return [];
  const source = "IACCODE_API_KEY";
  const [top] = fromTopOfFile(config);
  const prefix = prefixOf(config.model);
  // A model named beside the key, in the environment, says whose key it is; one in the file belongs to the file's endpoint.
  const isTold = top === undefined || (config.modelFrom !== "config.json" && !namesVendors(top.id));
  if (isTold && prefix !== undefined && isKnown(prefix, config)) {
    return [{ id: prefix, apiKey, source }];
  }
  return [top === undefined ? { id: "openai", apiKey, source } : { ...top, apiKey, source }];
}

function isKnown(id: string, config: Config): boolean {
  return findProvider(id) !== undefined || config.providers?.[id] !== undefined;
}

function fromTopOfFile(config: Config): readonly Wanted[] {
  const { provider, baseUrl, apiKey, headers, apiFormat: api } = config;
  if (provider === undefined && baseUrl === undefined && apiKey === undefined) return [];
  const id = provider ?? (baseUrl === undefined ? "openai" : idOfUrl(baseUrl));
  return [{ id, baseUrl, fileKey: apiKey, headers, api, source: "config.json" }];
}

function fromUsualVariables(env: Env): readonly Wanted[] {
  return PROVIDERS.flatMap(({ id, use, keyVariables }) => {
    const source = keyVariables.find((name) => readVariable(env, name) !== undefined);
    return use === "usual" && source !== undefined ? [{ id, source }] : [];
  });
}

function fromProviders(config: Config): readonly Wanted[] {
  return Object.keys(config.providers ?? {}).map((id) => ({ id, source: "config.json" }));
}

function fromStoredKeys(config: Config): readonly Wanted[] {
  return Object.entries(config.credentials).map(([id, { baseUrl }]) => {
    return { id, source: "login", ...(baseUrl === undefined ? {} : { baseUrl }) };
  });
}

type Current = NonNullable<Resolution["current"]>;
type Choice =
  | { readonly ok: true; readonly current: Current }
  | { readonly ok: false; readonly problem: string };

const chosen = (endpoint: ConfiguredEndpoint, model: string): Choice => ({
  ok: true,
  current: { endpoint, model },
});

function choose(
  config: Config,
  env: Env,
  endpoints: readonly ConfiguredEndpoint[],
  first: ConfiguredEndpoint,
): Choice {
  const { model, modelFrom, credentials } = config;
  if (model === undefined) {
    const usual = credentials[first.provider]?.model ?? first.models[0]?.id;
    if (usual !== undefined) return chosen(first, usual);
    const fix = 'set IACCODE_MODEL, or "model" in config.json';
    return { ok: false, problem: `${first.title}: no model is named; ${fix}` };
  }
  // Whoever names an address in the environment, or model and endpoint together in the file, means that endpoint.
  const isBound =
    readVariable(env, "IACCODE_BASE_URL") !== undefined ||
    (modelFrom === "config.json" && fromTopOfFile(config).length > 0);
  return isBound
    ? chosen(first, withoutPrefix(first, model))
    : chooseByName(model, endpoints, first);
}

/** `openrouter/auto` is a whole name at OpenRouter, `openai/gpt-5` is `gpt-5` at OpenAI. */
function withoutPrefix({ provider, models }: ConfiguredEndpoint, model: string): string {
  const isWhole = models.some(({ id }) => id === model) || prefixOf(model) !== provider;
  return isWhole ? model : model.slice(provider.length + 1);
}

/**
 * A name that an endpoint is known for chooses it; `provider/model` chooses that provider; any other name is taken as it
 * is by the strongest endpoint, unless it names a provider that cannot be used.
 */
function chooseByName(
  model: string,
  endpoints: readonly ConfiguredEndpoint[],
  first: ConfiguredEndpoint,
): Choice {
  const prefix = prefixOf(model);
  const found =
    endpoints.find(({ models }) => models.some(({ id }) => id === model)) ??
    endpoints.find(({ provider }) => provider === prefix);
  if (found !== undefined) return chosen(found, withoutPrefix(found, model));
  const meant = prefix === undefined ? undefined : findProvider(prefix);
  if (meant === undefined || takesVendorNames(first)) return chosen(first, model);
  const variable = meant.keyVariables[0] ?? "IACCODE_BASE_URL";
  const problem = `The model is one of ${meant.title}, which is not configured; set ${variable}`;
  return { ok: false, problem };
}

function takesVendorNames({ provider, models }: ConfiguredEndpoint): boolean {
  return namesVendors(provider) || models.some(({ id }) => id.includes("/"));
}

/** Resellers and servers of the user's own name models after their makers: `deepseek/deepseek-chat`. */
function namesVendors(id: string): boolean {
  const spec = findProvider(id);
  if (spec === undefined || spec.use === "local") return true;
  return spec.models.some((model) => model.id.includes("/"));
}
