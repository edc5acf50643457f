// Known providers as data: addresses, key variables, how each bends the protocol, models. Facts are from each provider's
// own documentation (`source`); a window or limit that it does not state plainly is left out.

import type { ThoughtLevel } from "../conversation/messages.ts";

/** The same shape as `Quirks` of providers/provider.ts, whose room this one may not import; a test compares the two. */
export type EndpointQuirks = {
  readonly sendReasoning?: "reasoning_content" | "reasoning";
  readonly thoughtStyle?: "reasoning_effort" | "enable_thinking" | "thinking" | "reasoning_object";
  readonly maxTokensField?: "max_tokens" | "max_completion_tokens";
  readonly noStreamOptions?: true;
  readonly shortCallIds?: true;
  readonly azureApiVersion?: string;
};

export type KnownModel = {
  readonly id: string;
  readonly name?: string;
  /** Tokens. */
  readonly contextWindow?: number;
  readonly maxOutputTokens?: number;
  readonly thoughtLevels?: readonly ThoughtLevel[];
};

export type ProviderSpec = {
  readonly id: string;
  readonly title: string;
  /** Documentation that the facts here are from. */
  readonly source: string;
  /** Absent where each customer has an address of their own. */
  readonly baseUrl?: string;
  /** Variables that hold a key, the first that is set wins. Empty: no key is needed. */
  readonly keyVariables: readonly string[];
  /** Variable that holds another address. */
  readonly baseUrlVariable?: string;
  /** `named`: only when the configuration names it, because it shares its key variable. `local`: a server of the user's own. */
  readonly use: "usual" | "named" | "local";
  readonly api: "chat" | "responses";
  readonly quirks: EndpointQuirks;
  /** The first is the default. */
  readonly models: readonly KnownModel[];
};

const EFFORT: readonly ThoughtLevel[] = ["low", "medium", "high"];
const SWITCHABLE: readonly ThoughtLevel[] = ["off", ...EFFORT];
const ON_OFF: readonly ThoughtLevel[] = ["off", "high"];

function model(
  id: string,
  contextWindow?: number,
  maxOutputTokens?: number,
  thoughtLevels?: readonly ThoughtLevel[],
): KnownModel {
  return {
    id,
    ...(contextWindow === undefined ? {} : { contextWindow }),
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
    ...(thoughtLevels === undefined ? {} : { thoughtLevels }),
  };
}

const QWEN: readonly KnownModel[] = [
  model("qwen3-coder-plus", 1_000_000, 65_536),
  model("qwen3-max", 262_144, 65_536),
  model("qwen-plus", undefined, undefined, ON_OFF),
  model("qwen-max", 32_768, 8_192),
];
const KIMI: readonly KnownModel[] = [
  model("kimi-k2-0905-preview", 262_144),
  model("kimi-k2-turbo-preview", 262_144),
  model("kimi-k2-thinking", 262_144),
];
const GLM: readonly KnownModel[] = [
  model("glm-4.6", 200_000, 128_000, ON_OFF),
  model("glm-4.5", 128_000, 96_000, ON_OFF),
  model("glm-4.5-air", 128_000, 96_000, ON_OFF),
];

const usual = { use: "usual", api: "chat" } as const;
const named = { use: "named", api: "chat" } as const;
const local = { use: "local", api: "chat", keyVariables: [], quirks: {}, models: [] } as const;

/** In the order in which a key in the environment chooses one. */
export const PROVIDERS: readonly ProviderSpec[] = [
  {
    ...usual,
    id: "openai",
    title: "OpenAI",
    source: "https://platform.openai.com/docs/models",
    baseUrl: "https://api.openai.com/v1",
    keyVariables: ["OPENAI_API_KEY"],
    baseUrlVariable: "OPENAI_BASE_URL",
    quirks: { thoughtStyle: "reasoning_effort", maxTokensField: "max_completion_tokens" },
    models: [
      model("gpt-5", 400_000, 128_000, EFFORT),
      model("gpt-5-mini", 400_000, 128_000, EFFORT),
      model("gpt-4.1", 1_047_576, 32_768),
      model("o3", 200_000, 100_000, EFFORT),
      model("o4-mini", 200_000, 100_000, EFFORT),
      model("gpt-4o", 128_000, 16_384),
    ],
  },
  {
    ...usual,
    id: "dashscope",
    title: "Alibaba Cloud Model Studio (China)",
    source: "https://help.aliyun.com/zh/model-studio/models",
    baseUrl: "https://dashscope.aliyuncs.com/compatible-mode/v1",
    keyVariables: ["DASHSCOPE_API_KEY"],
    quirks: { thoughtStyle: "enable_thinking" },
    models: QWEN,
  },
  {
    ...named,
    id: "dashscope-intl",
    title: "Alibaba Cloud Model Studio (international)",
    source: "https://www.alibabacloud.com/help/en/model-studio/models",
    baseUrl: "https://dashscope-intl.aliyuncs.com/compatible-mode/v1",
    keyVariables: ["DASHSCOPE_API_KEY"],
    quirks: { thoughtStyle: "enable_thinking" },
    models: QWEN,
  },
  {
    ...usual,
    id: "deepseek",
    title: "DeepSeek",
    source: "https://api-docs.deepseek.com/quick_start/pricing",
    baseUrl: "https://api.deepseek.com",
    keyVariables: ["DEEPSEEK_API_KEY"],
    quirks: {},
    models: [model("deepseek-chat", 128_000, 8_192), model("deepseek-reasoner", 128_000, 65_536)],
  },
  {
    ...usual,
    id: "openrouter",
    title: "OpenRouter",
    source: "https://openrouter.ai/docs/api-reference/overview",
    baseUrl: "https://openrouter.ai/api/v1",
    keyVariables: ["OPENROUTER_API_KEY"],
    quirks: { thoughtStyle: "reasoning_object" },
    models: [model("openrouter/auto")],
  },
  {
    ...usual,
    id: "moonshot",
    title: "Moonshot AI (Kimi)",
    source: "https://platform.moonshot.ai/docs/introduction",
    baseUrl: "https://api.moonshot.ai/v1",
    keyVariables: ["MOONSHOT_API_KEY"],
    quirks: { sendReasoning: "reasoning_content" },
    models: KIMI,
  },
  {
    ...named,
    id: "moonshot-cn",
    title: "Moonshot AI (Kimi, China)",
    source: "https://platform.moonshot.cn/docs/introduction",
    baseUrl: "https://api.moonshot.cn/v1",
    keyVariables: ["MOONSHOT_API_KEY"],
    quirks: { sendReasoning: "reasoning_content" },
    models: KIMI,
  },
  {
    ...usual,
    id: "zhipu",
    title: "Zhipu AI (GLM)",
    source: "https://docs.bigmodel.cn/cn/guide/models/text/glm-4.6",
    baseUrl: "https://open.bigmodel.cn/api/paas/v4",
    keyVariables: ["ZHIPUAI_API_KEY"],
    quirks: { thoughtStyle: "thinking" },
    models: GLM,
  },
  {
    ...usual,
    id: "gemini",
    title: "Google Gemini",
    source: "https://ai.google.dev/gemini-api/docs/openai",
    baseUrl: "https://generativelanguage.googleapis.com/v1beta/openai",
    keyVariables: ["GEMINI_API_KEY"],
    quirks: { thoughtStyle: "reasoning_effort" },
    models: [
      model("gemini-2.5-pro", 1_048_576, 65_536, EFFORT),
      model("gemini-2.5-flash", 1_048_576, 65_536, SWITCHABLE),
      model("gemini-2.5-flash-lite", 1_048_576, 65_536, SWITCHABLE),
    ],
  },
  {
    ...usual,
    id: "anthropic",
    title: "Anthropic",
    source: "https://docs.claude.com/en/api/openai-sdk",
    baseUrl: "https://api.anthropic.com/v1",
    keyVariables: ["ANTHROPIC_API_KEY"],
    quirks: {},
    models: [
      model("claude-sonnet-4-5", 200_000, 64_000),
      model("claude-opus-4-1", 200_000, 32_000),
      model("claude-haiku-4-5", 200_000, 64_000),
    ],
  },
  {
    ...usual,
    id: "mistral",
    title: "Mistral AI",
    source: "https://docs.mistral.ai/getting-started/models",
    baseUrl: "https://api.mistral.ai/v1",
    keyVariables: ["MISTRAL_API_KEY"],
    quirks: { noStreamOptions: true, shortCallIds: true },
    models: [
      model("mistral-large-latest"),
      model("mistral-medium-latest"),
      model("codestral-latest"),
    ],
  },
  {
    ...usual,
    id: "groq",
    title: "Groq",
    source: "https://console.groq.com/docs/models",
    baseUrl: "https://api.groq.com/openai/v1",
    keyVariables: ["GROQ_API_KEY"],
    quirks: { thoughtStyle: "reasoning_effort", maxTokensField: "max_completion_tokens" },
    models: [
      model("openai/gpt-oss-120b", 131_072, 65_536, EFFORT),
      model("llama-3.3-70b-versatile", 131_072, 32_768),
    ],
  },
  {
    ...usual,
    id: "azure",
    title: "Azure OpenAI",
    source: "https://learn.microsoft.com/azure/ai-foundry/openai/api-version-lifecycle",
    keyVariables: ["AZURE_OPENAI_API_KEY"],
    baseUrlVariable: "AZURE_OPENAI_ENDPOINT",
    quirks: { thoughtStyle: "reasoning_effort", maxTokensField: "max_completion_tokens" },
    // A model there is a deployment with a name of the customer's own.
    models: [],
  },
  {
    ...named,
    id: "zai",
    title: "Z.ai (GLM, international)",
    source: "https://docs.z.ai/guides/llm/glm-4.6",
    baseUrl: "https://api.z.ai/api/paas/v4",
    keyVariables: ["ZAI_API_KEY", "ZHIPUAI_API_KEY"],
    quirks: { thoughtStyle: "thinking" },
    models: GLM,
  },
  {
    ...local,
    id: "ollama",
    title: "Ollama",
    source: "https://docs.ollama.com/api/openai-compatibility",
    baseUrl: "http://127.0.0.1:11434/v1",
  },
  {
    ...local,
    id: "lmstudio",
    title: "LM Studio",
    source: "https://lmstudio.ai/docs/developer/openai-compat",
    baseUrl: "http://127.0.0.1:1234/v1",
  },
  {
    ...local,
    id: "llamacpp",
    title: "llama.cpp server",
    source: "https://github.com/ggml-org/llama.cpp/tree/master/tools/server",
    baseUrl: "http://127.0.0.1:8080/v1",
  },
  {
    ...local,
    id: "vllm",
    title: "vLLM",
    source: "https://docs.vllm.ai/en/latest/serving/openai_compatible_server.html",
    baseUrl: "http://127.0.0.1:8000/v1",
  },
];
