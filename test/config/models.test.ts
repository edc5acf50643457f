import { expect, test } from "bun:test";
import fc from "fast-check";
import type { ConfiguredEndpoint } from "../../src/config/build-endpoint.ts";
import { findKnownModel, findProvider } from "../../src/config/find-provider.ts";
import { homePaths } from "../../src/config/home.ts";
import type { Env } from "../../src/config/home.ts";
import type { Config } from "../../src/config/load.ts";
import { resolveEndpoints } from "../../src/config/models.ts";
import { PROVIDERS } from "../../src/config/provider-table.ts";
import type { EndpointQuirks } from "../../src/config/provider-table.ts";
import type { Endpoint, Quirks } from "../../src/providers/provider.ts";

function resolve(env: Env, config: Partial<Config> = {}) {
  const full: Config = { paths: homePaths(env), credentials: {}, ...config };
  return resolveEndpoints(full, env);
}

/** Provider, address, key and model of the endpoint to begin with. */
function currentOf(env: Env, config: Partial<Config> = {}) {
  const { current } = resolve(env, config);
  if (current === undefined) return undefined;
  const { provider, baseUrl, apiKey, source } = current.endpoint;
  return { provider, baseUrl, apiKey, source, model: current.model };
}

const file = (config: Partial<Config>): Partial<Config> => ({
  modelFrom: "config.json",
  ...config,
});
const envModel = (model: string): Partial<Config> => ({ model, modelFrom: "IACCODE_MODEL" });

test("an endpoint is what the providers take", () => {
  const toEndpoint = (endpoint: ConfiguredEndpoint): Endpoint => endpoint;
  const toOurs = (quirks: Quirks): EndpointQuirks => quirks;
  expect([typeof toEndpoint, typeof toOurs]).toEqual(["function", "function"]);
});

test("the provider table has no id twice, an https address for each hosted one, and a source for its facts", () => {
  expect(new Set(PROVIDERS.map(({ id }) => id)).size).toBe(PROVIDERS.length);
  for (const { id, use, baseUrl, source } of PROVIDERS) {
    expect([id, source.startsWith("https://")]).toEqual([id, true]);
    const scheme = use === "local" ? "http://127.0.0.1:" : "https://";
    if (id !== "azure") expect([id, baseUrl?.startsWith(scheme)]).toEqual([id, true]);
  }
});

test("without a key there is no endpoint and nothing to complain about", () => {
  expect(resolve({})).toEqual({ endpoints: [], problems: [] });
  expect(resolve({ OPENAI_API_KEY: " ", IACCODE_BASE_URL: "" }).endpoints).toEqual([]);
});

test("each usual variable gives its provider with its address and first model", () => {
  const variables = [
    "OPENAI",
    "DASHSCOPE",
    "DEEPSEEK",
    "OPENROUTER",
    "MOONSHOT",
    "ZHIPUAI",
    "GEMINI",
    "ANTHROPIC",
    "MISTRAL",
    "GROQ",
  ].map((name) => `${name}_API_KEY`);
  for (const name of variables) {
    const spec = PROVIDERS.find(
      ({ use, keyVariables }) => use === "usual" && keyVariables[0] === name,
    );
    expect<unknown>(currentOf({ [name]: "k" })).toEqual({
      provider: spec?.id,
      baseUrl: spec?.baseUrl,
      apiKey: "k",
      source: name,
      model: spec?.models[0]?.id,
    });
  }
  const all = resolve(Object.fromEntries(variables.map((name) => [name, "k"])));
  expect(all.endpoints.map(({ source }) => source)).toEqual(variables);
});

test("IACCODE_BASE_URL, IACCODE_API_KEY and IACCODE_MODEL win over all else", () => {
  const env = {
    IACCODE_BASE_URL: " http://10.0.0.5:8000/v1/chat/completions/ ",
    IACCODE_API_KEY: "mine",
    OPENAI_API_KEY: "other",
  };
  expect(currentOf(env, { ...envModel("openai/some-model"), provider: "deepseek" })).toEqual({
    provider: "custom",
    baseUrl: "http://10.0.0.5:8000/v1",
    apiKey: "mine",
    source: "IACCODE_BASE_URL",
    model: "openai/some-model",
  });
});

test("a key is never sent to an address that it was not given for", () => {
  const env = { IACCODE_BASE_URL: "https://elsewhere.example/v1", OPENAI_API_KEY: "k" };
  const config = {
    ...envModel("m"),
    apiKey: "file",
    credentials: { custom: { apiKey: "stored" } },
  };
  expect(currentOf(env, config)?.apiKey).toBeUndefined();
  expect(
    currentOf({ OPENAI_API_KEY: "k" }, file({ baseUrl: "http://own.example", model: "m" })),
  ).toEqual({
    provider: "custom",
    baseUrl: "http://own.example",
    apiKey: undefined,
    source: "config.json",
    model: "m",
  });
});

test("an address of a known host brings that provider's key and quirks", () => {
  const env = { IACCODE_BASE_URL: "https://api.mistral.ai/v1/", MISTRAL_API_KEY: "k" };
  const { current } = resolve(env, envModel("mistral/codestral-latest"));
  expect(current?.model).toBe("codestral-latest");
  expect(current?.endpoint).toMatchObject({
    provider: "mistral",
    apiKey: "k",
    quirks: { shortCallIds: true },
  });
});

test("IACCODE_API_KEY alone belongs to the provider that the model or the file names, else to OpenAI", () => {
  const env = { IACCODE_API_KEY: "k" };
  expect(currentOf(env)?.provider).toBe("openai");
  expect(currentOf(env, envModel("deepseek/deepseek-chat"))).toMatchObject({
    provider: "deepseek",
    apiKey: "k",
    model: "deepseek-chat",
  });
  const named = envModel("openai/gpt-oss-120b");
  expect(currentOf(env, { ...named, provider: "groq" })?.provider).toBe("groq");
  expect(currentOf(env, { ...envModel("deepseek/x"), provider: "openai" })).toMatchObject({
    provider: "deepseek",
    model: "x",
  });
  expect(currentOf(env, { provider: "dashscope-intl", apiKey: "file" })).toMatchObject({
    baseUrl: "https://dashscope-intl.aliyuncs.com/compatible-mode/v1",
    apiKey: "k",
  });
});

test("the key of the environment goes before the file's, except at an address that the file gives with its key", () => {
  const env = { OPENAI_API_KEY: "env" };
  expect(currentOf(env, { provider: "openai", apiKey: "file" })?.apiKey).toBe("env");
  expect(
    currentOf(env, { provider: "openai", baseUrl: "https://proxy.example/v1", apiKey: "file" })
      ?.apiKey,
  ).toBe("file");
  const providers = { own: { baseUrl: "https://own.example", apiKeyEnv: "OWN", apiKey: "file" } };
  const chosen = file({ provider: "own", model: "m", providers });
  expect(currentOf({ ...env, OWN: "named" }, chosen)?.apiKey).toBe("named");
  expect(currentOf(env, chosen)?.apiKey).toBe("file");
});

test("a model's name chooses its endpoint: by prefix, by being known there, else the strongest takes it as it is", () => {
  const env = { OPENAI_API_KEY: "a", DEEPSEEK_API_KEY: "b", OPENROUTER_API_KEY: "c" };
  const chosen = (model: string, config: Partial<Config> = {}) => {
    const current = currentOf(env, { ...envModel(model), ...config });
    return `${current?.provider} ${current?.model}`;
  };
  expect(chosen("deepseek/deepseek-reasoner")).toBe("deepseek deepseek-reasoner");
  expect(chosen("deepseek-reasoner")).toBe("deepseek deepseek-reasoner");
  expect(chosen("brand-new")).toBe("openai brand-new");
  expect(chosen("meta/llama")).toBe("openai meta/llama");
  expect(chosen("openai/gpt-x", file({ provider: "openrouter" }))).toBe("openrouter openai/gpt-x");
  expect(chosen("openrouter/auto")).toBe("openrouter openrouter/auto");
  expect(currentOf({ GROQ_API_KEY: "k" }, envModel("openai/gpt-oss-120b"))?.model).toBe(
    "openai/gpt-oss-120b",
  );
});

test("providers of the file add endpoints and models, and change known ones", () => {
  const { endpoints } = resolve(
    { OPENAI_API_KEY: "k" },
    {
      providers: {
        openai: { headers: { "X-Team": "infra" }, models: [{ id: "gpt-new", contextWindow: 9 }] },
        own: { baseUrl: "http://own.example/v1/responses", title: "Own" },
      },
    },
  );
  expect(endpoints.map(({ provider, title, api }) => [provider, title, api])).toEqual([
    ["openai", "OpenAI", "chat"],
    ["own", "Own", "responses"],
  ]);
  expect(endpoints[0]?.headers).toEqual({ "X-Team": "infra" });
  expect(endpoints[0]?.models.slice(0, 2).map(({ id }) => id)).toEqual(["gpt-new", "gpt-5"]);
});

test("stored keys come last, with the model chosen at login", () => {
  const credentials = { zhipu: { apiKey: "s", model: "glm-4.5" } };
  expect(currentOf({}, { credentials })).toMatchObject({
    provider: "zhipu",
    apiKey: "s",
    source: "login",
    model: "glm-4.5",
  });
  expect(currentOf({ GROQ_API_KEY: "k" }, { credentials })?.provider).toBe("groq");
});

test("Azure needs its resource's address, and takes a version from a variable", () => {
  const env = { AZURE_OPENAI_API_KEY: "k" };
  expect(resolve(env).problems).toEqual([
    "Azure OpenAI: there is no address; set AZURE_OPENAI_ENDPOINT, or set baseUrl in config.json",
  ]);
  const { current } = resolve(
    {
      ...env,
      AZURE_OPENAI_ENDPOINT: "https://r.openai.azure.com/",
      AZURE_OPENAI_API_VERSION: "preview",
    },
    envModel("my-deployment"),
  );
  expect(current?.endpoint).toMatchObject({
    baseUrl: "https://r.openai.azure.com/openai/v1",
    quirks: { azureApiVersion: "preview" },
  });
});

test("what is meant for one endpoint never goes to another because the first is wrong", () => {
  const other = { OPENAI_API_KEY: "k" };
  const wrong = resolve({ ...other, IACCODE_BASE_URL: "localhost:8000/v1" });
  expect(wrong.current).toBeUndefined();
  expect(wrong.problems[0]).toContain("IACCODE_BASE_URL: The base URL has no scheme");
  const keyless = resolve(other, { provider: "dashscope" });
  expect(keyless.current).toBeUndefined();
  expect(keyless.problems[0]).toContain("set DASHSCOPE_API_KEY, or run `iac-code login`");
  expect(resolve(other, { provider: "opneai" }).problems[0]).toContain(
    'Provider "opneai" is not known',
  );
});

test("a model of a provider without a key is a problem, except where models are named after their makers", () => {
  const model = envModel("deepseek/deepseek-chat");
  const { current, problems } = resolve({ OPENAI_API_KEY: "k" }, model);
  expect(current).toBeUndefined();
  expect(problems).toEqual([
    "The model is one of DeepSeek, which is not configured; set DEEPSEEK_API_KEY",
  ]);
  expect(currentOf({ OPENROUTER_API_KEY: "k" }, model)?.model).toBe("deepseek/deepseek-chat");
  const own = { IACCODE_BASE_URL: "http://own.example/v1" };
  expect(currentOf(own, model)?.model).toBe("deepseek/deepseek-chat");
});

test("an endpoint without any known model needs one named", () => {
  const { current, problems } = resolve({ IACCODE_BASE_URL: "http://own.example/v1" });
  expect(current).toBeUndefined();
  expect(problems).toEqual([
    'Own endpoint: no model is named; set IACCODE_MODEL, or "model" in config.json',
  ]);
});

test("headers at the top of the file without an endpoint are a problem, not silence", () => {
  expect(resolve({}, { headers: { a: "b" } }).problems[0]).toContain(
    'need "provider" or "baseUrl"',
  );
});

test("a local server that the file names needs no key, and Ollama follows OLLAMA_HOST", () => {
  const config = file({ provider: "ollama", model: "qwen3:8b" });
  expect(currentOf({ OLLAMA_HOST: "box:1" }, config)).toMatchObject({
    baseUrl: "http://box:1/v1",
    apiKey: undefined,
    model: "qwen3:8b",
  });
});

test("problems hold neither keys nor addresses, whatever is configured", () => {
  const value = fc.constantFrom(
    undefined,
    "",
    "sk-secret-value",
    "https://u:sk-secret-value@x.example",
    "sk-secret-value.example/v1",
  );
  const env = fc.record({
    IACCODE_BASE_URL: value,
    IACCODE_API_KEY: value,
    OPENAI_BASE_URL: value,
    OPENAI_API_KEY: value,
    AZURE_OPENAI_API_KEY: value,
    AZURE_OPENAI_ENDPOINT: value,
    OLLAMA_HOST: value,
  });
  fc.assert(
    fc.property(
      env,
      value,
      fc.constantFrom("openai", "ollama", "azure", "own"),
      (set, url, provider) => {
        const config = url === undefined ? { provider } : { provider, baseUrl: url, apiKey: url };
        expect(resolve(set, config).problems.join()).not.toContain("sk-secret-value");
      },
    ),
    { seed: 9 },
  );
});

test("findKnownModel knows a model behind a vendor prefix and says only the id of any other", () => {
  expect(findKnownModel("deepseek/deepseek-chat")).toEqual({
    id: "deepseek/deepseek-chat",
    contextWindow: 128_000,
    maxOutputTokens: 8_192,
  });
  expect(findKnownModel("nobody/knows")).toEqual({ id: "nobody/knows" });
  expect(findKnownModel("gpt-5", [{ id: "gpt-5", contextWindow: 1 }]).contextWindow).toBe(1);
  expect(findProvider("nobody")).toBeUndefined();
});
