// Where a search process has got to, readable from outside while it hangs in an expression: a number in a nameless
// file. A pipe would wake its reader for each file, which costs more than to search it.

import { randomUUID } from "node:crypto";
import { closeSync, openSync, readSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const BYTES = 4;

/** The reader's side, which makes the file. */
export type GrepPosition = Disposable & {
  /** To be handed to the search process; `"ignore"` where no file could be made. */
  readonly file: number | "ignore";
  /** Files begun so far; 0 where that is not known. */
  readonly read: () => number;
};

export function openPosition(): GrepPosition {
  const path = join(tmpdir(), `iac-code-grep-${randomUUID()}`);
  let file: number;
  try {
    file = openSync(path, "wx+", 0o600);
  } catch {
    // No right to write there: a search that hangs cannot name the file then.
    return { file: "ignore", read: () => 0, [Symbol.dispose]: () => undefined };
  }
  createFileWriter(file)(0);
  try {
    // The process gets the open file. Without a name nothing of it is left behind, whatever happens.
    rmSync(path);
  } catch {
    // Not everywhere can an open file be removed: it is once it is closed.
  }
  const bytes = Buffer.alloc(BYTES);
  return {
    file,
    read: () => (readSync(file, bytes, 0, BYTES, 0) === BYTES ? bytes.readUInt32LE() : 0),
    [Symbol.dispose]: () => {
      closeSync(file);
      rmSync(path, { force: true });
    },
  };
}

/** The search process's side: notes how many files have been begun in the file it got as `file`. */
export function createPositionWriter(file: number): (begun: number) => void {
  try {
    // As memory it costs nothing; to write it takes a sixth of a search that runs the expression on every file.
    const { buffer, byteOffset } = Bun.mmap(`/dev/fd/${file}`, { shared: true });
    const shared = new DataView(buffer, byteOffset, BYTES);
    return (begun) => shared.setUint32(0, begun, true);
  } catch {
    // Not on every system, and not where it is no file: then it is written.
    return createFileWriter(file);
  }
}

function createFileWriter(file: number): (begun: number) => void {
  const bytes = Buffer.alloc(BYTES);
  return (begun) => {
    bytes.writeUInt32LE(begun);
    try {
      writeSync(file, bytes, 0, BYTES, 0);
    } catch {
      // No room for it: a search that hangs names no file then.
    }
  };
}
