// The process that runs a user's regular expression, so that a runaway one can be killed: Bun's threads cannot be
// stopped inside an expression. Speaks one JSON value a line with grep-run.ts, the only one to start it.

import { closeSync, constants, fstatSync, openSync, readSync, writeSync } from "node:fs";
import { createMatcher, type FileMatch, type GrepQuery, type Matcher } from "./grep-match.ts";

/** Larger files are counted, not searched. */
const MAX_GREP_FILE_BYTES = 64 * 1024 * 1024;
const FIRST_BUFFER_BYTES = 1024 * 1024;
/** JavaScriptCore answers "no match" when an expression has backtracked for about half a second on one line. */
const SLOW_MS = 400;
/** Larger files may take that long honestly. */
const MAX_SLOW_BYTES = 2 * 1024 * 1024;

export type GrepBatch = {
  readonly query: GrepQuery;
  readonly paths: readonly string[];
  readonly maxMatches: number;
};
/** A number: the expression begins on the file at that index of the batch. */
export type GrepMessage = number | GrepReply;
export type GrepReply = {
  readonly matches: readonly (FileMatch & { readonly path: string })[];
  readonly binary: number;
  readonly tooLarge: number;
  readonly unreadable: number;
  /** Files on which the engine may have given the expression up, which it does in silence. */
  readonly slow: number;
};

type FileBytes = Buffer | "too_large" | "unreadable";

/** Answers batches from stdin until it is closed. main.ts calls it for `grep-worker`, its only use in a binary. */
export async function serveGrep(): Promise<void> {
  const out = Bun.stdout.writer();
  const read = createFileReader();
  let rest = "";
  const decoder = new TextDecoder();
  for await (const chunk of Bun.stdin.stream()) {
    rest += decoder.decode(chunk, { stream: true });
    const lines = rest.split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      // The other end is our own program: what it sends is trusted.
      const batch = JSON.parse(line) as GrepBatch;
      const reply = searchBatch(batch, read, announce);
      await out.write(`${JSON.stringify(reply)}\n`);
      await out.flush();
    }
  }
}

/** Before the expression runs, past every buffer: it may never give the word back. */
function announce(index: number): void {
  try {
    writeSync(1, `${index}\n`);
  } catch {
    // The pipe is full: the reader is behind, and will see the batch's answer.
  }
}

function searchBatch(
  { query, paths, maxMatches }: GrepBatch,
  read: (path: string) => FileBytes,
  begin: (index: number) => void,
): GrepReply {
  const matcher: Matcher = createMatcher(query);
  const counts = { binary: 0, tooLarge: 0, unreadable: 0, slow: 0 };
  const matches: (FileMatch & { readonly path: string })[] = [];
  let left = maxMatches;
  for (const [index, path] of paths.entries()) {
    const bytes = read(path);
    if (bytes === "too_large") counts.tooLarge++;
    else if (bytes === "unreadable") counts.unreadable++;
    else {
      if (matcher.mayMatch(bytes)) begin(index);
      const started = performance.now();
      const match = matcher.search(bytes, Math.max(0, left));
      const isSlow = performance.now() - started >= SLOW_MS;
      if (isSlow && bytes.length <= MAX_SLOW_BYTES) counts.slow++;
      if (!match) counts.binary++;
      else if (match.count > 0) {
        left -= match.count;
        matches.push({ path, ...match });
      }
    }
  }
  return { matches, ...counts };
}

/** Reads whole files into one buffer that grows with the largest; a result is good until the next call. */
function createFileReader(): (path: string) => FileBytes {
  let buffer = Buffer.allocUnsafe(FIRST_BUFFER_BYTES);
  return (path) => {
    let file: number | undefined;
    try {
      file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
      const stat = fstatSync(file);
      if (!stat.isFile()) return "unreadable";
      if (stat.size > MAX_GREP_FILE_BYTES) return "too_large";
      if (stat.size > buffer.length) buffer = Buffer.allocUnsafe(stat.size);
      let length = 0;
      while (length < stat.size) {
        const read = readSync(file, buffer, length, stat.size - length, length);
        if (read === 0) break;
        length += read;
      }
      return buffer.subarray(0, length);
    } catch {
      // Not readable, or replaced since the walk: counted, and the others are searched.
      return "unreadable";
    } finally {
      if (file !== undefined) closeSync(file);
    }
  };
}

if (import.meta.main) await serveGrep();
