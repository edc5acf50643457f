// A session's title: the first line of its first prompt, fit for one row of a list. Pure.

import type { PromptBlock } from "../conversation/content.ts";
import { truncateAtGrapheme } from "../lib/text.ts";

export const TITLE_MAX_LENGTH = 80;

/** Control characters removed, blanks folded, at most 80 characters at a grapheme border; `undefined` when nothing is left. */
export function titleFrom(blocks: readonly PromptBlock[]): string | undefined {
  const named = blocks.map((block) =>
    block.type === "text" ? block.text : block.type === "resource_link" ? block.name : block.uri,
  );
  for (const line of named.flatMap((text) => text.slice(0, 4_000).split(/\r\n|\r|\n/))) {
    const clean = line
      .replaceAll(/(?!\u{200d})[\p{Cc}\p{Cf}\p{Cs}]/gu, " ")
      .replaceAll(/\s+/g, " ")
      .trim();
    if (clean !== "") return truncateAtGrapheme(clean, TITLE_MAX_LENGTH).trimEnd();
  }
  return undefined;
}
