// One HTTP request to an endpoint through the `openai` package: addresses, headers and raw answers. No retry, no time
// limits, no reading of streams: the package's own would lose what real servers send (see stream-body.ts, retry.ts).

import type { OpenAI } from "openai";
import { isRecord } from "../lib/json.ts";
import type { Endpoint } from "./provider.ts";

export type HttpAnswer =
  | { readonly type: "ok"; readonly response: Response }
  /** `body` is cut at 64 kB. */
  | {
      readonly type: "status";
      readonly status: number;
      readonly headers: Headers;
      readonly body: string;
    }
  /** No answer: the connection failed, or `signal` fired. */
  | { readonly type: "error"; readonly error: unknown };

export type HttpCall = {
  /** Without a trailing slash. */
  readonly baseUrl: string;
  readonly path: string;
  readonly method: "get" | "post";
  readonly body?: object;
  readonly signal: AbortSignal;
};

const MAX_ERROR_BODY_BYTES = 64 * 1024;
/** The package's own limit cannot be turned off; this is the longest a timer can run, 24 days. */
const NO_TIMEOUT_MS = 2_147_483_647;

/** What a client of the package needs to be asked. */
type Line = { readonly client: OpenAI; readonly query: Readonly<Record<string, string>> };

/** By endpoint and base URL: a client has dozens of parts, and a turn would make one for every request. */
const lines = new WeakMap<Endpoint, Map<string, Line>>();

/** Answers that the package would throw away into error texts, by the response that stands in for them. */
const kept = new WeakMap<Response, HttpAnswer>();

function standIn(answer: HttpAnswer): Response {
  const response = new Response(null);
  kept.set(response, answer);
  return response;
}

function openLine(Client: typeof OpenAI, endpoint: Endpoint, baseUrl: string): Line {
  const headers = headersOf(endpoint);
  const azureVersion = endpoint.quirks.azureApiVersion;
  // The package joins base and path as text, so a query in the base URL travels apart.
  const address = new URL(baseUrl);
  const query = {
    ...Object.fromEntries(address.searchParams),
    ...(azureVersion !== undefined && { "api-version": azureVersion }),
  };
  address.search = "";
  const client = new Client({
    apiKey: endpoint.apiKey?.trim() || "none",
    baseURL: address.href.replace(/\/+$/, ""),
    organization: null,
    project: null,
    maxRetries: 0,
    timeout: NO_TIMEOUT_MS,
    logLevel: "off",
    fetch: (input, init) => rawFetch(input, init, headers),
  });
  return { client, query };
}

async function rawFetch(
  input: string | URL | Request,
  init: RequestInit | undefined,
  headers: Headers,
): Promise<Response> {
  try {
    const response = await fetch(input, {
      ...init,
      headers,
      // A redirect would carry keys and prompts to an address nobody chose.
      redirect: "manual",
      // Bun's own limit of 300 s, which no signal can lengthen.
      timeout: false,
    });
    if (response.ok) return response;
    const body = await readStart(response, MAX_ERROR_BODY_BYTES);
    return standIn({ type: "status", status: response.status, headers: response.headers, body });
  } catch (error) {
    return standIn({ type: "error", error });
  }
}

/** Sends one request; never throws for anything the network or the endpoint did. */
export async function send(endpoint: Endpoint, call: HttpCall): Promise<HttpAnswer> {
  try {
    // Behind import(): it costs start-up time and memory that only a first prompt needs.
    const { OpenAI: Client } = await import("openai");
    const known = lines.get(endpoint) ?? new Map<string, Line>();
    lines.set(endpoint, known);
    const line = known.get(call.baseUrl) ?? openLine(Client, endpoint, call.baseUrl);
    known.set(call.baseUrl, line);
    const response = await line.client[call.method](call.path, {
      signal: call.signal,
      ...(call.body !== undefined && { body: call.body, stream: true }),
      query: line.query,
    }).asResponse();
    return kept.get(response) ?? { type: "ok", response };
  } catch (error) {
    return { type: "error", error };
  }
}

/** Exactly these headers are sent: what the package would add (environment, versions) is nobody's business. */
function headersOf({ apiKey, headers, quirks }: Endpoint): Headers {
  const all = new Headers({
    accept: "text/event-stream, application/json",
    "content-type": "application/json",
    "user-agent": "iac-code",
  });
  const key = apiKey?.trim() ?? "";
  if (key !== "" && quirks.azureApiVersion !== undefined) all.set("api-key", key);
  else if (key !== "") all.set("authorization", `Bearer ${key}`);
  for (const [name, value] of Object.entries(headers ?? {})) all.set(name, value);
  return all;
}

async function readStart(response: Response, maxBytes: number): Promise<string> {
  const reader = response.body?.getReader();
  if (reader === undefined) return "";
  const pieces: Uint8Array[] = [];
  let size = 0;
  try {
    while (size < maxBytes) {
      const { done, value } = await reader.read();
      if (done) break;
      pieces.push(value);
      size += value.length;
    }
  } catch {
    // The connection died inside an error's body: its status is known, and the start of the body will do.
  }
  void reader.cancel().catch(() => {
    // Already closed; there is nothing left to give back.
  });
  return new TextDecoder().decode(Buffer.concat(pieces).subarray(0, maxBytes));
}

/** Azure addresses a deployment by path, unless its v1 API or a deployment stands in the base URL already. */
export function pathFor(
  endpoint: Endpoint,
  baseUrl: string,
  path: string,
  body: object | undefined,
): string {
  const isAzure = endpoint.quirks.azureApiVersion !== undefined;
  if (!isAzure || /\/(deployments\/|v1(\/|$))/.test(baseUrl) || path === "/models") return path;
  const model = isRecord(body) && typeof body["model"] === "string" ? body["model"] : "";
  return `/deployments/${encodeURIComponent(model)}${path}`;
}
