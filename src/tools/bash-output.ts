// What is kept of a command's output: its beginning, its end, the lines of the middle that decide, and a file that
// holds all of it. Memory stays the same however much comes.

import { closeSync, mkdirSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { newUuid } from "../lib/ids.ts";

/** UTF-16 units kept from either end. */
const HEAD_LENGTH = 15 * 1024;
const TAIL_LENGTH = 15 * 1024;
/** Lines kept from what lies between. */
const MAX_KEY_LINES = 40;
const MAX_KEY_LINE_LENGTH = 300;
/** A cut within a longer word stays where it is. */
const MAX_WORD_LENGTH = 4 * 1024;
/** Bytes written to the file of one command. */
const MAX_LOG_BYTES = 64 * 1024 * 1024;
/** What a plan or an error says that must not be lost in the middle. */
const KEY_LINE =
  /^\s*(Plan:|Apply complete|Destroy complete|No changes\.)|must be replaced|will be destroyed|^[\s│╷|]*Error\b|\berror:|^fatal:/;
// https://en.wikipedia.org/wiki/ANSI_escape_code: control sequences, titles and links, two-character escapes.
const ESCAPES = /\u001b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[@-Z\\-_])/g;

export type OutputLog = {
  readonly path: string;
  readonly write: (bytes: Uint8Array) => void;
  readonly close: () => void;
};

/** Opens a new file (0600) in `folder` (0700). Throws when the disk does not let us. */
export function openLog(folder: string): OutputLog & { readonly fd: number } {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, `command-${newUuid().slice(0, 13)}.log`);
  const fd = openSync(path, "ax+", 0o600);
  let written = 0;
  let isOpen = true;
  return {
    path,
    fd,
    write: (bytes) => {
      if (!isOpen || written >= MAX_LOG_BYTES) return;
      const part = bytes.subarray(0, MAX_LOG_BYTES - written);
      try {
        writeSync(fd, part);
        written += part.byteLength;
        if (written >= MAX_LOG_BYTES) writeSync(fd, "\n[The rest was not kept.]\n");
      } catch {
        // A full disk must not end the command; what is kept in memory still reaches the model.
        written = MAX_LOG_BYTES;
      }
    },
    close: () => {
      if (isOpen) closeSync(fd);
      isOpen = false;
    },
  };
}

export class OutputKeeper {
  readonly #makeLog: () => OutputLog | undefined;
  readonly #decoders = { stdout: new TextDecoder(), stderr: new TextDecoder() };
  #log: OutputLog | undefined;
  #early: Uint8Array[] | undefined = [];
  #head = "";
  #tail = "";
  #omitted = 0;
  #keyLines: string[] = [];

  /** `makeLog` is called at the first byte that memory does not keep. */
  constructor(makeLog: () => OutputLog | undefined) {
    this.#makeLog = makeLog;
  }

  push(stream: "stdout" | "stderr", bytes: Uint8Array): void {
    if (this.#early) this.#early.push(bytes.slice());
    else this.#log?.write(bytes);
    const text = this.#decoders[stream].decode(bytes, { stream: true });
    const room = HEAD_LENGTH - this.#head.length;
    this.#head += text.slice(0, Math.max(0, room));
    this.#tail += text.slice(Math.max(0, room));
    if (this.#tail.length > 2 * TAIL_LENGTH) this.#dropMiddle();
  }

  get logPath(): string | undefined {
    return this.#log?.path;
  }

  /**
   * The last `length` UTF-16 units, from a line's start where there is one. A word that is still being written is left
   * out: half of a secret looks like none.
   */
  tail(length: number): string {
    const all = this.#tail === "" ? this.#head : this.#head.slice(-length) + this.#tail;
    return clean(fromLineStart(all.replace(/\S+$/, ""), length));
  }

  /** The kept parts as one text, saying how much lies between them. */
  render(): string {
    if (this.#tail.length > TAIL_LENGTH) this.#dropMiddle();
    if (this.#omitted === 0) return clean(this.#head + this.#tail);
    const key =
      this.#keyLines.length === 0 ? "" : `, of which these lines:\n${this.#keyLines.join("\n")}\n…`;
    const note = `[${this.#omitted.toLocaleString("en")} characters omitted here${key}]`;
    return clean(`${this.#head}\n${note}\n${this.#tail}`);
  }

  close(): void {
    this.#log?.close();
  }

  #dropMiddle(): void {
    if (this.#early) {
      this.#log = this.#makeLog();
      for (const bytes of this.#early) this.#log?.write(bytes);
      this.#early = undefined;
    }
    const kept = fromLineStart(this.#tail, TAIL_LENGTH);
    const dropped = this.#tail.slice(0, this.#tail.length - kept.length);
    this.#tail = kept;
    this.#omitted += dropped.length;
    for (const line of dropped.split("\n")) {
      if (this.#keyLines.length >= MAX_KEY_LINES) break;
      if (KEY_LINE.test(line)) this.#keyLines.push(line.slice(0, MAX_KEY_LINE_LENGTH).trimEnd());
    }
  }
}

function fromLineStart(text: string, length: number): string {
  if (text.length <= length) return text;
  const end = text.slice(-length);
  const newline = end.indexOf("\n");
  if (newline !== -1 && newline <= length / 2) return end.slice(newline + 1);
  // In the middle of a long line: from the next word, since the rest of a cut secret looks like none.
  const word = /[\s",;]/.exec(end.slice(0, MAX_WORD_LENGTH));
  return word === null ? end : end.slice(word.index);
}

/** Without colours, and with only the last state of a line that redraws itself. */
function clean(text: string): string {
  return text
    .replaceAll(ESCAPES, "")
    .replaceAll("\r\n", "\n")
    .replaceAll(/^.*\r(?=[^\n])/gm, "")
    .toWellFormed();
}
