// Masking of text that arrives in chunks. Whole lines are masked as they come in; what a detector must see in one piece
// (a PEM key, a heredoc, a JSON document, a manifest) is held until it ends, within a bound. The result depends on the
// text alone, never on where the chunks were cut.

import type { Span } from "./spans.ts";
import { MAX_KNOWN_LENGTH } from "./values.ts";

export type StreamMasker = {
  /** Takes a chunk; returns the masked text that is ready to be shown, possibly empty. */
  readonly push: (chunk: string) => string;
  /** Returns the rest. The masker can be used again for a further text. */
  readonly flush: () => string;
};

type Parts = {
  readonly find: (text: string) => readonly Span[];
  readonly render: (text: string, spans: readonly Span[]) => string;
};

/** Characters held back at most while waiting for the end of a line or a block. */
export const MAX_HELD_LENGTH = 256 * 1_024;
/** What the detectors see again before a segment, at most: for keys that stand above their value. */
const CONTEXT_LENGTH = 2_048;
const CONTEXT_LINES = 8;

/** Without parts nothing is masked and chunks pass as they are. */
export function createStreamMasker(parts: Parts | undefined): StreamMasker {
  if (parts === undefined) return { push: (chunk) => chunk, flush: () => "" };
  const { find, render } = parts;
  let held = "";
  let context = "";
  let waiting: OpenBlock | undefined;

  /** Masks the first `length` held characters, or fewer where a secret would be cut in two. */
  const release = (length: number): string => {
    const endsInside = length < held.length && held[length - 1] !== "\n";
    const text = context + held.slice(0, endsInside ? length + MAX_KNOWN_LENGTH : length);
    const from = context.length;
    const spans = find(text);
    const wanted = from + length;
    const cut = spans.find((span) => span.start < wanted && span.end > wanted);
    const end = endsInside && cut !== undefined && cut.start > from ? cut.start : wanted;
    const clipped = spans
      .map(({ start, end: stop, label }) => ({
        start: Math.max(start, from) - from,
        end: Math.min(stop, end) - from,
        label,
      }))
      .filter((span) => span.end > span.start);
    const segment = text.slice(from, end);
    held = held.slice(segment.length);
    context = pendingLines(context + segment);
    return render(segment, clipped);
  };

  const drain = (): string => {
    const ready: string[] = [];
    for (;;) {
      const segment = segmentOf(held, waiting);
      waiting = typeof segment === "object" ? segment : undefined;
      if (typeof segment !== "number") return ready.join("");
      ready.push(release(segment));
    }
  };
  return {
    push: (chunk) => {
      held += chunk;
      return drain();
    },
    flush: () => {
      const rest = drain() + (held === "" ? "" : release(held.length));
      context = "";
      waiting = undefined;
      return rest;
    },
  };
}

/** A line whose value may stand on a following one: half of a name/value pair, or a mapping that goes on below. */
const PENDING = /\b(?:name|key|ParameterKey|OptionName|variable)\\?["']?\s*[:=]|:\s*$/i;

/** The last lines of `text`, from the first that the detectors must see again; empty when there is none. */
function pendingLines(text: string): string {
  const lines = text
    .slice(-CONTEXT_LENGTH)
    .split("\n")
    .slice(-CONTEXT_LINES - 1);
  const first = lines.findIndex((line) => PENDING.test(line));
  return first === -1 ? "" : lines.slice(first).join("\n");
}

type Block = {
  readonly open: RegExp;
  readonly isEnd: (line: string, opened: RegExpExecArray) => boolean;
};

const indentOf = (line: string): number => /^[+\-~ \t]*/.exec(line)?.[0].length ?? 0;

const BLOCKS: readonly Block[] = [
  { open: /-----BEGIN [A-Z0-9 ]*-----/, isEnd: (line) => line.includes("-----END") },
  {
    open: /<<[-~]?["']?(\w+)["']?\s*$/,
    isEnd: (line, opened) => line.replace(/^[+\-~\s]*/, "").trimEnd() === opened[1],
  },
  {
    open: /^([+\-~ \t]*)\S.*:\s*[|>][+-]?\d*\s*$/,
    isEnd: (line, opened) => line.trim() !== "" && indentOf(line) <= (opened[1]?.length ?? 0),
  },
  { open: /^[+\- ]?variable\s+".*\{\s*$/, isEnd: (line) => /^[+\- ]?\}/.test(line) },
  { open: /^[{[]\s*$/, isEnd: (line) => /^[}\]]/.test(line) },
  { open: /^(?:apiVersion|data|stringData|kind):/, isEnd: (line) => line.startsWith("---") },
];

/** A block that is being waited for: where its lines were read up to. */
type OpenBlock = { readonly isEnd: (line: string) => boolean; at: number };

/** How many held characters make up the next segment, a line or a whole block; the open block while it is not complete. */
function segmentOf(held: string, waiting: OpenBlock | undefined): number | OpenBlock | undefined {
  if (waiting !== undefined) return blockLength(held, waiting);
  const first = held.indexOf("\n");
  if (first === -1 || first >= MAX_HELD_LENGTH)
    return held.length >= MAX_HELD_LENGTH ? MAX_HELD_LENGTH : undefined;
  const line = held.slice(0, first);
  for (const block of BLOCKS) {
    const opened = block.open.exec(line);
    if (opened === null || block.isEnd(line.slice(opened.index + opened[0].length), opened))
      continue;
    return blockLength(held, { isEnd: (one) => block.isEnd(one, opened), at: first + 1 });
  }
  return first + 1;
}

function blockLength(held: string, block: OpenBlock): number | OpenBlock {
  for (;;) {
    const newline = held.indexOf("\n", block.at);
    // A block that does not end is given up at its last whole line within the bound.
    if ((newline === -1 ? held.length : newline) >= MAX_HELD_LENGTH) return block.at;
    if (newline === -1) return block;
    const line = held.slice(block.at, newline);
    block.at = newline + 1;
    if (block.isEnd(line)) return block.at;
  }
}
