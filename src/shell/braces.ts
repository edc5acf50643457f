// Brace expansion on marked text. Characters that are special only when unquoted are carried as private-use
// characters while a word is put together; command text that holds such characters is refused before (parse.ts).

export const MARK = {
  of: { "{": "\uE000", ",": "\uE001", "}": "\uE002", ".": "\uE003", "~": "\uE004" } as Readonly<
    Record<string, string>
  >,
  /** A part known only at run time. */
  hole: "\uE010",
  /** Where an unquoted value falls apart into words. */
  split: "\uE011",
  /** A quoted part ended here: keeps an empty quoted word alive. */
  empty: "\uE012",
  /** Between the items of a list value (`"$@"`, an array), where words fall apart even inside quotes. */
  item: "\uE013",
} as const;

const OPEN = "\uE000";
const COMMA = "\uE001";
const CLOSE = "\uE002";
const DOT = "\uE003";
const PLAIN: Readonly<Record<string, string>> = {
  [OPEN]: "{",
  [COMMA]: ",",
  [CLOSE]: "}",
  [DOT]: ".",
  "\uE004": "~",
  "\uE012": "",
};

/** True when text from outside holds a character that is used as a mark here. */
export const hasMark = (text: string): boolean => /[\uE000-\uE0FF]/.test(text);
/** The text without marks. */
export const unmark = (marked: string): string =>
  marked.replaceAll(/[\uE000-\uE004\uE012]/g, (mark) => PLAIN[mark] ?? "");

/** Index of the brace that closes the one at `open`, and the commas at its own level. */
function match(text: string, open: number): { close: number; commas: number[] } | undefined {
  let depth = 0;
  const commas: number[] = [];
  for (let at = open; at < text.length; at += 1) {
    const char = text[at];
    if (char === OPEN) depth += 1;
    else if (char === COMMA && depth === 1) commas.push(at);
    else if (char === CLOSE) {
      depth -= 1;
      if (depth === 0) return { close: at, commas };
    }
  }
  return undefined;
}

function range(body: string, limit: number): string[] | undefined {
  const parts = /^(-?\d+|[A-Za-z])\.\.(-?\d+|[A-Za-z])(?:\.\.(-?\d+))?$/.exec(unmark(body));
  if (parts === null) return undefined;
  const [, from = "", to = "", by = "1"] = parts;
  const letters = /^[A-Za-z]$/.test(from) && /^[A-Za-z]$/.test(to);
  const start = letters ? from.charCodeAt(0) : Number(from);
  const end = letters ? to.charCodeAt(0) : Number(to);
  const step = Math.max(1, Math.abs(Number(by)));
  if (Number.isNaN(start) || Number.isNaN(end)) return undefined;
  const found: string[] = [];
  for (let n = 0; n <= Math.abs(end - start) && found.length <= limit; n += step) {
    const value = start + (end < start ? -n : n);
    found.push(letters ? String.fromCharCode(value) : String(value));
  }
  return found;
}

function alternatives(text: string, open: number, limit: number) {
  const found = match(text, open);
  if (found === undefined) return undefined;
  const borders = [open, ...found.commas, found.close];
  const body = text.slice(open + 1, found.close);
  const options =
    found.commas.length === 0
      ? range(body, limit)
      : borders.slice(1).map((border, index) => text.slice((borders[index] ?? 0) + 1, border));
  return { close: found.close, options };
}

/** All words a marked word stands for, in bash's order; `undefined` when there are more than `limit`. */
export function expandBraces(text: string, limit: number): string[] | undefined {
  for (let open = text.indexOf(OPEN); open >= 0; open = text.indexOf(OPEN, open + 1)) {
    const found = alternatives(text, open, limit);
    if (found?.options === undefined) continue;
    const words: string[] = [];
    for (const option of found.options) {
      const rest = expandBraces(text.slice(0, open) + option + text.slice(found.close + 1), limit);
      if (rest === undefined || words.length + rest.length > limit) return undefined;
      words.push(...rest);
    }
    return words;
  }
  return [text];
}
