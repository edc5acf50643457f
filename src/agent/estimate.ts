// How many tokens a text or a request will be, without a tokenizer: pure, one pass over the characters, then corrected
// by what the endpoint reports. Weights are fitted to o200k and checked on HCL, JSON, prose and Chinese.

import type { Message } from "../conversation/messages.ts";
import type { JsonValue } from "../lib/json.ts";

/** A word up to this many letters is one token; each further `LETTERS_PER_TOKEN` is one more. */
const WORD_LETTERS = 9;
const LETTERS_PER_TOKEN = 7;
const DIGITS_PER_TOKEN = 3;
const TOKENS_PER_CJK_CHAR = 0.66;
/** Other alphabets: letters of one token. */
const OTHER_LETTERS_PER_TOKEN = 2.5;
const TOKENS_PER_PUNCTUATION_RUN = 0.9;
const PUNCTUATION_RUN = 3;
const TOKENS_PER_FURTHER_PUNCTUATION = 0.3;
/** Role, separators and name of one message or call. */
const TOKENS_PER_MESSAGE = 4;
const TOKENS_PER_TOOL = 8;

type Kind = "lower" | "upper" | "digit" | "space" | "punctuation" | "cjk" | "letter" | "other";

/** Tokens, rounded up. */
export function estimateTokens(text: string): number {
  let total = 0;
  let index = 0;
  while (index < text.length) {
    const kind = kindAt(text, index);
    const start = index;
    index += 1;
    while (index < text.length && kindAt(text, index) === kind) index += 1;
    // The last capital of a run begins the next word: `VPCId` is `VPC` and `Id`.
    if (kind === "upper" && index < text.length && kindAt(text, index) === "lower") {
      total += index - start > 1 ? runTokens("upper", index - start - 1, false) : 0;
      const word = index - 1;
      while (index < text.length && kindAt(text, index) === "lower") index += 1;
      total += runTokens("lower", index - word, false);
    } else total += runTokens(kind, index - start, text.charCodeAt(start) === 32);
  }
  return Math.ceil(total);
}

function kindAt(text: string, index: number): Kind {
  const code = text.charCodeAt(index);
  if (code >= 97 && code <= 122) return "lower";
  if (code >= 65 && code <= 90) return "upper";
  if (code >= 48 && code <= 57) return "digit";
  if (code <= 32) return "space";
  if (code < 127) return "punctuation";
  if ((code >= 0x3040 && code <= 0x9fff) || (code >= 0xac00 && code <= 0xd7af)) return "cjk";
  return code < 0x2000 ? "letter" : "other";
}

function runTokens(kind: Kind, length: number, startsWithBlank: boolean): number {
  switch (kind) {
    case "lower":
    case "upper":
      return 0.97 + Math.max(0, length - WORD_LETTERS) / LETTERS_PER_TOKEN;
    case "digit":
      return Math.ceil(length / DIGITS_PER_TOKEN);
    case "space":
      // One blank belongs to the word behind it; a line end with its indentation is one token.
      return length === 1 && startsWithBlank ? 0 : 1;
    case "punctuation":
      return (
        TOKENS_PER_PUNCTUATION_RUN +
        Math.max(0, length - PUNCTUATION_RUN) * TOKENS_PER_FURTHER_PUNCTUATION
      );
    case "cjk":
      return length * TOKENS_PER_CJK_CHAR;
    case "letter":
      return length / OTHER_LETTERS_PER_TOKEN;
    case "other":
      return length;
    default:
      return kind satisfies never;
  }
}

type EstimatedTool = {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonValue;
};

/** The members of a request that cost input tokens. */
export type EstimatedRequest = {
  readonly messages: readonly Message[];
  readonly tools: readonly EstimatedTool[];
};

/** What was counted once: messages and tools never change, and every request of a session holds all earlier ones. */
const counted = new WeakMap<object, number>();

function once<T extends object>(what: T, count: (what: T) => number): number {
  const known = counted.get(what);
  if (known !== undefined) return known;
  const tokens = count(what);
  counted.set(what, tokens);
  return tokens;
}

/** Input tokens of a request before calibration. Reasoning counts: most endpoints that want it back charge for it. */
export function estimateRequest({ messages, tools }: EstimatedRequest): number {
  let total = 0;
  for (const message of messages) total += once(message, messageTokens);
  for (const tool of tools) total += once(tool, toolTokens);
  return total;
}

function toolTokens({ name, description, parameters }: EstimatedTool): number {
  const schema = estimateTokens(JSON.stringify(parameters));
  return TOKENS_PER_TOOL + estimateTokens(`${name} ${description} `) + schema;
}

function messageTokens(message: Message): number {
  let total = TOKENS_PER_MESSAGE + estimateTokens(message.text);
  if (message.role !== "assistant") return total;
  total += estimateTokens(message.reasoning ?? "");
  for (const call of message.toolCalls)
    total += TOKENS_PER_MESSAGE + estimateTokens(call.name) + estimateTokens(call.arguments);
  return total;
}

export type Calibration = {
  /** Corrects an estimate by what was learnt. */
  readonly apply: (estimated: number) => number;
  /** `estimated`: of the same request, before calibration; `reported`: input tokens by the endpoint. */
  readonly learn: (observed: { readonly estimated: number; readonly reported: number }) => void;
};

/** Smaller requests say little about the ratio. Tokens. */
const MIN_LEARN_TOKENS = 50;
/** How much the newest observation counts against all before it. */
const NEWEST_WEIGHT = 0.6;
/** No tokenizer is further from ours; a report beyond is a server that cut the prompt or counts something else. */
const MIN_RATIO = 0.5;
const MAX_RATIO = 3;

/** One per model: its tokenizer and the session's mix of languages stay about the same. */
export function createCalibration(): Calibration {
  let ratio: number | undefined;
  return {
    apply: (estimated) => Math.ceil(estimated * (ratio ?? 1)),
    learn({ estimated, reported }) {
      const observed = reported / estimated;
      if (estimated < MIN_LEARN_TOKENS || !(observed >= MIN_RATIO && observed <= MAX_RATIO)) return;
      ratio =
        ratio === undefined ? observed : observed * NEWEST_WEIGHT + ratio * (1 - NEWEST_WEIGHT);
    },
  };
}
