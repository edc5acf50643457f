// Searching one file's bytes, line by line. Runs inside the worker process; pure, so that tests can call it directly.

import { isUtf16, looksBinary, newStreamDecoder, sniffEncoding } from "./file-text.ts";
import { requiredLiterals } from "./grep-literal.ts";
import { createTextProbe } from "./grep-whole-text.ts";

/** UTF-16 units of a line that are shown, around its first match. */
const MAX_SHOWN_LINE = 400;

export type GrepQuery = {
  readonly pattern: string;
  readonly ignoresCase: boolean;
  /** Lines shown before and after each match. */
  readonly context: number;
  /** False when only the number of matching lines is wanted. */
  readonly wantsLines: boolean;
};

type GrepLine = {
  readonly number: number;
  readonly text: string;
  readonly isMatch: boolean;
};

export type FileMatch = {
  /** Matching lines in the file. */
  readonly count: number;
  /** Those shown with their context, in order. */
  readonly lines: readonly GrepLine[];
};

export type Matcher = {
  /** What a look at the bytes tells, without running the expression. */
  readonly look: (bytes: Buffer) => "binary" | "no_match" | "candidate";
  /** Of a candidate. `maxMatches` bounds the lines kept, not those counted. */
  readonly search: (bytes: Buffer, maxMatches: number) => FileMatch;
};

/** Throws a SyntaxError for a pattern that is not a regular expression. */
export function toRegExp(pattern: string, ignoresCase: boolean): RegExp {
  // Named properties and code points beyond the first plane exist in Unicode mode only.
  const needsUnicode = /\\[pPu]\{/.test(pattern);
  return new RegExp(pattern, `${ignoresCase ? "i" : ""}${needsUnicode ? "u" : ""}`);
}

export function createMatcher(query: GrepQuery): Matcher {
  const regex = toRegExp(query.pattern, query.ignoresCase);
  const literals = query.ignoresCase ? undefined : requiredLiterals(query.pattern);
  const needles = literals?.map((literal) => Buffer.from(literal));
  const mayHoldMatch = createTextProbe(regex);
  return {
    look: (bytes) => {
      if (isUtf16(sniffEncoding(bytes).encoding)) return "candidate";
      if (looksBinary(bytes)) return "binary";
      const isPossible = !needles || needles.some((needle) => bytes.includes(needle));
      return isPossible ? "candidate" : "no_match";
    },
    search: (bytes, maxMatches) => {
      const text = toText(bytes);
      if (mayHoldMatch?.(text) === false) return { count: 0, lines: [] };
      return searchText(text, { regex, literals }, query, maxMatches);
    },
  };
}

/** Not strict: a file with a stray byte can still be searched. */
function toText(bytes: Buffer): string {
  const { encoding, bomBytes } = sniffEncoding(bytes);
  const body = bytes.subarray(bomBytes);
  return isUtf16(encoding) ? newStreamDecoder(encoding)(body, true) : body.toString("utf8");
}

type Probe = { readonly regex: RegExp; readonly literals: readonly string[] | undefined };

function searchText(
  text: string,
  { regex, literals }: Probe,
  query: GrepQuery,
  maxMatches: number,
): FileMatch {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  const [only, another] = literals ?? [];
  const quick = another === undefined ? only : undefined;
  const shown: GrepLine[] = [];
  let count = 0;
  let shownTo = -1;
  const show = (index: number, line: string, at: number | undefined) => {
    shown.push({ number: index + 1, text: cutLine(line, at ?? 0), isMatch: at !== undefined });
    shownTo = index;
  };
  let contextLeft = 0;
  for (const [index, raw] of lines.entries()) {
    const line = raw.endsWith("\r") ? raw.slice(0, -1) : raw;
    const at = quick !== undefined && !line.includes(quick) ? -1 : line.search(regex);
    if (at !== -1) {
      count++;
      if (!query.wantsLines || count > maxMatches) continue;
      for (let i = Math.max(shownTo + 1, index - query.context); i < index; i++)
        show(i, (lines[i] ?? "").replace(/\r$/, ""), undefined);
      show(index, line, at);
      contextLeft = query.context;
    } else if (contextLeft > 0 && count <= maxMatches) {
      contextLeft--;
      show(index, line, undefined);
    }
  }
  return { count, lines: shown };
}

/** As if only so many matches had been looked for: the first of them, with the lines around. */
export function firstMatches(
  lines: readonly GrepLine[],
  matches: number,
  context: number,
): readonly GrepLine[] {
  const matching = lines.filter(({ isMatch }) => isMatch);
  const next = matching[Math.max(0, matches)];
  if (next === undefined) return lines;
  const last = matching[matches - 1]?.number ?? -Infinity;
  return lines.filter(({ number }) => number < next.number && number <= last + context);
}

function cutLine(line: string, at: number): string {
  if (line.length <= MAX_SHOWN_LINE) return line;
  const from = Math.max(0, Math.min(at - MAX_SHOWN_LINE / 4, line.length - MAX_SHOWN_LINE));
  const to = from + MAX_SHOWN_LINE;
  return `${from > 0 ? "…" : ""}${line.slice(from, to).toWellFormed()}${to < line.length ? "…" : ""}`;
}
