// What each request to the HTTP transport gets, as data: test/acp/http-answers.test.ts sends every one of them to the
// real program, and docs/http.md is written from the same rows.

export type Target = {
  readonly url: string;
  readonly origin: string;
  /** A connection that is open; empty where the server takes none. */
  readonly connectionId: string;
};

/** How the server is meant: as it comes, with a token, with all its connections used, or draining. */
export type ServerState = "open" | "token" | "full" | "draining" | "impatient";

export type HttpAnswer = {
  readonly state: ServerState;
  /** First column: what is sent. */
  readonly request: string;
  readonly status: number;
  /** Third column: what is in the answer. */
  readonly answer: string;
  /** The code of the JSON-RPC error that is the body. */
  readonly code?: number;
  /** Headers the answer must have; a pattern, or the value. */
  readonly headers?: Readonly<Record<string, string | RegExp>>;
  readonly send: (target: Target) => Promise<Response>;
};

export const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const JSON_TYPE = { "Content-Type": "application/json" };
const STREAM_HEADERS = {
  "Content-Type": /^text\/event-stream$/,
  "Cache-Control": "no-cache, no-transform",
  "X-Accel-Buffering": "no",
};
const UPGRADE = {
  Upgrade: "websocket",
  Connection: "Upgrade",
  "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
  "Sec-WebSocket-Version": "13",
};
const NOBODY = "00000000-0000-4000-8000-000000000000";
const RETRY = { "Retry-After": /^\d+$/ };
const GOOD_TOKEN = { Authorization: "Bearer s3cret" };

export const INITIALIZE = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: 1, clientCapabilities: {} },
};
const LIST = { jsonrpc: "2.0", id: 7, method: "session/list", params: {} };

const named = (id: string, more: Record<string, string> = {}) => ({
  "Acp-Connection-Id": id,
  ...more,
});

const ask =
  (method: string, headers: (target: Target) => Record<string, string>, path = "/acp") =>
  (target: Target): Promise<Response> =>
    fetch(`${target.origin}${path}`, { method, headers: headers(target) });

const post =
  (body: unknown, headers: (target: Target) => Record<string, string> = () => ({})) =>
  (target: Target): Promise<Response> =>
    fetch(target.url, {
      method: "POST",
      headers: { ...JSON_TYPE, ...headers(target) },
      body: typeof body === "string" ? body : JSON.stringify(body),
    });

const onConnection = ({ connectionId }: Target) => named(connectionId);
const nowhere = () => ({});

const BEGIN: readonly HttpAnswer[] = [
  {
    state: "open",
    request: "POST `initialize`",
    status: 200,
    answer: "the JSON-RPC answer; `Acp-Connection-Id` is a new UUIDv4",
    headers: { "Content-Type": /^application\/json/, "Acp-Connection-Id": UUID_V4 },
    send: post(INITIALIZE),
  },
  {
    state: "open",
    request: "POST `initialize` with wrong params",
    status: 200,
    answer: "the JSON-RPC error -32602; no connection is kept",
    code: -32602,
    send: post({ ...INITIALIZE, params: {} }),
  },
  {
    state: "impatient",
    request: "POST `initialize` that is not answered within 30 s",
    status: 504,
    answer: "JSON-RPC error -32603; no connection is kept",
    code: -32603,
    send: post({ ...INITIALIZE, params: { hang: true } }),
  },
  {
    state: "full",
    request: "POST `initialize` when `--max-connections` are open",
    status: 503,
    answer: "JSON-RPC error -32603, `Retry-After`",
    code: -32603,
    headers: RETRY,
    send: post(INITIALIZE),
  },
  {
    state: "draining",
    request: "POST `initialize` after SIGTERM",
    status: 503,
    answer: "JSON-RPC error -32603, `Retry-After`",
    code: -32603,
    headers: RETRY,
    send: post(INITIALIZE),
  },
];

const POSTS: readonly HttpAnswer[] = [
  {
    state: "open",
    request: "POST any other request",
    status: 202,
    answer: "empty; the answer comes on the stream",
    send: post(LIST, onConnection),
  },
  {
    state: "open",
    request: "POST a notification or an answer",
    status: 202,
    answer: "empty",
    send: post(
      { jsonrpc: "2.0", method: "session/cancel", params: { sessionId: "x" } },
      onConnection,
    ),
  },
  {
    state: "draining",
    request: "POST a request after SIGTERM",
    status: 503,
    answer: "JSON-RPC error -32603, `Retry-After`; answers and notifications still pass",
    code: -32603,
    headers: RETRY,
    send: post(LIST, onConnection),
  },
  {
    state: "open",
    request: "POST without `Acp-Connection-Id`",
    status: 400,
    answer: "JSON-RPC error -32600 with the request's id",
    code: -32600,
    send: post(LIST),
  },
  {
    state: "open",
    request: "POST to an unknown connection",
    status: 400,
    answer: "JSON-RPC error -32600",
    code: -32600,
    send: post(LIST, () => named(NOBODY)),
  },
  {
    state: "open",
    request: "POST to an unknown connection with `Acp-Session-Id`",
    status: 404,
    answer: "JSON-RPC error -32600: the client reconnects",
    code: -32600,
    send: post(LIST, () => named(NOBODY, { "Acp-Session-Id": "s" })),
  },
  {
    state: "open",
    request: "POST of something that is no JSON",
    status: 400,
    answer: "JSON-RPC error -32700",
    code: -32700,
    send: post('{"jsonrpc":"2.0",', onConnection),
  },
  {
    state: "open",
    request: "POST of a batch, or of JSON that is no object",
    status: 400,
    answer: "JSON-RPC error -32600",
    code: -32600,
    send: post([LIST], onConnection),
  },
  {
    state: "open",
    request: "POST with another `Content-Type`, or with a `Content-Encoding`",
    status: 415,
    answer: "JSON-RPC error -32600",
    code: -32600,
    send: post(LIST, (target) => ({ ...onConnection(target), "Content-Type": "text/plain" })),
  },
  {
    state: "open",
    request: "POST over `--max-body`, declared",
    status: 413,
    answer: "JSON-RPC error -32600",
    code: -32600,
    send: post(`"${"x".repeat(200_000)}"`, onConnection),
  },
  {
    state: "open",
    request: "POST over `--max-body`, chunked",
    status: 413,
    answer: "JSON-RPC error -32600; the rest is not read",
    code: -32600,
    send: ({ url, connectionId }) => {
      const pull = (controller: ReadableStreamDefaultController) =>
        controller.enqueue(new Uint8Array(50_000).fill(32));
      const body = new ReadableStream({ pull });
      return fetch(url, {
        method: "POST",
        headers: { ...JSON_TYPE, ...named(connectionId) },
        body,
      });
    },
  },
  {
    state: "impatient",
    request: "POST whose body pauses for 60 s",
    status: 408,
    answer: "JSON-RPC error -32600",
    code: -32600,
    send: ({ url }) => {
      const start = (controller: ReadableStreamDefaultController) =>
        controller.enqueue(new TextEncoder().encode('{"jsonrpc"'));
      const body = new ReadableStream({ start });
      return fetch(url, { method: "POST", headers: JSON_TYPE, body });
    },
  },
];

const STREAMS: readonly HttpAnswer[] = [
  {
    state: "open",
    request: "GET with `Acp-Connection-Id`",
    status: 200,
    answer: "the event stream of the connection",
    headers: STREAM_HEADERS,
    send: ask("GET", onConnection),
  },
  {
    state: "open",
    request: "GET with `Acp-Connection-Id` and `Acp-Session-Id`",
    status: 200,
    answer: "the event stream of that session",
    headers: STREAM_HEADERS,
    send: ask("GET", ({ connectionId }) => named(connectionId, { "Acp-Session-Id": "s" })),
  },
  {
    state: "open",
    request: "GET with a `Last-Event-ID` that cannot be replayed from",
    status: 200,
    answer: "the event stream; its first event is `resync`",
    headers: STREAM_HEADERS,
    send: ask("GET", ({ connectionId }) => named(connectionId, { "Last-Event-ID": "junk" })),
  },
  {
    state: "open",
    request: "GET whose `Accept` excludes `text/event-stream`",
    status: 406,
    answer: "JSON-RPC error -32600",
    code: -32600,
    send: ask("GET", ({ connectionId }) => named(connectionId, { Accept: "application/json" })),
  },
  {
    state: "open",
    request: "GET without `Acp-Connection-Id`, or to an unknown connection",
    status: 400,
    answer: "JSON-RPC error -32600 (404 with `Acp-Session-Id`)",
    code: -32600,
    send: ask("GET", nowhere),
  },
  {
    state: "open",
    request: "GET with `Upgrade: websocket`",
    status: 101,
    answer: "text frames both ways; `Acp-Connection-Id`",
    headers: { "Acp-Connection-Id": UUID_V4 },
    send: ask("GET", () => UPGRADE),
  },
  {
    state: "open",
    request: "an upgrade from another `Origin`",
    status: 403,
    answer: "JSON-RPC error -32600",
    code: -32600,
    send: ask("GET", () => ({ ...UPGRADE, Origin: "https://evil.example.com" })),
  },
  {
    state: "token",
    request: "an upgrade without the token",
    status: 401,
    answer: "JSON-RPC error -32000, `WWW-Authenticate: Bearer`",
    code: -32000,
    headers: { "WWW-Authenticate": /^Bearer / },
    send: ask("GET", () => UPGRADE),
  },
  {
    state: "token",
    request: "an upgrade with the token",
    status: 101,
    answer: "as without one",
    send: ask("GET", () => ({ ...UPGRADE, ...GOOD_TOKEN })),
  },
  {
    state: "full",
    request: "an upgrade when `--max-connections` are open",
    status: 503,
    answer: "JSON-RPC error -32603, `Retry-After`",
    code: -32603,
    headers: RETRY,
    send: ask("GET", () => UPGRADE),
  },
  {
    state: "open",
    request: "DELETE with `Acp-Connection-Id`",
    status: 200,
    answer: "empty, when everything of the connection is released",
    send: async (target) => {
      const { headers } = await post(INITIALIZE)(target);
      return ask("DELETE", () => named(headers.get("Acp-Connection-Id") ?? ""))(target);
    },
  },
  {
    state: "open",
    request: "DELETE of an unknown connection, or a second one",
    status: 400,
    answer: "JSON-RPC error -32600 (404 with `Acp-Session-Id`)",
    code: -32600,
    send: ask("DELETE", () => named(NOBODY)),
  },
];

const OTHERS: readonly HttpAnswer[] = [
  ...["PUT", "PATCH", "HEAD"].map((method) => ({
    state: "open" as const,
    request: `${method} /acp`,
    status: 405,
    answer: "`Allow: GET, POST, DELETE`",
    headers: { Allow: "GET, POST, DELETE" },
    send: ask(method, nowhere),
  })),
  {
    state: "open",
    request: "OPTIONS from an allowed `Origin`",
    status: 204,
    answer: "what a browser may send; no token is asked for",
    headers: { "Access-Control-Allow-Origin": "http://localhost:3000" },
    send: ask("OPTIONS", () => ({ Origin: "http://localhost:3000" })),
  },
  {
    state: "open",
    request: "any request from another `Origin`",
    status: 403,
    answer: "JSON-RPC error -32600",
    code: -32600,
    send: post(INITIALIZE, () => ({ Origin: "https://evil.example.com" })),
  },
  {
    state: "open",
    request: "any request with a foreign `Host`",
    status: 403,
    answer: "JSON-RPC error -32600",
    code: -32600,
    send: post(INITIALIZE, () => ({ Host: "evil.example.com" })),
  },
  ...(["POST", "GET", "DELETE"] as const).map((method) => ({
    state: "token" as const,
    request: `${method} without the token, or with a wrong one`,
    status: 401,
    answer: "JSON-RPC error -32000, `WWW-Authenticate: Bearer`",
    code: -32000,
    headers: { "WWW-Authenticate": /^Bearer / },
    send: ask(method, () => ({ Authorization: "bearer s3cret" })),
  })),
  {
    state: "token",
    request: "POST `initialize` with the token",
    status: 200,
    answer: "as without one",
    headers: { "Acp-Connection-Id": UUID_V4 },
    send: post(INITIALIZE, () => GOOD_TOKEN),
  },
  {
    state: "token",
    request: "GET /health, whatever the token",
    status: 200,
    answer: '`{"status":"ok"}`',
    send: ask("GET", nowhere, "/health"),
  },
  {
    state: "open",
    request: "GET /ready",
    status: 200,
    answer: '`{"status":"ready"}`',
    send: ask("GET", nowhere, "/ready"),
  },
  {
    state: "draining",
    request: "GET /ready after SIGTERM",
    status: 503,
    answer: "JSON-RPC error -32603, `Retry-After`",
    code: -32603,
    headers: RETRY,
    send: ask("GET", nowhere, "/ready"),
  },
  {
    state: "open",
    request: "GET /metrics",
    status: 200,
    answer: "numbers as Prometheus text",
    headers: { "Content-Type": /^text\/plain/ },
    send: ask("GET", nowhere, "/metrics"),
  },
  {
    state: "open",
    request: "any other path",
    status: 404,
    answer: "JSON-RPC error -32600",
    code: -32600,
    send: ask("GET", nowhere, "/"),
  },
];

export const HTTP_ANSWERS: readonly HttpAnswer[] = [...BEGIN, ...POSTS, ...STREAMS, ...OTHERS];
