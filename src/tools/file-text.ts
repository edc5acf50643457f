// Bytes of a text file ↔ text, without loss: UTF-8 with or without a byte order mark, UTF-16 with one. Everything else
// is refused by name, because a lossy copy written back would ruin the file. Pure.

export type TextEncoding = "utf-8" | "utf-8-bom" | "utf-16le" | "utf-16be";

/** `text` is without its byte order mark. */
export type FileText = { readonly encoding: TextEncoding; readonly text: string };
export type Decoded =
  | ({ readonly ok: true } & FileText)
  | { readonly ok: false; readonly reason: string };

/** A NUL in the first bytes of a file without a UTF-16 mark: not text. */
export const BINARY_PROBE_BYTES = 8 * 1024;
const BOM_LENGTH: Readonly<Record<TextEncoding, number>> = {
  "utf-8": 0,
  "utf-8-bom": 3,
  "utf-16le": 2,
  "utf-16be": 2,
};

/** The encoding that a file's first bytes announce, with the length of its mark in bytes. */
export function sniffEncoding(head: Uint8Array): {
  readonly encoding: TextEncoding;
  readonly bomBytes: number;
} {
  const [a, b, c] = head;
  const encoding =
    a === 0xef && b === 0xbb && c === 0xbf
      ? "utf-8-bom"
      : a === 0xff && b === 0xfe
        ? "utf-16le"
        : a === 0xfe && b === 0xff
          ? "utf-16be"
          : "utf-8";
  return { encoding, bomBytes: BOM_LENGTH[encoding] };
}

export function isUtf16(encoding: TextEncoding): boolean {
  return encoding === "utf-16le" || encoding === "utf-16be";
}

/** True when the first bytes of a file show that it is not text. */
export function looksBinary(head: Uint8Array): boolean {
  if (isUtf16(sniffEncoding(head).encoding)) return false;
  return head.subarray(0, BINARY_PROBE_BYTES).includes(0);
}

export function decodeText(bytes: Uint8Array): Decoded {
  const { encoding, bomBytes } = sniffEncoding(bytes);
  if (looksBinary(bytes)) return { ok: false, reason: "it is binary (it holds NUL bytes)" };
  const body = bytes.subarray(bomBytes);
  if (isUtf16(encoding)) {
    if (body.length % 2 === 1)
      return { ok: false, reason: "it is marked UTF-16 but has an odd number of bytes" };
    const units = Buffer.from(body);
    // Node's decoder keeps lone surrogates, which TextDecoder would replace.
    return {
      ok: true,
      encoding,
      text: (encoding === "utf-16be" ? units.swap16() : units).toString("utf16le"),
    };
  }
  try {
    return { ok: true, encoding, text: newUtf8Decoder().decode(body) };
  } catch {
    // `fatal` throws a TypeError for the first byte that is not UTF-8.
    return { ok: false, reason: NOT_UTF8 };
  }
}

export const NOT_UTF8 =
  "it is not UTF-8 text (nor UTF-16 with a byte order mark); it may be Latin-1, GBK or binary. Convert it first, for example with `iconv -f LATIN1 -t UTF-8`";

/** Strict, and it leaves marks inside the text alone. */
function newUtf8Decoder(): TextDecoder {
  return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
}

/** Decodes a file piece by piece, its byte order mark already removed. Throws at the first byte that is not UTF-8. */
export function newStreamDecoder(
  encoding: TextEncoding,
): (bytes: Uint8Array, isLast: boolean) => string {
  if (!isUtf16(encoding)) {
    const decoder = newUtf8Decoder();
    return (bytes, isLast) => decoder.decode(bytes, { stream: !isLast });
  }
  let odd: Uint8Array = new Uint8Array();
  return (bytes) => {
    const joined = Buffer.concat([odd, bytes]);
    const whole = joined.subarray(0, joined.length - (joined.length % 2));
    odd = joined.subarray(whole.length);
    return (encoding === "utf-16be" ? whole.swap16() : whole).toString("utf16le");
  };
}

export function isUniformlyCrlf(text: string): boolean {
  return text.includes("\r\n") && !/(?<!\r)\n|\r(?!\n)/.test(text);
}

/** The inverse of `decodeText`. */
export function encodeText({ encoding, text }: FileText): Uint8Array {
  switch (encoding) {
    case "utf-8":
      return Buffer.from(text);
    case "utf-8-bom":
      return Buffer.from(`\uFEFF${text}`);
    case "utf-16le":
      return Buffer.from(`\uFEFF${text}`, "utf16le");
    case "utf-16be":
      return Buffer.from(`\uFEFF${text}`, "utf16le").swap16();
  }
}

/** The line end a text uses most, `\n` when it has none. */
export function dominantLineEnd(text: string): "\n" | "\r\n" | "\r" {
  let crlf = 0;
  let lf = 0;
  let cr = 0;
  for (const [end] of text.matchAll(/\r\n|\n|\r/g)) {
    if (end === "\n") lf++;
    else if (end === "\r\n") crlf++;
    else cr++;
  }
  if (crlf > lf && crlf >= cr) return "\r\n";
  return cr > lf ? "\r" : "\n";
}
