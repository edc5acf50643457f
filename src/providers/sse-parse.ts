// Server-sent events as real model servers write them: bytes in, events out, pure. More lenient than the standard
// (https://html.spec.whatwg.org/multipage/server-sent-events.html) where servers are. Knows nothing of what events mean.

export type SseItem =
  | { readonly type: "data"; readonly data: string }
  /** A sign of life without content: a comment such as `: ping`. */
  | { readonly type: "comment" };

export type SseParser = {
  readonly push: (bytes: Uint8Array) => readonly SseItem[];
  /** What is left when the body ends: an event whose closing blank line never came. */
  readonly end: () => readonly SseItem[];
};

/** UTF-16 units of one event. No model sends as much in one delta; a server that does is broken. */
const MAX_EVENT_LENGTH = 64 * 1024 * 1024;

/** Throws a RangeError from `push` when one event is longer than 64 Mi characters. */
export function createSseParser(): SseParser {
  // Drops one leading BOM and replaces what is not UTF-8; keeps a character split across packets.
  const decoder = new TextDecoder();
  let linePieces: string[] = [];
  let lineLength = 0;
  let data: string[] = [];
  let dataLength = 0;
  let skipLineFeed = false;

  function endLine(rest: string, items: SseItem[]): void {
    const line = linePieces.length === 0 ? rest : linePieces.join("") + rest;
    linePieces = [];
    lineLength = 0;
    if (line === "") return dispatch(items);
    if (line.startsWith(":")) return void items.push({ type: "comment" });
    const value = dataOf(line);
    if (value === undefined) return;
    data.push(value);
    dataLength += value.length;
    assertLength(dataLength);
  }

  function dispatch(items: SseItem[]): void {
    if (data.length > 0) items.push({ type: "data", data: data.join("\n") });
    data = [];
    dataLength = 0;
  }

  function feed(text: string): readonly SseItem[] {
    const items: SseItem[] = [];
    let start = skipLineFeed && text.startsWith("\n") ? 1 : 0;
    if (text !== "") skipLineFeed = false;
    for (;;) {
      const end = lineEnd(text, start);
      if (end === -1) break;
      endLine(text.slice(start, end), items);
      start = end + 1;
      if (text[end] !== "\r") continue;
      // The other half of a CRLF may come with the next packet.
      if (start === text.length) skipLineFeed = true;
      else if (text[start] === "\n") start += 1;
    }
    const rest = text.slice(start);
    if (rest !== "") linePieces.push(rest);
    lineLength += rest.length;
    assertLength(lineLength);
    return items;
  }

  return {
    push: (bytes) => feed(decoder.decode(bytes, { stream: true })),
    end: () => {
      const items = [...feed(decoder.decode())];
      if (linePieces.length > 0) endLine("", items);
      dispatch(items);
      return items;
    },
  };
}

function assertLength(length: number): void {
  if (length > MAX_EVENT_LENGTH)
    throw new RangeError("One event of the stream is over 64 Mi characters");
}

function lineEnd(text: string, from: number): number {
  const lf = text.indexOf("\n", from);
  const cr = text.indexOf("\r", from);
  if (lf === -1) return cr;
  return cr === -1 ? lf : Math.min(lf, cr);
}

/** The value of a `data` line; a line that is bare JSON counts as one, since some servers forget the field. */
function dataOf(line: string): string | undefined {
  if (line.startsWith("data:")) return line.slice(line[5] === " " ? 6 : 5);
  return line.startsWith("{") ? line : undefined;
}

/**
 * The JSON objects of one event's data: usually one, but servers also put several into one event, a line each or
 * one behind the other. `undefined` when it is not JSON.
 */
export function objectsOf(data: string): readonly unknown[] | undefined {
  const whole = tryParse(data);
  if (whole !== undefined) return [whole];
  const values: unknown[] = [];
  let rest = data.trim();
  while (rest !== "") {
    const length = valueLength(rest);
    const value = length === undefined ? undefined : tryParse(rest.slice(0, length));
    if (value === undefined || length === undefined) return undefined;
    values.push(value);
    // A second event glued to the first keeps its field name.
    rest = rest.slice(length).replace(/^\s*(data:)?\s*/, "");
    if (rest === "[DONE]") return [...values, "[DONE]"];
  }
  return values.length === 0 ? undefined : values;
}

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Not one JSON value; the caller looks for several.
    return undefined;
  }
}

/** Length of the object that `text` begins with; `undefined` when it does not begin with a whole one. */
function valueLength(text: string): number | undefined {
  if (!text.startsWith("{")) return undefined;
  let depth = 0;
  let inString = false;
  for (let index = 0; index < text.length; index += 1) {
    const char = text[index];
    if (inString) {
      if (char === "\\") index += 1;
      else if (char === '"') inString = false;
      continue;
    }
    if (char === '"') inString = true;
    else if (char === "{") depth += 1;
    else if (char === "}") depth -= 1;
    if (depth === 0) return index + 1;
  }
  return undefined;
}
