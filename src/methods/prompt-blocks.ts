// Prompt blocks as clients send them → blocks as we keep them. https://agentclientprotocol.com/protocol/content

import { z } from "zod";
import type { PromptBlock } from "../conversation/content.ts";
import { lazily } from "../lib/lazily.ts";
import { invalidParams } from "../protocol/errors.ts";

/** Built at the first prompt. */
const block = lazily(() => {
  const optionalText = z.string().nullish();
  return z.discriminatedUnion("type", [
    z.looseObject({ type: z.literal("text"), text: z.string() }),
    z.looseObject({ type: z.literal("image"), mimeType: optionalText }),
    z.looseObject({ type: z.literal("audio"), mimeType: optionalText }),
    z.looseObject({
      type: z.literal("resource_link"),
      uri: z.string(),
      name: optionalText,
      mimeType: optionalText,
    }),
    z.looseObject({
      type: z.literal("resource"),
      resource: z.looseObject({
        uri: z.string(),
        text: optionalText,
        blob: optionalText,
        mimeType: optionalText,
      }),
    }),
  ]);
});

function withMime(mimeType: string | null | undefined): { readonly mimeType?: string } {
  return mimeType === null || mimeType === undefined ? {} : { mimeType };
}

function nameOfUri(uri: string): string {
  const last = uri.split(/[/\\]/).findLast((part) => part !== "") ?? uri;
  try {
    return decodeURIComponent(last);
  } catch {
    // Not percent-encoded text after all; the name is for display only.
    return last;
  }
}

/** Turns one raw block into ours; what the model cannot take becomes a marker. Throws -32602 naming the block. */
function toPromptBlock(raw: unknown, index: number): PromptBlock {
  const parsed = block().safeParse(raw);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    const field = ["prompt", index, ...(issue?.path ?? [])].join(".");
    throw invalidParams({
      [field]:
        issue?.path.at(-1) === "type"
          ? "must be text, image, audio, resource or resource_link"
          : (issue?.message ?? "is invalid"),
    });
  }
  const value = parsed.data;
  switch (value.type) {
    case "text":
      return { type: "text", text: value.text };
    case "image":
      return { type: "text", text: `[image: ${value.mimeType ?? "image"}]` };
    case "audio":
      return { type: "text", text: `[audio: ${value.mimeType ?? "audio"}]` };
    case "resource_link":
      return {
        type: "resource_link",
        uri: value.uri,
        name: value.name ?? nameOfUri(value.uri),
        ...withMime(value.mimeType),
      };
    case "resource": {
      const { uri, text, mimeType } = value.resource;
      if (text === null || text === undefined) {
        return {
          type: "text",
          text: `[resource: ${mimeType ?? "application/octet-stream"} ${uri}]`,
        };
      }
      return { type: "resource", uri, text, ...withMime(mimeType) };
    }
  }
}

/** Throws -32602 for an empty prompt or a block that is none of the five kinds. */
export function parsePrompt(raw: readonly unknown[]): PromptBlock[] {
  if (raw.length === 0) throw invalidParams({ prompt: "must hold at least one block" });
  return raw.map(toPromptBlock);
}
