// The text, reasoning and refusal of one delta or message, under whichever names the endpoint uses. Pure.

import { isRecord } from "../lib/json.ts";

export type DeltaText = {
  readonly text: string;
  readonly thought: string;
  readonly refusal: string;
};

/** Reasoning that stands under two names is the same reasoning and counts once. */
export function deltaText(delta: Readonly<Record<string, unknown>>): DeltaText {
  const content = partsOf(delta["content"]);
  const thought =
    plain(delta["reasoning_content"]) ||
    plain(delta["reasoning"]) ||
    plain(delta["reasoning_details"]);
  return {
    text: content.text,
    thought: thought + content.thought,
    refusal: plain(delta["refusal"]),
  };
}

/** Content is a string, or (Mistral, gateways) a list of parts of which some are thinking. */
function partsOf(content: unknown): { readonly text: string; readonly thought: string } {
  if (!Array.isArray(content)) return { text: plain(content), thought: "" };
  let text = "";
  let thought = "";
  for (const part of content as readonly unknown[]) {
    const isThinking =
      isRecord(part) && (part["type"] === "thinking" || part["type"] === "reasoning");
    if (isThinking) thought += plain(part);
    else text += plain(part);
  }
  return { text, thought };
}

/** The text in a string, an object that carries one, or a list of those. */
function plain(value: unknown): string {
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return value.map(plain).join("");
  if (!isRecord(value)) return "";
  for (const key of ["text", "content", "thinking", "summary"])
    if (key in value) return plain(value[key]);
  return "";
}
