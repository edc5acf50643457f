// JSON with comments and trailing commas, read so that every value knows its line. Used for configuration files only.

import { escapeInvisible } from "../lib/text.ts";

export type JsoncPath = readonly (string | number)[];
export type JsoncResult =
  /** `lineOf` counts from 1 and answers for the nearest enclosing value when there is none at the path. */
  | { readonly ok: true; readonly value: unknown; readonly lineOf: (path: JsoncPath) => number }
  | { readonly ok: false; readonly line: number; readonly message: string };

/** Deeper nesting is refused, so that a hostile file cannot exhaust the stack. */
const MAX_DEPTH = 64;
const BLANK = /(?:[\s\ufeff]|\/\/[^\n]*|\/\*[\s\S]*?\*\/)*/y;
const STRING = /"(?:[^"\\\n\r]|\\.)*"/y;
const LITERAL = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const WORD = /[^\s,:\]}]{1,20}/y;

class JsoncError extends Error {
  readonly offset: number;
  constructor(offset: number, message: string) {
    super(message);
    this.offset = offset;
  }
}

const keyOf = (path: JsoncPath): string => JSON.stringify(path);

/** Parses the whole text; anything behind the value is an error. A key given twice counts as its last. */
export function parseJsonc(text: string): JsoncResult {
  const lineAt = (offset: number) => text.slice(0, offset).split("\n").length;
  const offsets = new Map<string, number>();
  try {
    const value = readDocument(text, offsets);
    const lineOf = (path: JsoncPath): number => {
      const offset = offsets.get(keyOf(path));
      return offset === undefined && path.length > 0
        ? lineOf(path.slice(0, -1))
        : lineAt(offset ?? 0);
    };
    return { ok: true, value, lineOf };
  } catch (error) {
    if (!(error instanceof JsoncError)) throw error;
    return { ok: false, line: lineAt(error.offset), message: error.message };
  }
}

function readDocument(text: string, offsets: Map<string, number>): unknown {
  let at = 0;

  function take(pattern: RegExp): string | undefined {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0];
    if (found !== undefined) at += found.length;
    return found;
  }

  function skipTo(): string {
    take(BLANK);
    return text[at] ?? "";
  }

  function fail(wanted: string): never {
    const start = at;
    const found = at >= text.length ? "the end of the file" : (take(WORD) ?? text[at] ?? "");
    throw new JsoncError(start, `expected ${wanted}, found ${escapeInvisible(found, "")}`);
  }

  function readString(wanted: string): string {
    const start = at;
    const raw = take(STRING) ?? fail(wanted);
    try {
      return String(JSON.parse(raw));
    } catch {
      // Quotes are matched, so only an escape or a control character can be wrong.
      throw new JsoncError(start, "this text holds an escape or a character that JSON forbids");
    }
  }

  /** Members up to `end`, commas between them, one allowed behind the last. */
  function readMembers(end: string, readMember: () => void): void {
    at += 1;
    while (skipTo() !== end) {
      readMember();
      if (skipTo() === ",") at += 1;
      else if (text[at] !== end) fail(`a comma or ${end}`);
    }
    at += 1;
  }

  function readObject(path: JsoncPath): unknown {
    const members: [string, unknown][] = [];
    readMembers("}", () => {
      const start = at;
      const key = readString("a name in double quotes");
      if (skipTo() !== ":") fail(`a colon behind "${key}"`);
      at += 1;
      const inner = [...path, key];
      const value = readValue(inner);
      offsets.set(keyOf(inner), start);
      members.push([key, value]);
    });
    // fromEntries makes own properties, `__proto__` included.
    return Object.fromEntries(members);
  }

  function readArray(path: JsoncPath): unknown {
    const items: unknown[] = [];
    readMembers("]", () => items.push(readValue([...path, items.length])));
    return items;
  }

  function readValue(path: JsoncPath): unknown {
    const next = skipTo();
    if (path.length > MAX_DEPTH) throw new JsoncError(at, "values are nested too deeply");
    offsets.set(keyOf(path), at);
    if (next === "{") return readObject(path);
    if (next === "[") return readArray(path);
    if (next === '"') return readString("a value");
    return JSON.parse(take(LITERAL) ?? fail("a value"));
  }

  const value = readValue([]);
  if (skipTo() !== "") fail("the end of the file");
  return value;
}
