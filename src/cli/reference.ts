// What help says beside a command's own options: environment, exit codes, examples. Data; help.ts lays it out.

import { PROVIDERS } from "../config/provider-table.ts";
import { MODE_IDS } from "../permissions/modes.ts";

export type Row = readonly [what: string, meaning: string];
export type Reference = {
  readonly examples: readonly Row[];
  readonly exits: readonly Row[];
  /** Names from ENVIRONMENT that matter to the command. */
  readonly environment: readonly string[];
};

const keyNames = new Set(
  PROVIDERS.flatMap(({ use, keyVariables }) => (use === "local" ? [] : keyVariables.slice(0, 1))),
);
const KEYS = "OPENAI_API_KEY, …";

/** Every variable that the program reads for itself. */
export const ENVIRONMENT: readonly Row[] = [
  ["IACCODE_MODEL", "model to use: its name, or provider/name"],
  ["IACCODE_BASE_URL", "address of an OpenAI-compatible endpoint"],
  ["IACCODE_API_KEY", "key of that endpoint"],
  [KEYS, `key of a known provider: ${[...keyNames].join(", ")}`],
  ["OLLAMA_HOST", "where a local Ollama listens (default 127.0.0.1:11434)"],
  ["IACCODE_ACP_HTTP_TOKEN", "bearer token of the HTTP transport, for server and client"],
  ["IACCODE_HOME", "configuration, keys and sessions (default ~/.iac-code)"],
  ["IACCODE_LOG", "what is logged on stderr: debug, info, warn (default), error, silent"],
  ["IACCODE_FETCH_ALLOW", "private addresses that web_fetch may reach, separated by commas"],
  ["NO_COLOR", "set to anything: no colours, no spinner"],
  ["COLUMNS", "width to print for, instead of the terminal's"],
];

const USUAL_EXITS: readonly Row[] = [
  ["0", "done"],
  ["1", "error"],
  ["2", "wrong usage"],
  ["130", "cancelled"],
];
export const MAIN_EXITS: readonly Row[] = [
  ...USUAL_EXITS.slice(0, 3),
  ["3", "run: something was denied; review: danger"],
  ["130", "cancelled"],
];

const MODEL_ENVIRONMENT = [
  "IACCODE_MODEL",
  "IACCODE_BASE_URL",
  "IACCODE_API_KEY",
  KEYS,
  "OLLAMA_HOST",
  "IACCODE_HOME",
  "IACCODE_LOG",
];
const STORE_ENVIRONMENT = ["IACCODE_HOME", "COLUMNS"];

/** By command; a command without an entry shows the usual exit codes. */
export const REFERENCE: Readonly<Record<string, Reference>> = {
  acp: {
    examples: [
      ["iac-code acp", "for an editor: one client on stdin and stdout"],
      [
        'IACCODE_ACP_HTTP_TOKEN="$(openssl rand -hex 32)" iac-code acp --transport http',
        "for remote clients, on http://127.0.0.1:8765/acp",
      ],
    ],
    exits: USUAL_EXITS,
    environment: [...MODEL_ENVIRONMENT, "IACCODE_ACP_HTTP_TOKEN", "IACCODE_FETCH_ALLOW"],
  },
  run: {
    examples: [
      ['iac-code run "Review this project"', "with a model, or by rules where there is none"],
      ["git diff | iac-code run -", "the prompt from a pipe"],
      [
        'iac-code run --json --mode plan "What would this change?"',
        "for a script; changes nothing",
      ],
      ['iac-code run --session sess_1f "go on"', "go on with a stored session"],
    ],
    exits: [...USUAL_EXITS.slice(0, 3), ["3", "something was denied"], ["130", "cancelled"]],
    environment: [...MODEL_ENVIRONMENT, "IACCODE_ACP_HTTP_TOKEN", "NO_COLOR", "COLUMNS"],
  },
  sessions: {
    examples: [
      ["iac-code sessions list --cwd .", "the sessions of this directory"],
      ["iac-code sessions show sess_1f --permissions", "what was asked, and who decided"],
      ["iac-code sessions export sess_1f --format json", "everything, for a program"],
    ],
    exits: USUAL_EXITS,
    environment: STORE_ENVIRONMENT,
  },
  models: {
    examples: [
      ["iac-code models", "what can be used now"],
      ["iac-code models --ask", "what the endpoints list beside it"],
    ],
    exits: USUAL_EXITS,
    environment: MODEL_ENVIRONMENT,
  },
  login: {
    examples: [
      ["iac-code login", "asks for provider, key and model"],
      ["iac-code login --provider openai --key-stdin < key.txt", "for a script"],
    ],
    exits: USUAL_EXITS,
    environment: ["IACCODE_HOME"],
  },
  logout: {
    examples: [["iac-code logout openai", "forgets that provider's key"]],
    exits: USUAL_EXITS,
    environment: ["IACCODE_HOME"],
  },
  doctor: {
    examples: [["iac-code doctor --json", "the same for a program"]],
    exits: [
      ["0", "all that is needed works"],
      ["1", "something needed is broken"],
      ...USUAL_EXITS.slice(2),
    ],
    environment: MODEL_ENVIRONMENT,
  },
  config: {
    examples: [["iac-code config schema > schema.json", "for an editor's $schema"]],
    exits: USUAL_EXITS,
    environment: ["IACCODE_HOME"],
  },
  review: {
    examples: [
      ["terraform show -json plan.bin | iac-code review --plan -", "judge a plan"],
      ["iac-code review --diff --base main", "judge what changed since a branch"],
      ["iac-code review --format sarif > findings.sarif", "findings for a code host"],
    ],
    exits: [
      ["0", "safe"],
      ["1", "error, or wrong usage"],
      ["2", "review"],
      ["3", "danger"],
      ["130", "cancelled"],
    ],
    environment: [],
  },
  completions: {
    examples: [
      ['eval "$(iac-code completions bash)"', "in ~/.bashrc"],
      ["iac-code completions zsh > ~/.zfunc/_iac-code", "in a folder of $fpath"],
      ["iac-code completions fish > ~/.config/fish/completions/iac-code.fish", "once"],
    ],
    exits: USUAL_EXITS,
    environment: [],
  },
};

export const DEFAULT_REFERENCE: Reference = { examples: [], exits: USUAL_EXITS, environment: [] };

/** Words that an option or argument takes, where its definition cannot say so: by `command argument`, or by option alone. */
export const KNOWN_WORDS: Readonly<Record<string, readonly string[]>> = {
  "--mode": MODE_IDS,
  "sessions action": ["list", "show", "export", "delete"],
  "config action": ["schema", "path"],
  "completions shell": ["bash", "zsh", "fish"],
};
