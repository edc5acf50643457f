// One endpoint from all that is said about it. Which ones are wanted, and in which order, is in models.ts.

import { normalizeBaseUrl, ollamaBaseUrl } from "./base-url.ts";
import type { BaseUrl } from "./base-url.ts";
import { findProvider, providerOfUrl } from "./find-provider.ts";
import type { Env } from "./home.ts";
import type { Config } from "./load.ts";
import type { EndpointQuirks, KnownModel, ProviderSpec } from "./provider-table.ts";
import type { ProviderSettings } from "./schema.ts";

/** Holds all of `Endpoint` of providers/provider.ts. */
export type ConfiguredEndpoint = {
  readonly provider: string;
  readonly title: string;
  readonly baseUrl: string;
  readonly apiKey?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly api: "chat" | "responses";
  /** Where it came from: `OPENAI_API_KEY`, `config.json`, `login`, `local server`. */
  readonly source: string;
  readonly quirks: EndpointQuirks;
  /** Known without asking the endpoint; the first is its default. */
  readonly models: readonly KnownModel[];
};

/** An endpoint that something in the configuration asks for. */
export type Wanted = {
  readonly id: string;
  readonly source: string;
  readonly baseUrl?: string | undefined;
  /** From `IACCODE_API_KEY`: before every other. */
  readonly apiKey?: string | undefined;
  /** From the top of config.json. */
  readonly fileKey?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly api?: "chat" | "responses" | undefined;
};
export type Built =
  | { readonly ok: true; readonly endpoint: ConfiguredEndpoint }
  | { readonly ok: false; readonly problem: string };

/** The id of an address that is no known provider's. */
export const CUSTOM = "custom";

/** A variable that is set to nothing counts as not set. */
export function readVariable(env: Env, name: string | undefined): string | undefined {
  const value = name === undefined ? undefined : env[name]?.trim();
  return value === "" ? undefined : value;
}

/** Puts together what the table, the file, the environment and login say of one endpoint. */
export function buildEndpoint(wanted: Wanted, config: Config, env: Env): Built {
  const { id } = wanted;
  const spec = findProvider(id);
  const entry = config.providers?.[id];
  if (spec === undefined && entry === undefined && wanted.baseUrl === undefined) {
    return {
      ok: false,
      problem: `Provider "${id}" is not known; give it a baseUrl in config.json`,
    };
  }
  const url = addressOf(wanted, spec, entry, env);
  if (url === undefined) return { ok: false, problem: noAddress(id, spec) };
  if (!url.ok) return { ok: false, problem: `${wanted.source}: ${url.error}` };
  const apiKey = keyOf(wanted, config, env, spec);
  if (apiKey === undefined && needsKey(spec, url.url)) {
    return { ok: false, problem: noKey(id, spec) };
  }
  const headers = { ...entry?.headers, ...wanted.headers };
  return {
    ok: true,
    endpoint: {
      provider: id,
      title: entry?.title ?? spec?.title ?? (id === CUSTOM ? "Own endpoint" : id),
      baseUrl: url.url,
      ...(apiKey === undefined ? {} : { apiKey }),
      ...(Object.keys(headers).length === 0 ? {} : { headers }),
      api: wanted.api ?? entry?.apiFormat ?? url.api ?? spec?.api ?? "chat",
      source: wanted.source,
      quirks: quirksOf(spec, url, env),
      models: modelsOf(spec, entry),
    },
  };
}

function addressOf(
  wanted: Wanted,
  spec: ProviderSpec | undefined,
  entry: ProviderSettings | undefined,
  env: Env,
): BaseUrl | undefined {
  if (spec?.id === "ollama" && wanted.baseUrl === undefined && entry?.baseUrl === undefined) {
    return ollamaBaseUrl(readVariable(env, "OLLAMA_HOST"));
  }
  const text =
    wanted.baseUrl ?? entry?.baseUrl ?? readVariable(env, spec?.baseUrlVariable) ?? spec?.baseUrl;
  if (text === undefined) return undefined;
  const url = normalizeBaseUrl(text);
  // Azure's variable holds the resource's address; its OpenAI-compatible API lives below /openai/v1.
  const isBareResource = url.ok && spec?.id === "azure" && URL.parse(url.url)?.pathname === "/";
  return isBareResource ? { ...url, url: `${url.url}/openai/v1` } : url;
}

/**
 * The key for an address. Environment before file before login, but a key that the file gives together with an address
 * is that address's own and goes first.
 */
function keyOf(
  { id, baseUrl, apiKey, fileKey }: Wanted,
  config: Config,
  env: Env,
  spec: ProviderSpec | undefined,
): string | undefined {
  const entry = config.providers?.[id];
  const stored = config.credentials[id];
  const usual = (spec?.keyVariables ?? []).map((name) => readVariable(env, name));
  const own = [fileKey, entry?.apiKey];
  const hasOwnAddress = baseUrl !== undefined || entry?.baseUrl !== undefined;
  const isStoredFor = id !== CUSTOM || stored?.baseUrl === baseUrl;
  const keys = [
    apiKey,
    readVariable(env, entry?.apiKeyEnv),
    ...(hasOwnAddress ? [...own, ...usual] : [...usual, ...own]),
    isStoredFor ? stored?.apiKey : undefined,
  ];
  return keys.find((key) => key !== undefined);
}

/** Hosted providers do; an address of the user's own may or may not, and says so itself. */
function needsKey(spec: ProviderSpec | undefined, url: string): boolean {
  return spec !== undefined && spec.use !== "local" && providerOfUrl(url) !== undefined;
}

function noKey(id: string, spec: ProviderSpec | undefined): string {
  const variable = spec?.keyVariables[0] ?? "IACCODE_API_KEY";
  return `${spec?.title ?? id}: there is no key; set ${variable}, or run \`iac-code login\``;
}

function noAddress(id: string, spec: ProviderSpec | undefined): string {
  const variable = spec?.baseUrlVariable;
  const fix = variable === undefined ? "" : `set ${variable}, or `;
  return `${spec?.title ?? id}: there is no address; ${fix}set baseUrl in config.json`;
}

function quirksOf(
  spec: ProviderSpec | undefined,
  url: Extract<BaseUrl, { ok: true }>,
  env: Env,
): EndpointQuirks {
  const isAzure = spec?.id === "azure";
  const version =
    url.apiVersion ?? (isAzure ? readVariable(env, "AZURE_OPENAI_API_VERSION") : undefined);
  const quirks = spec?.quirks ?? {};
  return isAzure && version !== undefined ? { ...quirks, azureApiVersion: version } : quirks;
}

function modelsOf(
  spec: ProviderSpec | undefined,
  entry: ProviderSettings | undefined,
): readonly KnownModel[] {
  const own: readonly KnownModel[] = (entry?.models ?? []).map(toKnownModel);
  const known = spec?.models ?? [];
  return [...own, ...known.filter(({ id }) => own.every((model) => model.id !== id))];
}

/** Without the members that zod marks as present but undefined. */
function toKnownModel(model: NonNullable<ProviderSettings["models"]>[number]): KnownModel {
  const { id, name, contextWindow, maxOutputTokens, thoughtLevels } = model;
  return {
    id,
    ...(name === undefined ? {} : { name }),
    ...(contextWindow === undefined ? {} : { contextWindow }),
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
    ...(thoughtLevels === undefined ? {} : { thoughtLevels }),
  };
}
