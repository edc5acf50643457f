// A fetched body as text for the model: HTML as Markdown, text and JSON as they are, nothing of what is binary.

import type TurndownService from "turndown";
import { looksBinary } from "./file-text.ts";

/** More HTML than this is cut before it is converted: the conversion is not interruptible. */
const MAX_HTML_LENGTH = 1024 * 1024;
/** Deeper trees would overflow the converter's stack. */
const MAX_TAGS_OPEN = 2_000;
const TEXT_TYPE =
  /^(text\/|application\/([\w.+-]*(json|xml|yaml|toml|javascript|hcl|x-sh)[\w.+-]*)$)/;
const HTML_TYPE = /^(text\/html|application\/xhtml\+xml)$/;

export type BodyText =
  | { readonly ok: true; readonly text: string; readonly notice?: string }
  | { readonly ok: false; readonly reason: string };

export async function bodyToText(body: Uint8Array, contentType: string): Promise<BodyText> {
  const type = (contentType.split(";")[0] ?? "").trim().toLowerCase();
  if (type !== "" && !TEXT_TYPE.test(type))
    return { ok: false, reason: `it is ${type}, which is not text` };
  if (looksBinary(body)) return { ok: false, reason: "it is binary (it holds NUL bytes)" };
  const text = decode(body, contentType);
  if (!HTML_TYPE.test(type) && !(type === "" && /^\s*<(!doctype html|html)/i.test(text)))
    return { ok: true, text };
  const isCut = text.length > MAX_HTML_LENGTH;
  const html = text.slice(0, MAX_HTML_LENGTH);
  const notice = isCut
    ? { notice: "Only the first million characters of the page were converted." }
    : {};
  try {
    if (deepestNesting(html) > MAX_TAGS_OPEN) return { ok: true, text: stripTags(html), ...notice };
    return { ok: true, text: (await converter()).turndown(html), ...notice };
  } catch {
    // A page that the converter cannot take is still readable without its tags.
    return { ok: true, text: stripTags(html), ...notice };
  }
}

function decode(body: Uint8Array, contentType: string): string {
  const head = new TextDecoder("latin1").decode(body.subarray(0, 1_024));
  const named =
    /charset\s*=\s*"?([\w.:-]+)/i.exec(contentType)?.[1] ??
    /<meta[^>]+charset\s*=\s*["']?([\w.:-]+)/i.exec(head)?.[1] ??
    "utf-8";
  try {
    return new TextDecoder(named as ConstructorParameters<typeof TextDecoder>[0]).decode(body);
  } catch {
    // A charset nobody knows: what is ASCII in it stays readable.
    return new TextDecoder().decode(body);
  }
}

/** Loaded at the first page: most sessions fetch none. */
async function converter(): Promise<TurndownService> {
  const { default: Turndown } = await import("turndown");
  const service = new Turndown({
    headingStyle: "atx",
    codeBlockStyle: "fenced",
    bulletListMarker: "-",
  });
  service.remove(["script", "style", "nav", "noscript", "iframe", "head", "form", "button"]);
  // Vector graphics and inline data are long and say nothing to a model.
  service.addRule("pictures", {
    filter: (node) => /^(svg|img|picture|canvas)$/i.test(node.nodeName),
    replacement: (_content, node) =>
      "getAttribute" in node ? (node.getAttribute("alt")?.trim() ?? "") : "",
  });
  return service;
}

/** How many elements are open at once at most; void and optional end tags make it an overestimate. */
function deepestNesting(html: string): number {
  let depth = 0;
  let deepest = 0;
  for (const [tag] of html.matchAll(/<\/?[a-z][^>]{0,1000}>/gi)) {
    if (tag.startsWith("</")) depth = Math.max(0, depth - 1);
    else if (
      !/^<(area|base|br|col|embed|hr|img|input|link|meta|source|track|wbr|p|li|dt|dd|tr|td|th|option)\b/i.test(
        tag,
      ) &&
      !tag.endsWith("/>")
    )
      deepest = Math.max(deepest, ++depth);
  }
  return deepest;
}

function stripTags(html: string): string {
  return html
    .replaceAll(/<(script|style)\b[\s\S]*?(<\/\1>|$)/gi, "")
    .replaceAll(/<[^>]*>/g, " ")
    .replaceAll(/[ \t]+/g, " ")
    .replaceAll(/\s*\n\s*/g, "\n")
    .trim();
}
