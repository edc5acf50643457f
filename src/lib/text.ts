// Small truths about text: cutting at graphemes, fencing, making the invisible visible.

import { lazily } from "./lazily.ts";

const graphemes = lazily(() => new Intl.Segmenter("en", { granularity: "grapheme" }));

/** The longest prefix of `text` with at most `maxLength` UTF-16 units that ends at a grapheme border. */
export function truncateAtGrapheme(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  let end = 0;
  // One grapheme can be long, but never needs more than a bounded look ahead of the limit.
  for (const { index, segment } of graphemes().segment(text.slice(0, maxLength + 64))) {
    if (index + segment.length > maxLength) break;
    end = index + segment.length;
  }
  return text.slice(0, end);
}

/** Puts `text` into a Markdown fence longer than any run of backticks inside it. */
export function fence(text: string, language = ""): string {
  let longest = 2;
  for (const [run] of text.matchAll(/`{3,}/g)) longest = Math.max(longest, run.length);
  const ticks = "`".repeat(longest + 1);
  return `${ticks}${language}\n${text}${text.endsWith("\n") ? "" : "\n"}${ticks}`;
}

// Control, format, surrogate, private and unassigned characters, and separators other than the plain space.
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]|(?! )\p{Zs}/gu;

/** Shows control, format and odd space characters as `\u{…}`; `keep` names characters left alone (default newline and tab). */
export function escapeInvisible(text: string, keep = "\n\t"): string {
  return text.replace(INVISIBLE, (char) =>
    keep.includes(char) ? char : `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`,
  );
}

/** True when `text` holds a character that a reader cannot see; newline and tab do not count. */
export function hasInvisible(text: string): boolean {
  return escapeInvisible(text) !== text;
}

/** `1 file`, `2 files`. */
export function count(n: number, noun: string, plural = `${noun}s`): string {
  return `${n} ${n === 1 ? noun : plural}`;
}
