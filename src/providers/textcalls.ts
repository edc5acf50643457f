// Tool calls that a model wrote as text because its server did not parse them. Pure. Only a message that is nothing
// but one call, outside code, counts; anything quoted or mixed with prose stays text. Nothing is repaired.

import { isRecord, parseJson, type JsonObject, type JsonValue } from "../lib/json.ts";
import type { ToolSpec } from "./provider.ts";

export type TextCall = { readonly name: string; readonly arguments: string };

type Raw = { readonly name: string; readonly args: unknown };
type Syntax = {
  readonly opener: string;
  /** Reads the whole message; `undefined` when it is not exactly one call of this syntax. */
  readonly read: (text: string, tools: readonly ToolSpec[]) => Raw | undefined;
};

const SYNTAXES: readonly Syntax[] = [
  // Hermes and Qwen; Qwen3-Coder and GLM put their own forms inside the same tag.
  {
    opener: "<tool_call>",
    read: (text, tools) => readInner(between(text, "<tool_call>", "</tool_call>"), tools),
  },
  {
    opener: "<function_call>",
    read: (text) => readJson(between(text, "<function_call>", "</function_call>")),
  },
  { opener: "<function=", read: readFunctionTag },
  // Mistral, before and after its v11 tokenizer.
  { opener: "[TOOL_CALLS]", read: readMistral },
  // Llama 3.
  { opener: "<|python_tag|>", read: (text) => readJson(text.slice("<|python_tag|>".length)) },
  { opener: '{"name"', read: readJson },
  // Anthropic's old form, copied by several models.
  {
    opener: "<function_calls>",
    read: (text, tools) =>
      readInvoke(between(text, "<function_calls>", "</function_calls>"), tools),
  },
  { opener: "<invoke name=", read: readInvoke },
  { opener: "<|tool_calls_section_begin|>", read: readKimi },
  { opener: "<｜tool▁calls▁begin｜>", read: readDeepSeek },
];

/** UTF-16 units. A longer message is no single call worth waiting for. */
export const MAX_TEXT_CALL_LENGTH = 1024 * 1024;
/** By so many units every opener is told apart from text. */
export const TEXT_CALL_HEAD_LENGTH = 64;

/** True while `text` (from the first character of the message) may still turn out to be nothing but one call. */
export function mayBeTextCall(text: string): boolean {
  const body = text.trimStart();
  return SYNTAXES.some(({ opener }) => opener.startsWith(body) || body.startsWith(opener));
}

/** The call that `text` is, if it names one of `tools` and its arguments fit that tool's schema in outline. */
export function readTextCall(text: string, tools: readonly ToolSpec[]): TextCall | undefined {
  const body = text.trim();
  const syntax = SYNTAXES.find(({ opener }) => body.startsWith(opener));
  const raw = syntax?.read(body, tools);
  const tool = tools.find(({ name }) => name === raw?.name);
  if (raw === undefined || tool === undefined || !isRecord(raw.args)) return undefined;
  return fits(raw.args, tool.parameters)
    ? { name: raw.name, arguments: JSON.stringify(raw.args) }
    : undefined;
}

/** Required members are there and none is unknown; the tool itself checks the rest. */
function fits(args: Record<string, unknown>, schema: JsonObject): boolean {
  const required = schema["required"];
  if (Array.isArray(required) && !required.every((key) => typeof key === "string" && key in args))
    return false;
  const properties = schema["properties"];
  return !isRecord(properties) || Object.keys(args).every((key) => key in properties);
}

/** The text between the tags, when they stand at the very ends and nowhere else. The closing tag may be missing. */
function between(text: string, open: string, close: string): string {
  const inner = text.slice(open.length);
  return (inner.endsWith(close) ? inner.slice(0, -close.length) : inner).trim();
}

function readInner(text: string, tools: readonly ToolSpec[]): Raw | undefined {
  if (text.startsWith("{")) return readJson(text);
  if (text.startsWith("<function=")) return readFunctionTag(text, tools);
  return readGlm(text, tools);
}

function readJson(text: string): Raw | undefined {
  const value = parseJson(text);
  if (!isRecord(value) || typeof value["name"] !== "string") return undefined;
  const args = value["arguments"] ?? value["parameters"];
  return { name: value["name"], args: typeof args === "string" ? parseJson(args) : args };
}

function readFunctionTag(text: string, tools: readonly ToolSpec[]): Raw | undefined {
  const match = /^<function=([\w.-]+)>([\s\S]*)<\/function>$/.exec(text);
  if (match === null) return undefined;
  const [, name = "", body = ""] = match;
  if (body.trim().startsWith("{")) return { name, args: parseJson(body) };
  const pairs = pairsOf(body, /<parameter=([\w.-]+)>\n?([\s\S]*?)\n?<\/parameter>/g);
  return pairs && { name, args: typed(pairs, name, tools) };
}

function readInvoke(text: string, tools: readonly ToolSpec[]): Raw | undefined {
  const match = /^<invoke name="([\w.-]+)">([\s\S]*)<\/invoke>$/.exec(text);
  if (match === null) return undefined;
  const [, name = "", body = ""] = match;
  const pairs = pairsOf(body, /<parameter name="([\w.-]+)">([\s\S]*?)<\/parameter>/g);
  return pairs && { name, args: typed(pairs, name, tools) };
}

function readGlm(text: string, tools: readonly ToolSpec[]): Raw | undefined {
  const match = /^([\w.-]+)\s*([\s\S]*)$/.exec(text);
  if (match === null) return undefined;
  const [, name = "", body = ""] = match;
  const pairs = pairsOf(
    body,
    /<arg_key>([\w.-]+)<\/arg_key>\s*<arg_value>([\s\S]*?)<\/arg_value>/g,
  );
  return pairs && { name, args: typed(pairs, name, tools) };
}

function readMistral(text: string): Raw | undefined {
  const body = text.slice("[TOOL_CALLS]".length).trim();
  const named = /^([\w.-]+)(?:\[ARGS\])?\s*(\{[\s\S]*\})$/.exec(body);
  if (named !== null) return { name: named[1] ?? "", args: parseJson(named[2] ?? "") };
  const list = parseJson(body);
  return Array.isArray(list) && list.length === 1 ? readJson(JSON.stringify(list[0])) : undefined;
}

function readKimi(text: string): Raw | undefined {
  const match =
    /^<\|tool_calls_section_begin\|>\s*<\|tool_call_begin\|>\s*(?:functions\.)?([\w.-]+?)(?::\d+)?\s*<\|tool_call_argument_begin\|>([\s\S]*)<\|tool_call_end\|>\s*<\|tool_calls_section_end\|>$/.exec(
      text,
    );
  return match === null ? undefined : { name: match[1] ?? "", args: parseJson(match[2] ?? "") };
}

function readDeepSeek(text: string): Raw | undefined {
  const match =
    /^<｜tool▁calls▁begin｜>\s*<｜tool▁call▁begin｜>(?:function<｜tool▁sep｜>)?([\w.-]+)(?:<｜tool▁sep｜>|\n```json\n)([\s\S]*?)(?:\n```)?<｜tool▁call▁end｜>\s*<｜tool▁calls▁end｜>$/.exec(
      text,
    );
  return match === null ? undefined : { name: match[1] ?? "", args: parseJson(match[2] ?? "") };
}

/** Every pair of `body`, or `undefined` when anything else stands between them or a name comes twice. */
function pairsOf(body: string, pattern: RegExp): ReadonlyMap<string, string> | undefined {
  const pairs = new Map<string, string>();
  for (const [, key = "", value = ""] of body.matchAll(pattern)) {
    if (pairs.has(key)) return undefined;
    pairs.set(key, value);
  }
  return body.replaceAll(pattern, "").trim() === "" ? pairs : undefined;
}

/** Tags carry only text: a value whose schema is no string is read as JSON. */
function typed(
  pairs: ReadonlyMap<string, string>,
  name: string,
  tools: readonly ToolSpec[],
): JsonObject {
  const properties = tools.find((tool) => tool.name === name)?.parameters["properties"];
  const args: Record<string, JsonValue> = {};
  for (const [key, value] of pairs) {
    const schema = isRecord(properties) ? properties[key] : undefined;
    const isText = !isRecord(schema) || schema["type"] === "string" || schema["type"] === undefined;
    args[key] = isText ? value : jsonOr(value);
  }
  return args;
}

function jsonOr(text: string): JsonValue {
  const value = parseJson(text);
  return value === undefined ? text : (value as JsonValue);
}
