// Cuts one page of lines out of text that arrives in pieces, in memory bounded by the page. `\n`, `\r\n` and a lone
// `\r` end a line, as in the editors. No I/O.

export const MAX_PAGE_LINES = 2_000;
const MAX_PAGE_BYTES = 50 * 1024;
/** UTF-16 units of one line that are shown. */
const MAX_LINE_LENGTH = 2_000;

export type PageLine = {
  readonly number: number;
  readonly text: string;
  /** UTF-16 units that were left out at its end. */
  readonly cut: number;
};

export type Page = {
  readonly lines: readonly PageLine[];
  /** All lines seen; those of the whole file when it was read to its end. */
  readonly totalLines: number;
  /** The line to go on with, when there are more. */
  readonly nextOffset?: number;
};

export class LinePager {
  readonly #first: number;
  readonly #limit: number;
  readonly #lines: PageLine[] = [];
  #bytes = 0;
  #ended = 0;
  #partial = "";
  #partialLength = 0;
  /** A `\r` at the end of a piece: the next piece tells whether `\n` follows. */
  #heldReturn = false;
  #nextOffset: number | undefined;

  /** `first` counts from 1. */
  constructor(first: number, limit: number) {
    this.#first = first;
    this.#limit = limit;
  }

  /** True when a line after the page was seen: further reading can only count lines. */
  get isComplete(): boolean {
    return this.#nextOffset !== undefined;
  }

  push(piece: string): void {
    let text = this.#heldReturn ? `\r${piece}` : piece;
    this.#heldReturn = text.endsWith("\r");
    if (this.#heldReturn) text = text.slice(0, -1);
    let from = 0;
    const hasReturn = text.includes("\r");
    for (;;) {
      const end = hasReturn ? nextLineEnd(text, from) : text.indexOf("\n", from);
      if (end === -1) break;
      this.#extend(text, from, end);
      this.#endLine();
      from = text.startsWith("\r\n", end) ? end + 2 : end + 1;
    }
    this.#extend(text, from, text.length);
  }

  finish(): Page {
    if (this.#heldReturn) this.#endLine();
    if (this.#partialLength > 0) this.#endLine();
    return {
      lines: this.#lines,
      totalLines: this.#ended,
      ...(this.#nextOffset === undefined ? {} : { nextOffset: this.#nextOffset }),
    };
  }

  get #isWanted(): boolean {
    return this.#ended + 1 >= this.#first && !this.isComplete;
  }

  #extend(text: string, from: number, to: number): void {
    if (from === to) return;
    const room = MAX_LINE_LENGTH - this.#partial.length;
    if (room > 0 && this.#isWanted) this.#partial += text.slice(from, Math.min(to, from + room));
    this.#partialLength += to - from;
  }

  #endLine(): void {
    const isWanted = this.#isWanted;
    this.#ended++;
    if (isWanted) this.#keep(this.#ended, this.#partial);
    this.#partial = "";
    this.#partialLength = 0;
  }

  #keep(number: number, text: string): void {
    const bytes = Buffer.byteLength(text) + 1;
    const isFull = this.#lines.length >= this.#limit || this.#bytes + bytes > MAX_PAGE_BYTES;
    if (isFull && this.#lines.length > 0) {
      this.#nextOffset = number;
      return;
    }
    this.#bytes += bytes;
    this.#lines.push({ number, text, cut: this.#partialLength - text.length });
  }
}

function nextLineEnd(text: string, from: number): number {
  for (let i = from; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === 10 || code === 13) return i;
  }
  return -1;
}

/** With line numbers, as the model sees a page. */
export function renderPage(page: Page): string {
  const width = String(page.lines.at(-1)?.number ?? 1).length;
  return page.lines
    .map(({ number, text, cut }) => {
      const mark = cut === 0 ? "" : ` …[${cut.toLocaleString("en")} more characters in this line]`;
      return `${String(number).padStart(width)}\t${text}${mark}`;
    })
    .join("\n");
}
