// web_fetch: one page of the public web as text.

import { z } from "zod";
import { cancelled, failed } from "./answers.ts";
import { fetchChecked, type FetchRules, urlFault } from "./fetch-http.ts";
import { bodyToText } from "./fetch-text.ts";
import { withNotices } from "./search-root.ts";
import { defineTool, type Tool, type ToolContext, type ToolResult } from "./tool.ts";

const MAX_BODY_BYTES = 5 * 1024 * 1024;
/** UTF-16 units of text that the model is given. */
const MAX_TEXT_LENGTH = 100_000;
const MAX_URL_LENGTH = 8_000;

/** Overrides are for tests: where names lead, and whose certificates count. */
export function createWebFetch(overrides: Pick<FetchRules, "resolve" | "ca"> = {}): Tool {
  return defineTool({
    name: "web_fetch",
    kind: "fetch",
    description:
      "Fetch a page over http or https and return it as text: HTML as Markdown, JSON and text as they are. Only public addresses; at most 5 redirects, 5 MiB and 30 s.",
    args: z.object({
      url: z.string().min(1).max(MAX_URL_LENGTH),
      max_bytes: z
        .int()
        .min(1)
        .max(MAX_BODY_BYTES)
        .optional()
        .describe("Bytes of the body to read. Default and at most 5 MiB."),
    }),
    open: ({ url: written, max_bytes: maxBytes = MAX_BODY_BYTES }) => {
      if (!URL.canParse(written))
        return "url: it is not an absolute URL. Give one such as https://example.com/page.";
      const url = new URL(written);
      const fault = urlFault(url);
      if (fault) return fault;
      const host = url.hostname.replace(/\.$/, "");
      return {
        title: `Fetch ${url.href}`,
        access: { type: "fetch", url: url.href, host },
        execute: (context) => run(url, maxBytes, overrides, context),
      };
    },
  });
}

export const webFetch = createWebFetch();

async function run(
  url: URL,
  maxBytes: number,
  overrides: Pick<FetchRules, "resolve" | "ca">,
  context: ToolContext,
): Promise<ToolResult> {
  if (context.signal.aborted) return cancelled();
  const rules: FetchRules = {
    ...overrides,
    allowPrivate: context.settings.fetchAllowPrivate,
    isHostDenied: context.isHostDenied,
  };
  const fetched = await fetchChecked(url, maxBytes, rules, context.signal);
  if (context.signal.aborted) return cancelled();
  if (!fetched.ok) return failed(fetched.text);
  const body = await bodyToText(fetched.body, fetched.contentType);
  const { href } = fetched.url;
  if (!body.ok) return failed(`Nothing of ${href} can be shown: ${body.reason}.`);
  const isSuccess = fetched.status >= 200 && fetched.status < 300;
  const notices = [`${isSuccess ? "From" : `Status ${fetched.status} from`} ${href}`];
  if (fetched.isCut)
    notices.push(`Only the first ${maxBytes.toLocaleString("en")} bytes were read.`);
  if (body.notice) notices.push(body.notice);
  if (body.text.length > MAX_TEXT_LENGTH)
    notices.push(
      `Cut after ${MAX_TEXT_LENGTH.toLocaleString("en")} of ${body.text.length.toLocaleString("en")} characters.`,
    );
  const text = body.text.slice(0, MAX_TEXT_LENGTH).toWellFormed();
  return {
    ok: isSuccess,
    text: withNotices(text.trim() === "" ? "(empty)" : text, notices),
    rawOutput: { status: fetched.status, url: href, bytes: fetched.body.byteLength },
  };
}
