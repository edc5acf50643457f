// Bytes ↔ lines ↔ messages, pure: one JSON-RPC message a line, UTF-8, `\n` or `\r\n`. Not readline: U+2028 and
// U+2029 are legal inside JSON strings and must not split a line. No I/O here.
// https://agentclientprotocol.com/protocol/transports

import type { AnyMessage } from "@agentclientprotocol/sdk/unstable";
import { type Decoded, decodeMessage } from "./message.ts";

/** What is used of a reader of bytes, whichever library typed it. */
export type ByteReader = {
  readonly read: () => Promise<{ readonly value?: Uint8Array | undefined; readonly done: boolean }>;
  readonly cancel: () => Promise<void>;
};

/** A line may not be longer; the rest of a longer one is skipped, so memory stays flat. */
export const MAX_LINE_BYTES = 64 * 1024 * 1024;
/** The collecting buffer starts with this size, and is given back after a line that needed more than its kept size. */
const FIRST_BUFFER_BYTES = 4 * 1024;
const KEPT_BUFFER_BYTES = 1024 * 1024;
const NEWLINE = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const BYTE_ORDER_MARK = "\uFEFF";

/**
 * Cuts bytes into lines and lines into messages, in time linear in the bytes for any cutting into chunks.
 * Blank lines yield nothing; a line over the limit yields one -32600 as soon as the limit is passed.
 */
export class LineDecoder {
  readonly #maxLineBytes: number;
  #buffer: Buffer = Buffer.alloc(0);
  #length = 0;
  #isSkipping = false;
  #isFirstLine = true;

  constructor(maxLineBytes: number = MAX_LINE_BYTES) {
    this.#maxLineBytes = maxLineBytes;
  }

  /** Takes the next bytes and yields what they complete. The chunk may be reused once the generator ended. */
  *push(chunk: Uint8Array): Generator<Decoded> {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    let start = 0;
    while (start < bytes.length) {
      const newline = bytes.indexOf(NEWLINE, start);
      const end = newline === -1 ? bytes.length : newline;
      if (!this.#isSkipping && this.#length + end - start > this.#maxLineBytes) {
        this.#isSkipping = true;
        this.#release();
        yield tooLong(this.#maxLineBytes);
      }
      if (newline === -1) {
        if (!this.#isSkipping) this.#collect(bytes.subarray(start));
        return;
      }
      const decoded = this.#endLine(bytes.subarray(start, end));
      if (decoded !== undefined) yield decoded;
      start = newline + 1;
    }
  }

  /** The last line may lack its newline: yields it when the input ended. */
  *end(): Generator<Decoded> {
    const decoded = this.#endLine(Buffer.alloc(0));
    if (decoded !== undefined) yield decoded;
  }

  #endLine(tail: Buffer): Decoded | undefined {
    if (this.#isSkipping) {
      this.#isSkipping = false;
      this.#isFirstLine = false;
      return undefined;
    }
    if (this.#length === 0) return this.#decode(tail);
    this.#collect(tail);
    const decoded = this.#decode(this.#buffer.subarray(0, this.#length));
    this.#length = 0;
    if (this.#buffer.length > KEPT_BUFFER_BYTES) this.#release();
    return decoded;
  }

  #decode(line: Buffer): Decoded | undefined {
    const hasReturn = line.at(-1) === CARRIAGE_RETURN;
    let text = line.toString("utf8", 0, hasReturn ? line.length - 1 : line.length);
    if (this.#isFirstLine && text.startsWith(BYTE_ORDER_MARK)) text = text.slice(1);
    this.#isFirstLine = false;
    if (text.trim() === "") return undefined;
    return decodeMessage(text);
  }

  /** Doubling keeps the copies of a line that arrives byte by byte linear in its length. */
  #collect(bytes: Buffer): void {
    const needed = this.#length + bytes.length;
    if (needed > this.#buffer.length) {
      const doubled = Math.max(this.#buffer.length * 2, FIRST_BUFFER_BYTES);
      const size = Math.max(needed, Math.min(doubled, this.#maxLineBytes));
      const grown = Buffer.allocUnsafe(size);
      this.#buffer.copy(grown, 0, 0, this.#length);
      this.#buffer = grown;
    }
    bytes.copy(this.#buffer, this.#length);
    this.#length = needed;
  }

  #release(): void {
    this.#buffer = Buffer.alloc(0);
    this.#length = 0;
  }
}

function tooLong(maxLineBytes: number): Decoded {
  const message = `Invalid request: a line is longer than ${maxLineBytes} bytes and was skipped`;
  return { type: "fault", fault: { code: -32600, id: null, message } };
}

/** One message as one line; JSON text never holds a raw newline. */
export function encodeLine(message: AnyMessage): string {
  return `${JSON.stringify(message)}\n`;
}
