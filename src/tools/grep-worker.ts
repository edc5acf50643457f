// The process that runs a user's regular expression, so that a runaway one can be killed: Bun's threads cannot be
// stopped inside an expression. Speaks one JSON value a line with search-process.ts, the only one to start it. Also looks at files for glob.

import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { createMatcher, type FileMatch, type GrepQuery, type Matcher } from "./grep-match.ts";
import { createPositionWriter } from "./grep-position.ts";
import { modifiedTimes } from "./modified-times.ts";

/** Larger files are counted, not searched. */
const MAX_GREP_FILE_BYTES = 64 * 1024 * 1024;
const FIRST_BUFFER_BYTES = 1024 * 1024;
/** JavaScriptCore answers "no match" when an expression has backtracked for about half a second on one line. */
const SLOW_MS = 400;
/** Larger files may take that long honestly. */
const MAX_SLOW_BYTES = 2 * 1024 * 1024;
/** How often progress is noted where no expression runs: reading alone may be slow. */
const NOTE_MS = 500;

export type GrepBatch = {
  readonly paths: readonly string[];
  readonly maxMatches: number;
};
export type GrepReply = {
  readonly matches: readonly (FileMatch & { readonly path: string })[];
  readonly binary: number;
  readonly tooLarge: number;
  readonly unreadable: number;
  /** Files on which the engine may have given the expression up, which it does in silence. */
  readonly slow: number;
};

type FileBytes = Buffer | "too_large" | "unreadable";

/** What the process is for, said once at its start. */
export type SearchJob =
  | { readonly type: "grep"; readonly query: GrepQuery }
  /** Answers a list of paths below `root` with the `modifiedTimes` of them. */
  | { readonly type: "times"; readonly root: string };

/**
 * Reads a job and then requests from stdin, answers each on stdout, and notes its progress in the file it got as
 * stderr, until stdin is closed. main.ts calls it for `grep-worker`, its only use in a binary.
 */
export async function serveGrep(): Promise<void> {
  const out = Bun.stdout.writer();
  let answer: ((request: string) => unknown) | undefined;
  let rest = "";
  const decoder = new TextDecoder();
  for await (const chunk of Bun.stdin.stream()) {
    rest += decoder.decode(chunk, { stream: true });
    const lines = rest.split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      // The other end is our own program: what it sends is trusted.
      if (!answer) {
        answer = answererOf(JSON.parse(line) as SearchJob);
        continue;
      }
      await out.write(`${JSON.stringify(answer(line))}\n`);
      await out.flush();
    }
  }
}

function answererOf(job: SearchJob): (request: string) => unknown {
  if (job.type === "times") {
    // Short paths are a fifth faster for the system.
    process.chdir(job.root);
    return (line) => modifiedTimes(JSON.parse(line) as string[]);
  }
  const searcher = new BatchSearcher(job.query, createPositionWriter(2));
  return (line) => searcher.search(JSON.parse(line) as GrepBatch);
}

class BatchSearcher {
  readonly #matcher: Matcher;
  readonly #noteBegun: (begun: number) => void;
  readonly #read = createFileReader();
  #begun = 0;
  #notedAt = 0;

  constructor(query: GrepQuery, noteBegun: (begun: number) => void) {
    this.#matcher = createMatcher(query);
    this.#noteBegun = noteBegun;
  }

  search({ paths, maxMatches }: GrepBatch): GrepReply {
    const counts = { binary: 0, tooLarge: 0, unreadable: 0, slow: 0 };
    const matches: (FileMatch & { readonly path: string })[] = [];
    let left = maxMatches;
    for (const path of paths) {
      this.#begun++;
      this.#noteNow(NOTE_MS);
      const bytes = this.#read(path);
      if (bytes === "too_large") counts.tooLarge++;
      else if (bytes === "unreadable") counts.unreadable++;
      else {
        const kind = this.#matcher.look(bytes);
        if (kind === "binary") counts.binary++;
        if (kind !== "candidate") continue;
        // The expression may never give the word back.
        this.#noteNow(0);
        const started = performance.now();
        const match = this.#matcher.search(bytes, Math.max(0, left));
        const isSlow = performance.now() - started >= SLOW_MS;
        if (isSlow && bytes.length <= MAX_SLOW_BYTES) counts.slow++;
        if (match.count === 0) continue;
        left -= match.count;
        matches.push({ path, ...match });
      }
    }
    return { matches, ...counts };
  }

  /** Unless that was done less than so many milliseconds ago. */
  #noteNow(unlessWithinMs: number): void {
    const now = performance.now();
    if (now - this.#notedAt < unlessWithinMs) return;
    this.#notedAt = now;
    this.#noteBegun(this.#begun);
  }
}

/** Reads whole files into one buffer that grows with the largest; a result is good until the next call. */
function createFileReader(): (path: string) => FileBytes {
  let buffer = Buffer.allocUnsafe(FIRST_BUFFER_BYTES);
  /** From a place in the file, so that a pipe is an error and not emptied. Less than asked for: the file ends there. */
  const readOn = (file: number, from: number) =>
    from + readSync(file, buffer, from, buffer.length - from, from);
  return (path) => {
    let file: number | undefined;
    try {
      file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
      let length = readOn(file, 0);
      // Nearly every file ends here: to ask for its size first would be a sixth of the search.
      if (length < buffer.length) return buffer.subarray(0, length);
      const stat = fstatSync(file);
      if (!stat.isFile()) return "unreadable";
      if (stat.size > MAX_GREP_FILE_BYTES) return "too_large";
      if (stat.size > buffer.length) {
        buffer = Buffer.concat([buffer], stat.size);
        length = readOn(file, length);
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
