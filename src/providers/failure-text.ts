// What people read when an endpoint fails: provider, status, what to do next; at most 300 characters, keys masked. Pure.

import { truncateAtGrapheme } from "../lib/text.ts";
import { maskKeys } from "./mask-keys.ts";
import type { Endpoint, ModelFailure } from "./provider.ts";

const MAX_MESSAGE_LENGTH = 300;
const MAX_QUOTE_LENGTH = 140;

export type FailureContext = {
  readonly endpoint: Endpoint;
  readonly model: string;
};

/** What a person reads of a status or an error in a stream. */
export function failureText(
  kind: ModelFailure["kind"],
  status: number | undefined,
  quoted: string,
  context: FailureContext,
): string {
  const { provider, source, baseUrl } = context.endpoint;
  const code = status === undefined ? "" : ` (${status})`;
  const words = quote(quoted, context);
  const said = words === "" ? "" : `: ${words}`;
  const text = {
    auth:
      status === 403
        ? `${provider} denied access${code}${said}. Check that the key from ${keyPlace(source)} may use ${context.model}.`
        : `${provider} refused the API key${code}. Check ${keyPlace(source)}, or run \`iac-code login\`.`,
    quota: `${provider} has no quota left for this key${code}${said}. Check plan and billing, or choose another model.`,
    rate_limit: `${provider} is rate limited${code}${said}. Wait a moment, or choose another model.`,
    not_found: notFoundText(status, said, context),
    overflow: `${provider}: the conversation is too long for ${context.model}${code}${said}. Use /compact or start a new session.`,
    bad_request: `${provider} did not accept the request${code}${said}. Check the model and its settings.`,
    server: `${provider} failed${code}${said}. Try again later, or choose another model.`,
    timeout: `${provider} timed out${code}${said}. Try again.`,
    network: `${provider} could not be reached at ${hostOf(baseUrl)}${said}.`,
    protocol: `${provider} answered in an unknown form${code}${said}.`,
    not_configured: `${provider} is not configured. Run \`iac-code login\`.`,
  }[kind];
  return finish(text, context);
}

/** Where a person looks for the key of an endpoint that came from there. */
function keyPlace(source: string): string {
  if (source === "IACCODE_BASE_URL") return "IACCODE_API_KEY";
  return source === "login" ? "the key that login stored" : source;
}

function notFoundText(
  status: number | undefined,
  said: string,
  { endpoint, model }: FailureContext,
): string {
  const { provider, baseUrl } = endpoint;
  if (status !== undefined && status >= 300 && status < 400)
    return `${provider} redirects to another address (${status}). Set that address as the base URL instead of ${hostOf(baseUrl)}.`;
  return `${provider} does not know model ${model} or this address (${status ?? 404})${said}. See \`iac-code models\`, or check the base URL.`;
}

function quote(text: string, context: FailureContext): string {
  const line = maskKeys(text, secretsOf(context.endpoint)).replace(/\s+/g, " ").trim();
  const short = truncateAtGrapheme(line, MAX_QUOTE_LENGTH);
  return (short.length < line.length ? `${short}…` : short).replace(/\.$/, "");
}

/** Cuts and masks any text that leaves this room. */
export const finish = (text: string, context: FailureContext): string =>
  truncateAtGrapheme(maskKeys(text, secretsOf(context.endpoint)), MAX_MESSAGE_LENGTH);

function secretsOf({ apiKey, headers }: Endpoint): readonly string[] {
  return [...(apiKey === undefined ? [] : [apiKey.trim()]), ...Object.values(headers ?? {})];
}

/** What happened to the connection, and what to do about it. */
export function networkText(code: string, isTls: boolean, host: string): readonly [string, string] {
  if (isTls)
    return [
      `the TLS certificate of ${host} was not accepted (${code})`,
      "Check the address, or the proxy between.",
    ];
  if (code === "ENOTFOUND" || code === "EAI_AGAIN")
    return [`no address is known for ${host} (${code})`, "Check the base URL and the network."];
  if (code === "ECONNREFUSED")
    return [
      `nothing answers at ${host} (${code})`,
      "Check that the server runs and the base URL is right.",
    ];
  return [
    `the connection to ${host} broke${code === "" ? "" : ` (${code})`}`,
    "Check the network and try again.",
  ];
}

/** The part of a base URL that may be shown. */
export function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : "the base URL";
}
