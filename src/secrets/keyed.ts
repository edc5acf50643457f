// Secrets named by their key, in whatever notation stands around it: HCL, YAML, JSON (also inside a string), INI, env
// files, command-line flags. One linear scan: find a telling word, widen it to the whole key, read separator and value.

import { isPluralKey, labelOf, strengthOfKey } from "./key-names.ts";
import { type Hint, isCodePath, type Level, type Span } from "./spans.ts";
import { isReference, isStandIn, looksSecret } from "./values.ts";

const TELLING =
  /pass|pwd|pw\b|secret|token|key|cred|auth|dsn|psk|conn|sas|cookie|webhook|slack|license|salt|jwt|pat\b|bearer|mnemonic/gi;
const KEY_CHARACTER = /[\w.-]/;
const MAX_KEY_LENGTH = 80;
const MAX_VALUE_LENGTH = 16_384;
const MAX_LOOK_BACK = 256;
/** What may stand before the key on its own line: a diff or plan sign, a line number, a file name, a list dash, `export`. */
const LINE_START =
  /^\s*(?:[+\-~>]\s*)?(?:\d+\s?[\t:|│→-]\s*)?(?:[\w./@-]+[:-]\d+[:-]\s*)?(?:(?:#+|;+|\/\/)\s?)?(?:-\s+)?(?:\$env:)?(?:(?:export|set|ENV|ARG)\s+)?(?:\/\/[\w./-]+:)?["']?$/;
const LITERAL_CALL =
  /^(?:base64encode|base64gzip|sensitive|nonsensitive|trimspace|tostring|chomp|jsonencode|bcrypt|sha256|urlencode|Buffer\.from|btoa)\(\s*(?=["'])/;

type Value = {
  readonly start: number;
  readonly end: number;
  readonly notation: "quoted" | "rest" | "word";
  /** Where to look for a further value of the same key. */
  readonly next: number;
};

type Key = {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /** It began with dashes, as a command-line flag. */
  readonly isFlag: boolean;
  readonly isPlural: boolean;
  /** What blocks may still be read, over the whole text. */
  readonly budget: { characters: number };
};

/** Spans of values whose key says that they are secret. */
export function keyedSpans(text: string, hint: Hint, level: Level): Span[] {
  const spans: Span[] = [];
  const isCode = isCodePath(hint.path);
  // Blocks that never end would be read again from every key inside them: all together read a line a few times at most.
  const budget = { characters: text.length * 4 + MAX_VALUE_LENGTH };
  let done = 0;
  TELLING.lastIndex = 0;
  for (const match of text.matchAll(TELLING)) {
    if (match.index < done) continue;
    const start = widen(text, match.index, -1);
    const end = widen(text, match.index + match[0].length - 1, 1) + 1;
    done = end;
    const dashes = /^-*/.exec(text.slice(start, end))?.[0].length ?? 0;
    const name = text.slice(start + dashes, end);
    const strength = strengthOfKey(name);
    if (strength === "none") continue;
    const isFlag = dashes > 0 && /\s|["'`=]/.test(text[start - 1] ?? " ");
    for (const value of valuesAfter({
      text,
      start,
      end,
      isFlag,
      isPlural: isPluralKey(name),
      budget,
    })) {
      const raw = text.slice(value.start, value.end);
      if (isCode && value.notation !== "quoted") continue;
      if (!isSecretValue(raw, value, strength, level)) continue;
      spans.push({ start: value.start, end: value.end, label: labelOf(name) });
      // What is masked needs no second look; keys inside any other value do.
      done = Math.max(done, value.end);
    }
  }
  return spans;
}

/** The furthest index from `at` in direction `step` that still belongs to the key. */
function widen(text: string, at: number, step: 1 | -1): number {
  let edge = at;
  for (let moved = 0; moved < MAX_KEY_LENGTH; moved += 1) {
    const char = text[edge + step];
    if (char === undefined || !KEY_CHARACTER.test(char)) break;
    edge += step;
  }
  return edge;
}

function isSecretValue(
  raw: string,
  value: Value,
  strength: "strong" | "weak",
  level: Level,
): boolean {
  if (isReference(raw, value.notation === "quoted")) return false;
  if (isStandIn(raw)) return level === "strict";
  if (strength === "weak" && !looksSecret(raw)) return false;
  // Of a URL with user and password only the password is secret.
  if (/^[a-z][a-z0-9+.-]*:\/\/[^\s/@]*:[^\s@]+@/i.test(raw)) return false;
  if (/^https?:\/\/[^@]*$/.test(raw) && !/hook|sig=|token=/.test(raw))
    return strength === "strong" && raw.length > 40;
  // In running text, `password: must` and `token=next` are words, not values.
  return (
    value.notation !== "word" ||
    looksSecret(raw) ||
    (raw.length >= 6 && /\d/.test(raw) && /[a-z]/i.test(raw))
  );
}

/** The values that follow the key: usually one, two in a plan's `"old" -> "new"`, several in a list. */
function valuesAfter(key: Key): Value[] {
  const { text, start, end, isFlag, isPlural } = key;
  const separator = separatorAfter(text, end, isFlag);
  if (separator === undefined) return [];
  const { at, isSpaced, sign } = separator;
  // `arn:…:secret:name` and the user of a URL are no keys; carriers.ts looks at URLs.
  if (sign === ":" && !isSpaced && /[:/@]/.test(text[start - 1] ?? "")) return [];
  const head = text.slice(at, at + 48);
  if (/^[|>][+-]?\d*[ \t]*(?:#.*)?\r?\n/.test(head)) return indentedLines(key, at);
  const heredoc = /^<<[-~]?["']?(\w+)["']?[ \t]*\r?\n/.exec(head);
  if (heredoc?.[1] !== undefined) return heredocLines(key, at + heredoc[0].length, heredoc[1]);
  if (/^\[\s*["']/.test(head)) return listItems(key, at);
  if (isPlural && head.startsWith("{")) return mapValues(key, at);
  // base64encode("…") of a literal hides nothing.
  const call = LITERAL_CALL.exec(head)?.[0].length ?? 0;
  const quoted = quotedAt(text, at + call);
  if (quoted !== undefined) {
    const change = /^\s*->\s*(?=["'])/.exec(text.slice(quoted.next, quoted.next + 40));
    const second = change === null ? undefined : quotedAt(text, quoted.next + change[0].length);
    return second === undefined ? [quoted] : [quoted, second];
  }
  if (/^[[{(\r\n]/.test(head) || head === "") return [];
  const before = lineBefore(text, start);
  const standsFirst = !isFlag && sign !== "column" && LINE_START.test(before);
  const isTight = sign === "=" && !isSpaced;
  // Inside `{a: b, c: d}` on one line a value ends at the comma or the brace.
  const isFlow = sign === ":" && /\{[^{}"]*$/.test(before);
  return [bareAt(text, at, standsFirst, isTight || isFlow, text.slice(start - 1, start))];
}

type Separator = { readonly at: number; readonly isSpaced: boolean; readonly sign: string };

function separatorAfter(text: string, end: number, isFlag: boolean): Separator | undefined {
  const ahead = text.slice(end, end + 64);
  const match = /^(?:\\?["'])?([ \t]*)(=>|:=|==?|:)([ \t]*)/.exec(ahead);
  if (match !== null) {
    const [whole, left = "", sign = "", right = ""] = match;
    if (sign === "==") return undefined;
    return { at: end + whole.length, isSpaced: left !== "" || right !== "", sign };
  }
  const gap = isFlag ? /^[ \t]+(?!-)/.exec(ahead) : null;
  if (gap !== null) return { at: end + gap[0].length, isSpaced: false, sign: "flag" };
  // A table: the key in one column, the value alone in the last.
  const column = /^(?:[ \t]{2,}|\t|[ \t]*\|[ \t]*)(?=\S)/.exec(ahead);
  const from = end + (column?.[0].length ?? 0);
  const isLast =
    column !== null && /^\S{4,}[ \t|]*(?:\r?\n|$)/.test(text.slice(from, from + 1_024));
  return isLast ? { at: from, isSpaced: true, sign: "column" } : undefined;
}

/** A value in quotes of any kind, also those escaped inside another string. */
function quotedAt(text: string, at: number): Value | undefined {
  const open = /^(?:\\+)?["'`]/.exec(text.slice(at, at + 8))?.[0];
  if (open === undefined) return undefined;
  const start = at + open.length;
  const limit = Math.min(text.length, start + MAX_VALUE_LENGTH);
  if (open.length > 1) {
    const length = text.slice(start, limit).indexOf(open);
    const end = start + length;
    return length === -1 ? undefined : { start, end, notation: "quoted", next: end + open.length };
  }
  for (let index = start; index < limit; index += 1) {
    const char = text[index];
    if (char === "\\" && open !== "'") index += 1;
    else if (char === open) return { start, end: index, notation: "quoted", next: index + 1 };
    else if (char === "\n" && open !== "`") break;
  }
  // Cut off in the middle (a truncated line): what is there counts.
  const end = start + lineAfter(text, start).length;
  return { start, end, notation: "quoted", next: end };
}

/** What stands on the line before `at`, without looking further back than a key can matter. */
function lineBefore(text: string, at: number): string {
  const near = text.slice(Math.max(0, at - MAX_LOOK_BACK), at);
  const line = near.slice(near.lastIndexOf("\n") + 1);
  // Far into a line nothing stands first on it.
  return line.length === MAX_LOOK_BACK ? `…${line}` : line;
}

/** The rest of the line from `at`, at most MAX_VALUE_LENGTH. */
function lineAfter(text: string, at: number): string {
  const near = text.slice(at, at + MAX_VALUE_LENGTH);
  const newline = near.indexOf("\n");
  return newline === -1 ? near : near.slice(0, newline);
}

function bareAt(
  text: string,
  at: number,
  standsFirst: boolean,
  isTight: boolean,
  before: string,
): Value {
  const rest = lineAfter(text, at);
  const lineEnd = at + rest.length;
  // A comment that explains a key is prose; one that holds a single word may be a value taken out of use.
  const isComment = /^\s*(?:#|;|\/\/)/.test(lineBefore(text, at));
  if (standsFirst && !(isComment && /\s\S/.test(rest.trim()))) {
    // In `KEY=value` a blank ends the value; after `key: ` or `key = ` only a comment does.
    const whole = (isTight ? /^\S+/ : /^.*?(?=\s+[#;]|\s*$)/).exec(rest)?.[0] ?? "";
    const bare = /^[^"'#]/.test(whole) ? whole.replace(/[\s,]+$/, "") : "";
    return { start: at, end: at + bare.length, notation: "rest", next: lineEnd };
  }
  const closing = /["'`]/.test(before) ? before : "";
  const word = (closing === "" ? /^[^\s"'`<>,;&|)}\]\\]+/ : /^[^\s"'`\\]+/).exec(rest)?.[0] ?? "";
  const notation = isTight ? "rest" : "word";
  return { start: at, end: at + word.length, notation, next: at + word.length };
}

/** Lines of a YAML block scalar: those indented deeper than the key's own line. */
function indentedLines(key: Key, at: number): Value[] {
  const { text, start: keyStart } = key;
  const own = /^[+ ~-]*/.exec(lineBefore(text, keyStart))?.[0].length ?? 0;
  return linesFrom(key, text.indexOf("\n", at) + 1, (line) => {
    const indent = /^[ \t]*/.exec(line)?.[0].length ?? 0;
    return line.trim() !== "" && indent <= own;
  });
}

const heredocLines = (key: Key, from: number, tag: string): Value[] =>
  linesFrom(key, from, (line) => line.replace(/^[+\-~\s]*/, "").trimEnd() === tag);

function linesFrom({ text, budget }: Key, from: number, isEnd: (line: string) => boolean): Value[] {
  const found: Value[] = [];
  for (let start = from; start < text.length && start - from < MAX_VALUE_LENGTH;) {
    if (budget.characters < 0) break;
    const newline = text.indexOf("\n", start);
    const stop = newline === -1 ? text.length : newline;
    const line = text.slice(start, stop);
    if (isEnd(line)) break;
    budget.characters -= line.length + 1;
    const inner = start + (/^\s*/.exec(line)?.[0].length ?? 0);
    found.push({ start: inner, end: inner + line.trim().length, notation: "rest", next: stop });
    start = stop + 1;
  }
  return found.filter((value) => value.end > value.start);
}

function upTo(closing: string, { text, budget }: Key, at: number): string {
  const near = text.slice(at, at + (budget.characters > 0 ? MAX_VALUE_LENGTH : MAX_LOOK_BACK));
  const length = near.indexOf(closing);
  const found = length === -1 ? near : near.slice(0, length);
  budget.characters -= found.length;
  return found;
}

function listItems(key: Key, at: number): Value[] {
  const items: Value[] = [];
  for (const match of upTo("]", key, at).matchAll(/(["'])((?:(?!\1)[^\\\n]|\\.)*)\1/g)) {
    const start = at + match.index + 1;
    const end = start + (match[2] ?? "").length;
    items.push({ start, end, notation: "quoted", next: end + 1 });
  }
  return items;
}

/** The quoted values of a map of secrets, `{ main = "…", replica = "…" }`, up to its closing brace. */
function mapValues(key: Key, at: number): Value[] {
  const { text } = key;
  const map = upTo("}", key, at);
  return [...map.matchAll(/[=:]\s*(?=["'])/g)].flatMap((match) => {
    const value = quotedAt(text, at + match.index + match[0].length);
    return value === undefined ? [] : [value];
  });
}
