// The configuration of one start: flags before environment before config.json before defaults, and the stored keys.
// What a project's own file may add is in project.ts; which endpoint follows is in models.ts.

import { readCredentials } from "./credentials.ts";
import type { Credentials } from "./credentials.ts";
import { homePaths } from "./home.ts";
import type { Env, HomePaths } from "./home.ts";
import { readConfigFile } from "./read-file.ts";
import type { Settings } from "./schema.ts";

export type ConfigFlags = { readonly model?: string; readonly mode?: string };

export type Config = Settings & {
  readonly paths: HomePaths;
  readonly credentials: Credentials;
  /** Where `model` is from; a name in the file belongs to the file's own endpoint. */
  readonly modelFrom?: "--model" | "IACCODE_MODEL" | "config.json";
};

export type LoadedConfig = {
  readonly config: Config;
  /** Nothing is lost but what they name. */
  readonly warnings: readonly string[];
  /**
   * Parts of config.json, or a flag, that do not count because they are wrong. Contract: among them may be a deny rule,
   * so while there are any, no turn may run.
   */
  readonly errors: readonly string[];
};

export type LoadOptions = {
  readonly env: Env;
  /** Default: as `env` says. */
  readonly paths?: HomePaths;
  readonly flags?: ConfigFlags;
};

/** Reads two small files and nothing else. Never rejects: a broken file is an error in words. */
export async function loadConfig({
  env,
  flags = {},
  ...options
}: LoadOptions): Promise<LoadedConfig> {
  const paths = options.paths ?? homePaths(env);
  const [content, stored] = await Promise.all([
    readConfigFile(paths.configFile),
    readCredentials(paths),
  ]);
  const warnings: string[] = stored.problem === undefined ? [] : [stored.problem];
  const errors: string[] = [];
  let settings: Settings = {};
  if (content.type === "broken") errors.push(content.error);
  if (content.type === "object") {
    const { checkSettings } = await import("./check.ts");
    const checked = checkSettings(content);
    settings = checked.settings;
    warnings.push(...checked.warnings);
    errors.push(...checked.errors);
  }
  const mode = await chooseMode(flags.mode, settings, errors);
  const config: Config = {
    ...settings,
    ...chooseModel(flags, env, settings),
    ...(mode === undefined ? {} : { mode }),
    ...withAllowedFetches(settings, env),
    paths,
    credentials: stored.credentials,
  };
  return { config, warnings, errors };
}

function chooseModel(
  flags: ConfigFlags,
  env: Env,
  settings: Settings,
): Pick<Config, "model" | "modelFrom"> {
  const fromEnv = env["IACCODE_MODEL"]?.trim();
  if (flags.model !== undefined) return { model: flags.model, modelFrom: "--model" };
  if (fromEnv) return { model: fromEnv, modelFrom: "IACCODE_MODEL" };
  return settings.model === undefined ? {} : { model: settings.model, modelFrom: "config.json" };
}

async function chooseMode(flag: string | undefined, settings: Settings, errors: string[]) {
  if (flag === undefined) return settings.mode;
  const { configSchema } = await import("./schema.ts");
  const { mode } = configSchema.shape;
  const parsed = mode.safeParse(flag);
  if (parsed.success) return parsed.data;
  errors.push(`--mode: unknown mode; write one of ${mode.unwrap().options.join(", ")}`);
  return undefined;
}

/** `IACCODE_FETCH_ALLOW` adds to the file's list; it is a list with commas. */
function withAllowedFetches(settings: Settings, env: Env): Pick<Settings, "fetch"> {
  const added = (env["IACCODE_FETCH_ALLOW"] ?? "").split(",").flatMap((item) => item.trim() || []);
  if (added.length === 0) return {};
  return {
    fetch: { ...settings.fetch, allowPrivate: [...(settings.fetch?.allowPrivate ?? []), ...added] },
  };
}
