// Reads a response body as JSON objects, whatever form it comes in: server-sent events, one JSON document where a
// stream was asked, or lines of JSON. Only form is judged here, not meaning.

import { isRecord, parseJson } from "../lib/json.ts";
import { createSseParser, objectsOf, type SseItem } from "./sse-parse.ts";

export type BodyItem =
  | { readonly type: "object"; readonly value: Readonly<Record<string, unknown>> }
  /** `[DONE]`: nothing that follows counts, even if the connection stays open. */
  | { readonly type: "done" }
  /** A web page, or something that is neither JSON nor a stream of it. */
  | { readonly type: "not_json"; readonly isHtml: boolean };

export type BodyReader = {
  /** Items of these bytes. */
  readonly push: (bytes: Uint8Array) => readonly BodyItem[];
  /** Items that were complete only by the end of the body. */
  readonly end: () => readonly BodyItem[];
};

/** Bytes. A whole answer is text of a model; more is a broken server. */
const MAX_DOCUMENT_BYTES = 64 * 1024 * 1024;

/** Bytes. After so many blanks nobody is about to say anything. */
const MAX_BLANK_BYTES = 16 * 1024;

/** The form is told from the first character that is not blank, since content types are often wrong. */
export function createBodyReader(): BodyReader {
  const sse = createSseParser();
  let form: "unknown" | "sse" | "document" | "html" = "unknown";
  let pieces: Uint8Array[] = [];
  let size = 0;

  function pushDocument(bytes: Uint8Array): readonly BodyItem[] {
    pieces.push(bytes);
    size += bytes.length;
    if (size > MAX_DOCUMENT_BYTES) throw new RangeError("The answer is over 64 MiB");
    return [];
  }

  function push(bytes: Uint8Array): readonly BodyItem[] {
    if (form === "html") return [];
    if (form === "sse") return toItems(sse.push(bytes));
    if (form === "document") return pushDocument(bytes);
    // Blanks and a byte order mark say nothing; they are kept, since a packet may be one byte.
    pieces.push(bytes);
    size += bytes.length;
    form = size > MAX_BLANK_BYTES ? "sse" : formOf(pieces);
    if (form === "unknown") return [];
    size = 0;
    const all = Buffer.concat(pieces);
    pieces = [];
    if (form === "html") return [{ type: "not_json", isHtml: true }];
    return push(all);
  }

  return {
    push,
    end: () => {
      if (form === "sse") return toItems(sse.end());
      return form === "document" ? documentItems(Buffer.concat(pieces)) : [];
    },
  };
}

function formOf(pieces: readonly Uint8Array[]): "unknown" | "sse" | "document" | "html" {
  const first = new TextDecoder().decode(Buffer.concat(pieces), { stream: true }).trimStart()[0];
  if (first === undefined) return "unknown";
  if (first === "{" || first === "[") return "document";
  return first === "<" ? "html" : "sse";
}

/** One JSON document, or objects behind one another; after the first fault the rest is not trusted. */
function documentItems(bytes: Uint8Array): readonly BodyItem[] {
  const text = new TextDecoder().decode(bytes);
  const whole = parseJson(text);
  // Gemini wraps an error in an array.
  if (Array.isArray(whole))
    return whole.filter(isRecord).map((value) => ({ type: "object", value }));
  return toItems([{ type: "data", data: text }]);
}

function toItems(items: readonly SseItem[]): readonly BodyItem[] {
  return items.flatMap((item): readonly BodyItem[] => {
    if (item.type === "comment") return [];
    const data = item.data.trim();
    if (data === "") return [];
    if (data === "[DONE]") return [{ type: "done" }];
    const values = objectsOf(data);
    if (values === undefined) return [{ type: "not_json", isHtml: data.startsWith("<") }];
    return values.flatMap((value): readonly BodyItem[] => {
      if (value === "[DONE]") return [{ type: "done" }];
      return isRecord(value) ? [{ type: "object", value }] : [];
    });
  });
}
