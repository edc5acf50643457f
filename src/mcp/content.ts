// A server's answer → text for the model, bounded. What the model cannot take becomes a marker that says what it was.
// https://modelcontextprotocol.io/specification/2025-11-25/server/tools#tool-result

import { z } from "zod";
import { fence, truncateAtGrapheme } from "../lib/text.ts";

/** UTF-16 units of one result; contract: 100 kB. */
export const MAX_RESULT_LENGTH = 100_000;
/** Blocks of one result that are looked at. */
const MAX_BLOCKS = 1_000;

const optionalText = z.string().nullish();
const resource = z.looseObject({
  uri: optionalText,
  mimeType: optionalText,
  text: optionalText,
  blob: optionalText,
});
const block = z.discriminatedUnion("type", [
  z.looseObject({ type: z.literal("text"), text: z.string() }),
  z.looseObject({ type: z.literal("image"), mimeType: optionalText, data: optionalText }),
  z.looseObject({ type: z.literal("audio"), mimeType: optionalText, data: optionalText }),
  z.looseObject({ type: z.literal("resource"), resource }),
  z.looseObject({ type: z.literal("resource_link"), uri: z.string(), name: optionalText }),
]);

function sizeOf(base64: string | null | undefined): string {
  const bytes = Math.round(((base64?.length ?? 0) * 3) / 4);
  return bytes < 1_000 ? `${bytes} B` : `${Math.round(bytes / 1_000)} kB`;
}

function resourceText({ uri, mimeType, text, blob }: z.infer<typeof resource>): string {
  const name = uri ?? "without a name";
  if (typeof text === "string") return `[resource: ${name}]\n${fence(text)}`;
  return `[resource: ${mimeType ?? "application/octet-stream"} ${name}, ${sizeOf(blob)}, not shown]`;
}

function blockText(raw: unknown): string {
  const parsed = block.safeParse(raw);
  if (!parsed.success) return "[content of a kind that is not understood]";
  const value = parsed.data;
  switch (value.type) {
    case "text":
      return value.text;
    case "image":
    case "audio":
      return `[${value.type}: ${value.mimeType ?? value.type}, ${sizeOf(value.data)}, not shown]`;
    case "resource":
      return resourceText(value.resource);
    case "resource_link":
      return `[resource: ${value.name ?? value.uri} (${value.uri})]`;
  }
}

/** Cuts what is too long and says so, so that the model asks for less instead of believing it saw all. */
export function boundText(text: string): string {
  if (text.length <= MAX_RESULT_LENGTH) return text;
  const kept = truncateAtGrapheme(text, MAX_RESULT_LENGTH);
  return `${kept}\n[${text.length - kept.length} more characters of this result were left out; ask for less at a time]`;
}

/** The blocks of `content`, one after the other. */
export function contentText(content: unknown): string {
  if (!Array.isArray(content)) return "";
  const shown = content.slice(0, MAX_BLOCKS).map(blockText);
  if (content.length > MAX_BLOCKS) shown.push(`[${content.length - MAX_BLOCKS} more blocks]`);
  return shown.join("\n");
}

/** What a tool said: its content, or its structured content where that is all there is. */
export function toolResultText(result: {
  readonly content?: unknown;
  readonly structuredContent?: unknown;
}): string {
  const text = contentText(result.content);
  if (text.trim() !== "") return boundText(text);
  return result.structuredContent === undefined
    ? "(no output)"
    : boundText(JSON.stringify(result.structuredContent, undefined, 2));
}

/** What was read of a resource. */
export function resourcesText(contents: unknown): string {
  if (!Array.isArray(contents) || contents.length === 0) return "(empty)";
  const shown = contents.slice(0, MAX_BLOCKS).map((item) => {
    const parsed = resource.safeParse(item);
    return parsed.success
      ? resourceText(parsed.data)
      : "[content of a kind that is not understood]";
  });
  return boundText(shown.join("\n"));
}
