// Rules of bytes, streams and processes, by id, in the form of requirements.ts: contract 3 (errors), 6 (the end) and 8.

import type { Requirement } from "./requirement.ts";

const STDIO = { transports: ["stdio"], not: "of pipes only" } as const;
const HTTP = {
  transports: ["http", "http-sessions"],
  not: "of HTTP and its streams only",
} as const;
const SOCKET = { transports: ["websocket"], not: "of WebSocket only" } as const;
/** One listener, one door. */
const NET = {
  transports: ["http", "http-sessions", "websocket"],
  not: "stdio serves the one process that started it",
} as const;

export const WIRE_REQUIREMENTS = {
  // Input
  "input/rubbish": {
    source: "contract 2, 3, L2",
    rule: "text, numbers, broken envelopes and answers to nothing never end the connection",
  },
  "input/bytes": {
    source: "contract 3",
    rule: "a line that comes a byte at a time, its characters cut anywhere, is one message",
    transports: ["stdio"],
    not: "only stdin is a stream of bytes; frames and bodies come whole",
  },
  "input/half-line": {
    source: "contract 3, L2",
    rule: "half a line waits for its other half, and the last line may lack its end",
    transports: ["stdio"],
    not: "only stdin has lines",
  },
  "input/too-long-line": {
    source: "contract 3",
    rule: "a line over 64 MiB is one -32600, skipped to its end, and its length costs no memory",
    transports: ["stdio"],
    not: "bodies and frames have their own limit",
  },
  "input/too-long-body": {
    source: "contract 8",
    rule: "a body over the limit is 413 with -32600, and the connection goes on",
    transports: ["http", "http-sessions"],
    not: "only HTTP has bodies",
  },
  "input/too-long-frame": {
    source: "contract 8",
    rule: "a frame over the limit ends its socket and nothing else",
    transports: ["websocket"],
    not: "only WebSocket has frames",
  },
  "input/long-message": {
    source: "contract 3, B1, B6",
    rule: "a prompt of eight megabytes passes",
  },
  "input/unknown-members": {
    source: "contract 3",
    rule: "unknown members of any object are passed over",
  },
  "input/duplicate-ids": {
    source: "contract 3",
    rule: "requests in flight with one id get an answer each",
  },
  "input/initialize-again": {
    source: "contract 3, H12",
    rule: "a second initialize is answered and loses nothing",
  },
  // HTTP, streams and sockets
  "http/initialize": {
    source: "contract 8",
    rule: "POST initialize answers 200 with the JSON-RPC response and a UUIDv4 connection id",
    ...HTTP,
    file: "transports/http.test.ts",
  },
  "http/others": {
    source: "contract 8",
    rule: "POST of anything else answers 202 and empty; the answer comes on the stream",
    ...HTTP,
    file: "transports/http.test.ts",
  },
  "http/walk-through": {
    source: "spec 001",
    rule: "the walk-through of the documents works with curl, word for word",
    ...HTTP,
    file: "transports/http.test.ts",
  },
  "http/unknown-connection": {
    source: "contract 2, 8, H12",
    rule: "a missing or unknown connection is 400, and 404 for a client that sends Acp-Session-Id",
    ...HTTP,
    file: "transports/http.test.ts",
  },
  "http/bad-body": {
    source: "contract 8, H12",
    rule: "a body that is no JSON-RPC request is 400 with the JSON-RPC error",
    ...HTTP,
    file: "transports/http.test.ts",
  },
  "http/types": {
    source: "contract 8, H12",
    rule: "a wrong content type is 415 and an Accept without event-stream is 406",
    ...HTTP,
    file: "transports/http.test.ts",
  },
  "http/body-limit": {
    source: "contract 8",
    rule: "a body over the limit is 413, declared or chunked, and is not read to its end",
    ...HTTP,
    file: "transports/http.test.ts",
  },
  "http/slow-body": {
    source: "contract 8",
    rule: "a body that stops coming is 408",
    ...HTTP,
    file: "transports/http.test.ts",
  },
  "http/methods": {
    source: "contract 8, H12",
    rule: "other methods and paths are 405 and 404",
    ...HTTP,
    file: "transports/http.test.ts",
  },
  "http/delete": {
    source: "contract 8, H9",
    rule: "DELETE answers 200 when everything is released, ends the stream, and a second one is 400",
    ...HTTP,
    file: "transports/http.test.ts",
  },
  "http/failed-initialize": {
    source: "contract 8",
    rule: "initialize that fails keeps no connection, and one without an answer is 504",
    ...HTTP,
    file: "transports/http.test.ts",
  },
  "http/full": {
    source: "contract 8",
    rule: "more connections than allowed are 503 with Retry-After until one ends",
    ...NET,
    file: "transports/http.test.ts",
  },
  "http/token": {
    source: "contract 8, H10",
    rule: "a token is asked of every request but /health, in its exact form",
    ...NET,
    file: "transports/http.test.ts",
  },
  "http/origins": {
    source: "contract 8",
    rule: "a foreign Host or Origin is 403, loopback names and allowed ones pass",
    ...NET,
    file: "transports/http.test.ts",
  },
  "http/preflight": {
    source: "contract 8",
    rule: "OPTIONS answers a preflight of an allowed origin only, without asking for the token",
    ...NET,
    file: "transports/http.test.ts",
  },
  "http/drain": {
    source: "contract 8",
    rule: "draining refuses new connections and requests, lets answers pass, and ends with the last request",
    ...NET,
    file: "transports/http.test.ts",
  },
  "http/tls": {
    source: "contract 8",
    rule: "TLS serves HTTPS (skipped without openssl)",
    ...NET,
    file: "transports/listening.test.ts",
  },
  "http/unix-socket": {
    source: "contract 8",
    rule: "a unix socket is 0600, takes the place of a dead one, and goes away at the end",
    ...NET,
    file: "transports/listening.test.ts",
  },
  "sse/headers": {
    source: "contract 8, H3",
    rule: "a stream begins at once, forbids buffering, and is not compressed",
    ...HTTP,
    file: "transports/streams.test.ts",
  },
  "sse/ping": {
    source: "contract 8, H2",
    rule: "a quiet stream gets a ping",
    ...HTTP,
    file: "transports/streams.test.ts",
  },
  "sse/lanes": {
    source: "contract 8",
    rule: "a session's messages and answers go to its own stream once one is open, else to the connection's",
    ...HTTP,
    file: "transports/streams.test.ts",
  },
  "sse/early": {
    source: "contract 8",
    rule: "what was said before the first stream waits for it",
    ...HTTP,
    file: "transports/streams.test.ts",
  },
  "sse/replaced": {
    source: "contract 8",
    rule: "a newer stream replaces the older one, which is ended",
    ...HTTP,
    file: "transports/streams.test.ts",
  },
  "sse/grace-end": {
    source: "contract 8, H6",
    rule: "when the grace ends questions are denied, running work is not cancelled, and the id is gone",
    ...HTTP,
    file: "transports/streams.test.ts",
  },
  "sse/idle-end": {
    source: "contract 8, H9",
    rule: "connections that nobody uses end after the idle time, and those with a stream stay",
    ...NET,
    file: "transports/streams.test.ts",
  },
  "sse/unread": {
    source: "contract 8, H13",
    rule: "a client that reads nothing is given up after 16 MiB, its turn goes on, and others do not notice",
    ...HTTP,
    file: "transports/streams.test.ts",
  },
  "sse/replay": {
    source: "contract 8, H5",
    rule: "a turn of 10,000 events over 100 lost streams arrives without a gap and without a double",
    ...HTTP,
    file: "acp/sse.test.ts",
  },
  "sse/resync": {
    source: "contract 8, H5",
    rule: "what fell out of the ring is told by one resync, and the session loads whole",
    ...HTTP,
    file: "acp/sse.test.ts",
  },
  "sse/grace": {
    source: "contract 8, H6",
    rule: "the grace denies an open question, ends the connection, and the turn goes on and is stored",
    ...HTTP,
    file: "acp/sse.test.ts",
  },
  "http/drain-turn": {
    source: "contract 8",
    rule: "SIGTERM lets a running turn end, then ends with 0",
    ...NET,
    file: "acp/sse.test.ts",
  },
  "http/drain-limit": {
    source: "contract 8",
    rule: "a turn that outlives --drain is cancelled, answered and ends the program with 0",
    ...NET,
    file: "acp/sse.test.ts",
  },
  "http/metrics": {
    source: "contract 8",
    rule: "/ready, /health and /metrics tell of connections, sessions, turns, tokens and bytes",
    ...NET,
    file: "acp/sse.test.ts",
  },
  "http/proxy": {
    source: "contract 8, H2, H3",
    rule: "a buffering nginx with a read timeout of 15 s passes a quiet turn of the program (skipped without nginx)",
    ...HTTP,
    file: "acp/proxies.test.ts",
  },
  "http/http2": {
    source: "contract 8",
    rule: "--http2 serves a turn over HTTP/2",
    ...HTTP,
    file: "acp/proxies.test.ts",
  },
  "sse/ring": {
    source: "contract 8, H5",
    rule: "the ring is bounded by bytes too, and does not take what an open stream has yet to send",
    ...HTTP,
    file: "transports/outbox.test.ts",
  },
  "sse/exact-or-resync": {
    source: "contract 8, H5",
    rule: "any order of pushes, losses and returns is exact or says resync, and every bound holds",
    ...HTTP,
    file: "transports/outbox.test.ts",
  },
  "socket/frames": {
    source: "contract 8",
    rule: "a socket carries the same messages as text frames, both ways",
    ...SOCKET,
    file: "transports/websocket.test.ts",
  },
  "socket/gate": {
    source: "contract 8",
    rule: "a socket needs the token and an allowed origin, and counts as a connection",
    ...SOCKET,
    file: "transports/websocket.test.ts",
  },
  "socket/ping": {
    source: "contract 8, H2",
    rule: "a quiet socket gets a ping",
    ...SOCKET,
    file: "transports/websocket.test.ts",
  },
  "socket/initialize": {
    source: "contract 8",
    rule: "a socket on which initialize is not answered in time is closed",
    ...SOCKET,
    file: "transports/websocket.test.ts",
  },
  "socket/broken": {
    source: "contract 8, H6",
    rule: "a socket that breaks leaves its running work alone until the grace ends",
    ...SOCKET,
    file: "transports/websocket.test.ts",
  },
  "socket/unread": {
    source: "contract 8, H13",
    rule: "a socket that reads nothing is cut after the unsent limit, and its work is not cancelled",
    ...SOCKET,
    file: "transports/websocket.test.ts",
  },
  "client/ndjson": {
    source: "contract 2, architecture",
    rule: "the SDK's ndJsonStream drives a whole turn",
    ...STDIO,
    file: "acp/clients.test.ts",
  },
  "client/python": {
    source: "contract 2, architecture",
    rule: "the Python SDK drives a whole turn (skipped without the package agent-client-protocol)",
    ...STDIO,
    file: "acp/clients.test.ts",
  },
  "client/http": {
    source: "contract 2, architecture",
    rule: "the SDK's createHttpStream drives a whole turn",
    ...HTTP,
    file: "acp/clients.test.ts",
  },
  "client/websocket": {
    source: "contract 2, architecture",
    rule: "the SDK's createWebSocketStream drives a whole turn",
    ...SOCKET,
    file: "acp/clients.test.ts",
  },
  "abuse/half-open": {
    source: "contract 8",
    rule: "a thousand half-open requests cost little, delay nobody and are cut",
    ...NET,
    file: "acp/abuse.test.ts",
  },
  "http/answers": {
    source: "contract 8, H12",
    rule: "docs/http.md says what these tests send",
    ...NET,
    file: "acp/http-answers.test.ts",
  },
  "http/bind": {
    source: "contract 8, H10",
    rule: "an address beyond loopback without a token is refused: exit 1, and what to do",
    ...NET,
    file: "acp/abuse.test.ts",
  },
  "abuse/flood": {
    source: "contract 8, H9",
    rule: "connections that are opened and left are bounded by --max-connections, and ends make room",
    ...NET,
    file: "acp/abuse.test.ts",
  },
  "error/internal-no-leak": {
    source: "contract 3",
    rule: "a store that cannot be opened is -32603 without a stack, a path or the system's error, which the log has",
  },
  "process/ends": {
    source: "contract 6, X1, X2, X3",
    rule: "an end in the middle of a command answers the turn, ends the command, stores both and exits with 0",
    ...STDIO,
    file: "support/process-stories.ts",
  },
  "process/broken-stdout": {
    source: "contract 6, X4",
    rule: "a reader that goes away ends the program once, with 0 and without a word",
    ...STDIO,
    file: "support/process-stories.ts",
  },
  "process/broken-stderr": {
    source: "contract 6, X4",
    rule: "a stderr that nobody reads costs no turn, no output and no busy loop",
    ...STDIO,
    file: "support/process-stories.ts",
  },
  "process/empty-input": {
    source: "contract 6, X1",
    rule: "an empty stdin ends the program with 0 and not a byte",
    ...STDIO,
    file: "support/process-stories.ts",
  },
  "process/parent": {
    source: "contract 6, X3",
    rule: "a parent that vanishes ends the program and its command, though others hold the pipe",
    ...STDIO,
    file: "support/process-stories.ts",
  },
  "process/second-signal": {
    source: "contract 6",
    rule: "a second signal ends the program at once, as if it had no handler",
    ...STDIO,
    file: "support/process-stories.ts",
  },
  "process/late-reader": {
    source: "contract 6, B3",
    rule: "a client that reads nothing for 5 s while a load replays 20 MB gets every line whole",
    ...STDIO,
    file: "support/process-stories.ts",
  },
  "process/never-reader": {
    source: "contract 6, B3",
    rule: "a client that reads nothing, ever, does not hold the program back when its input ends",
    ...STDIO,
    file: "support/process-stories.ts",
  },
  "stdio/parent": {
    source: "contract 6, X3",
    rule: "a vanished parent ends the process though stdin stays open",
    ...STDIO,
    file: "transports/stdio.test.ts",
  },
  "stdio/linear": {
    source: "contract 3, B1",
    rule: "a long line in small pieces takes time linear in its length",
    ...STDIO,
    file: "transports/ndjson.test.ts",
  },
  "stdio/any-cutting": {
    source: "contract 3",
    rule: "LineDecoder gives the same messages for any cutting into chunks",
    ...STDIO,
    file: "transports/ndjson.test.ts",
  },
  // The end of a connection
  "life/eof-answers": {
    source: "contract 6, X1, X2",
    rule: "the end of stdin cancels the running turn, answers it, and the program ends with 0",
    transports: ["stdio"],
    not: "only stdio has an end of input",
  },
  "life/delete-stops": {
    source: "contract 8",
    rule: "a client that ends its connection leaves no process behind",
  },
  "life/stream-lost": {
    source: "contract 8, H6",
    rule: "a turn goes on without its client, is stored, and another connection can load it",
    transports: ["http", "http-sessions"],
    not: "see socket/broken for WebSocket; on stdio the end of the client is the end of the program",
  },
} as const satisfies Readonly<Record<string, Requirement>>;
