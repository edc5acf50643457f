// iac-code login: provider, key, model; one request proves them, then they are stored for their owner only. On a terminal
// it asks; a script gives --provider and the key on stdin.

import { type ConfiguredEndpoint, CUSTOM, buildEndpoint } from "../config/build-endpoint.ts";
import { normalizeBaseUrl } from "../config/base-url.ts";
import { saveCredential } from "../config/credentials.ts";
import { findProvider, providerOfUrl } from "../config/find-provider.ts";
import { loadConfig } from "../config/load.ts";
import { resolveEndpoints } from "../config/models.ts";
import { PROVIDERS } from "../config/provider-table.ts";
import { askHidden, askLine } from "./ask-line.ts";
import { type CliArgs, EXIT, UsageError, defineCli, textOf } from "./command.ts";
import { openEndpoint } from "./open-catalog.ts";
import { tryModel } from "./try-model.ts";

const HOSTED = PROVIDERS.filter(({ use }) => use !== "local");
/** Longer than any key; a file given by mistake is. UTF-16 units. */
const MAX_KEY_LENGTH = 4_096;

type Wanted = {
  readonly provider: string;
  readonly baseUrl: string | undefined;
  readonly apiKey: string;
  readonly model: string | undefined;
};
type Asked = Wanted | "cancelled";

function checkProvider(name: string, baseUrl: string | undefined): string {
  const spec = findProvider(name);
  if (spec?.use === "local")
    throw new UsageError(`${spec.title} needs no key: start it, and it is found by itself`);
  if (spec !== undefined) return name;
  if (baseUrl !== undefined) return name;
  throw new UsageError(
    `--provider must be one of ${HOSTED.map(({ id }) => id).join(", ")}, or any name together with --base-url`,
  );
}

function checkBaseUrl(text: string | undefined): string | undefined {
  if (text === undefined || text === "") return undefined;
  const url = normalizeBaseUrl(text);
  if (!url.ok) throw new UsageError(`--base-url: ${url.error}`);
  return url.url;
}

function checkKey(text: string): string {
  const key = text.trim();
  if (key === "") throw new UsageError("The key is empty");
  if (key.length > MAX_KEY_LENGTH || !/^[!-~]+$/.test(key))
    throw new UsageError("That is no key: it holds blanks or odd characters, or is far too long");
  return key;
}

async function fromArguments(args: CliArgs): Promise<Wanted> {
  const baseUrl = checkBaseUrl(textOf(args, "base-url"));
  const named =
    textOf(args, "provider") ??
    (baseUrl === undefined ? undefined : (providerOfUrl(baseUrl)?.id ?? CUSTOM));
  if (named === undefined) throw new UsageError("--provider is needed with --key-stdin");
  const provider = checkProvider(named, baseUrl);
  return {
    provider,
    baseUrl,
    model: textOf(args, "model"),
    apiKey: checkKey(await Bun.stdin.text()),
  };
}

async function askProvider(signal: AbortSignal): Promise<string | undefined> {
  const rows = HOSTED.map(({ id, title }, index) => `  ${index + 1}  ${id}  ${title}`);
  process.stderr.write(`Providers:\n${rows.join("\n")}\n  or the address of any other one\n`);
  return askLine("Provider (number, name or address): ", signal);
}

async function fromTerminal(args: CliArgs, signal: AbortSignal): Promise<Asked> {
  const chosen = textOf(args, "provider") ?? (await askProvider(signal));
  if (chosen === undefined) return "cancelled";
  const isAddress = /^https?:\/\//i.test(chosen);
  const baseUrl = checkBaseUrl(isAddress ? chosen : textOf(args, "base-url"));
  const named = isAddress
    ? ((baseUrl === undefined ? undefined : providerOfUrl(baseUrl)?.id) ?? CUSTOM)
    : (HOSTED[Number(chosen) - 1]?.id ?? chosen);
  const provider = checkProvider(named, baseUrl);
  const spec = findProvider(provider);
  const key = await askHidden(
    `Key for ${spec?.title ?? baseUrl ?? provider} (not shown): `,
    signal,
  );
  if (key === undefined) return "cancelled";
  const usual = spec?.models[0]?.id;
  const given = textOf(args, "model");
  const model =
    given ?? (await askLine(`Model${usual === undefined ? "" : ` [${usual}]`}: `, signal));
  if (model === undefined) return "cancelled";
  return { provider, baseUrl, apiKey: checkKey(key), model: model === "" ? undefined : model };
}

/** The endpoint as it will be once the key is stored. Throws a UsageError where something is missing. */
async function endpointOf({ provider, baseUrl, apiKey }: Wanted): Promise<ConfiguredEndpoint> {
  const { config } = await loadConfig({ env: process.env });
  const built = buildEndpoint(
    { id: provider, source: "login", baseUrl, apiKey },
    config,
    process.env,
  );
  if (!built.ok) throw new UsageError(built.problem);
  return built.endpoint;
}

/** What goes before the stored key from the next start on, if anything does. */
async function othersFirst(provider: string): Promise<string | undefined> {
  const { config } = await loadConfig({ env: process.env });
  const { current, problems } = resolveEndpoints(config, process.env);
  if (current === undefined) return problems[0];
  if (current.endpoint.provider === provider) return undefined;
  return `${current.endpoint.title} goes before it, from ${current.endpoint.source}.`;
}

export const login = defineCli({
  name: "login",
  summary: "store a provider's key after one request has proved it",
  details:
    "On a terminal it asks for what is not given. For scripts: iac-code login --provider openai --key-stdin < key.txt\n" +
    "The key is never an argument, since other users of the machine can see those.",
  args: {
    provider: { type: "string", valueHint: "ID", description: "openai, dashscope, deepseek, …" },
    "base-url": {
      type: "string",
      valueHint: "URL",
      description: "address, for a provider that is not known or one behind a gateway",
    },
    model: { type: "string", valueHint: "NAME", description: "model to begin with" },
    "key-stdin": { type: "boolean", default: false, description: "read the key from stdin" },
  },
  run: async (args, signal) => {
    const isTerminal = process.stdin.isTTY && process.stderr.isTTY;
    if (args["key-stdin"] !== true && !isTerminal)
      throw new UsageError("There is no terminal to ask on; give --provider and --key-stdin");
    const wanted =
      args["key-stdin"] === true ? await fromArguments(args) : await fromTerminal(args, signal);
    if (wanted === "cancelled") return EXIT.cancelled;
    const endpoint = await endpointOf(wanted);
    const model = wanted.model ?? endpoint.models[0]?.id;
    if (model === undefined)
      throw new UsageError(`${endpoint.title} has no usual model; give one with --model`);
    process.stderr.write(`Asking ${endpoint.title} for one word of ${model} …\n`);
    const note = (text: string) => void process.stderr.write(`${text}\n`);
    const trial = await tryModel(await openEndpoint(endpoint), model, { signal, onNotice: note });
    if (signal.aborted) return EXIT.cancelled;
    if (!trial.ok) {
      note(`Not stored. ${trial.message}`);
      return EXIT.error;
    }
    const { config } = await loadConfig({ env: process.env });
    await saveCredential(config.paths, wanted.provider, {
      apiKey: wanted.apiKey,
      model,
      ...(wanted.baseUrl === undefined ? {} : { baseUrl: wanted.baseUrl }),
    });
    process.stdout.write(
      `Stored: ${wanted.provider}/${model} (answered in ${trial.ms} ms) in ${config.paths.credentialsFile}\n`,
    );
    const others = await othersFirst(wanted.provider);
    if (others !== undefined) note(`It is not the one to begin with: ${others}`);
    return EXIT.ok;
  },
});
