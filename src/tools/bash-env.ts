// The environment of a command: the user's own, without what is ours, with what keeps programs from asking. Pure.

/** Keys of model endpoints: ours to use, nobody else's to see. Keys of clouds and other services stay. */
const MODEL_KEYS = new Set([
  "OPENAI_API_KEY",
  "DASHSCOPE_API_KEY",
  "DEEPSEEK_API_KEY",
  "OPENROUTER_API_KEY",
  "MOONSHOT_API_KEY",
  "ZHIPUAI_API_KEY",
  "GEMINI_API_KEY",
  "ANTHROPIC_API_KEY",
  "MISTRAL_API_KEY",
  "GROQ_API_KEY",
]);
/** Settings of our own and of our runtime, arguments nobody sees, and scripts or functions that a shell loads unasked. */
const DROPPED = /^(IACCODE_|BUN_|TF_CLI_ARGS|BASH_FUNC_)|^(BASH_ENV|ENV)$/;

/** What is set whatever the user has: no questions, no pager, no colours, no version check. */
export const QUIET_ENVIRONMENT: Readonly<Record<string, string>> = {
  TF_IN_AUTOMATION: "1",
  TF_INPUT: "0",
  CHECKPOINT_DISABLE: "1",
  GIT_TERMINAL_PROMPT: "0",
  DEBIAN_FRONTEND: "noninteractive",
  PAGER: "cat",
  GIT_PAGER: "cat",
  NO_COLOR: "1",
};

/**
 * A folder laid out like a bare repository brings its own configuration, which can name programs that even `git status`
 * runs: such folders are no repositories here, and no monitor program is started.
 */
const GIT_SETTINGS: readonly (readonly [name: string, value: string])[] = [
  ["safe.bareRepository", "explicit"],
  ["core.fsmonitor", "false"],
];

/** The settings as variables, after those that `own` already hands to git. */
export function gitEnvironment(
  own: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string>> {
  const count = Number(own["GIT_CONFIG_COUNT"] ?? 0);
  const first = Number.isSafeInteger(count) && count > 0 ? count : 0;
  const pairs = GIT_SETTINGS.flatMap(([name, value], index) => [
    [`GIT_CONFIG_KEY_${first + index}`, name],
    [`GIT_CONFIG_VALUE_${first + index}`, value],
  ]);
  return {
    ...Object.fromEntries(pairs),
    GIT_CONFIG_COUNT: String(first + GIT_SETTINGS.length),
  };
}

export function commandEnvironment(
  own: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string>> {
  const kept = Object.entries(own).flatMap(([name, value]) =>
    value === undefined || MODEL_KEYS.has(name) || DROPPED.test(name) ? [] : [[name, value]],
  );
  return { ...Object.fromEntries(kept), ...gitEnvironment(own), ...QUIET_ENVIRONMENT };
}
