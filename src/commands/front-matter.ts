// The head of a Markdown file: `key: value` lines of YAML between two lines of `---`. Pure but for loading the parser.

import { isRecord } from "../lib/json.ts";

/** UTF-16 units; what is longer is no head but a text that begins with a rule. */
const MAX_HEAD_LENGTH = 8_000;

export type FrontMatter = {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly body: string;
};

/** A head that is no YAML object counts as none, and stays out of the body all the same. */
export async function readFrontMatter(text: string): Promise<FrontMatter> {
  const clean = text.replace(/^\uFEFF/, "").replaceAll("\r\n", "\n");
  const match = /^---[ \t]*\n([\s\S]*?)(?:^|\n)---[ \t]*(?:\n|$)/.exec(clean);
  const head = match?.[1];
  if (match === null || head === undefined || head.length > MAX_HEAD_LENGTH)
    return { fields: {}, body: clean.trim() };
  const body = clean.slice(match[0].length).trim();
  const { parse } = await import("yaml");
  try {
    const fields: unknown = parse(head, { logLevel: "silent", maxAliasCount: 0 });
    return { fields: isRecord(fields) ? fields : {}, body };
  } catch {
    // A broken head says nothing; the text below it is what the author meant to be used.
    return { fields: {}, body };
  }
}

/** A field as one line of text; empty when it is absent or something else. */
export function textField({ fields }: FrontMatter, ...names: readonly string[]): string {
  for (const name of names) {
    const value = fields[name];
    if (typeof value === "string" || typeof value === "number")
      return String(value).replaceAll(/\s+/g, " ").trim();
    // YAML reads `[env]` as a list; an author who writes that means the text.
    if (Array.isArray(value)) return `[${value.map(String).join(", ")}]`;
  }
  return "";
}
