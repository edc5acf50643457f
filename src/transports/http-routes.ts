// What each request to the HTTP transport gets: the table of the contract, in its order of checks.

import { refuseToken } from "./auth.ts";
import { readBody } from "./body.ts";
import { type HttpServer, initialize, type RouteContext, upgrade } from "./http-begin.ts";
import type { HttpConnection } from "./http-connection.ts";
import { isRequest } from "./message.ts";
import { toMetricsText } from "./metrics.ts";
import { corsHeaders, preflight, refuseOrigin } from "./origins.ts";
import { accepted, CONNECTION_HEADER, failure, SESSION_HEADER, unavailable } from "./reply.ts";
import { acceptsEventStream, sseResponse } from "./sse.ts";
import type { AnyMessage } from "@agentclientprotocol/sdk/unstable";

export const ACP_PATH = "/acp";
/** Seconds for the last bytes to a client whose stream we ended, before its socket is cut. */
const ENDED_STREAM_SECONDS = 10;

/** Answers a request; undefined when it became a WebSocket. */
export async function route(
  request: Request,
  server: HttpServer,
  context: RouteContext,
): Promise<Response | undefined> {
  const path = new URL(request.url).pathname;
  if (path === "/health") return health(request);
  const { options } = context;
  const refusal = refuseOrigin(request, options);
  if (refusal !== undefined) return refusal;
  const response =
    preflight(request) ??
    refuseToken(request, options.token) ??
    (await routeAllowed(path, request, server, context));
  if (response === undefined) return undefined;
  for (const [name, value] of Object.entries(corsHeaders(request)))
    response.headers.set(name, value);
  return response;
}

async function routeAllowed(
  path: string,
  request: Request,
  server: HttpServer,
  context: RouteContext,
): Promise<Response | undefined> {
  const { connections, host } = context;
  const isRead = request.method === "GET" || request.method === "HEAD";
  if (path === "/ready" && isRead)
    return connections.isDraining
      ? unavailable("The server is draining")
      : Response.json({ status: "ready" });
  if (path === "/metrics" && isRead) {
    const headers = { "Content-Type": "text/plain; version=0.0.4; charset=utf-8" };
    return new Response(toMetricsText({ ...host.gauges(), ...connections.gauges() }), { headers });
  }
  if (path !== ACP_PATH && path !== "/ready" && path !== "/metrics")
    return failure(`Not found: the agent is at ${ACP_PATH}`, { status: 404 });
  if (path === ACP_PATH && request.method === "POST") return post(request, server, context);
  if (path === ACP_PATH && request.method === "GET") return get(request, server, context);
  if (path === ACP_PATH && request.method === "DELETE") return remove(request, context);
  const allow = path === ACP_PATH ? "GET, POST, DELETE" : "GET, HEAD";
  return failure(`Method not allowed: ${request.method}`, {
    status: 405,
    headers: { Allow: allow },
  });
}

function health(request: Request): Response {
  if (request.method === "GET" || request.method === "HEAD") return Response.json({ status: "ok" });
  return failure(`Method not allowed: ${request.method}`, {
    status: 405,
    headers: { Allow: "GET, HEAD" },
  });
}

async function post(
  request: Request,
  server: HttpServer,
  context: RouteContext,
): Promise<Response> {
  const { options } = context;
  // The body has its own idle limit and initialize its own time limit.
  server.timeout(request, 0);
  const body = await readBody(request, {
    maxBytes: options.maxBodyBytes,
    idleMs: options.bodyIdleMs,
  });
  if (body.type === "refused") return body.response;
  const { decoded } = body;
  if (decoded.type === "fault")
    return failure(decoded.fault.message, { status: 400, ...decoded.fault });
  if (decoded.type === "ignored")
    return failure(`Invalid request: ${decoded.reason}`, { status: 400 });
  const { message } = decoded;
  const isFirst = isRequest(message) && message.method === "initialize";
  if (isFirst && !request.headers.get(CONNECTION_HEADER))
    return initialize(message, request, context);
  const connection = connectionOf(request, context, message);
  if (connection instanceof Response) return connection;
  const id = isRequest(message) ? message.id : null;
  if (!connection.receive(message))
    return unavailable("The server is busy or stopping, send it again later", id);
  return accepted();
}

async function get(
  request: Request,
  server: HttpServer,
  context: RouteContext,
): Promise<Response | undefined> {
  if (request.headers.get("Upgrade")?.toLowerCase() === "websocket")
    return upgrade(request, server, context);
  if (!acceptsEventStream(request.headers.get("Accept")))
    return failure("Not acceptable: the answer is text/event-stream", { status: 406 });
  const connection = connectionOf(request, context);
  if (connection instanceof Response) return connection;
  const sessionId = request.headers.get(SESSION_HEADER) || undefined;
  const lastEventId = request.headers.get("Last-Event-ID") ?? undefined;
  server.timeout(request, 0);
  const stream = connection.openStream(sessionId, lastEventId);
  if (stream === undefined) return unavailable("This connection has too many session streams");
  request.signal.addEventListener("abort", stream.lost, { once: true });
  if (request.signal.aborted) stream.lost();
  const headers = { [CONNECTION_HEADER]: connection.id };
  return sseResponse(
    headers,
    (writer) => stream.run(writer).finally(() => server.timeout(request, ENDED_STREAM_SECONDS)),
    stream.lost,
  );
}

async function remove(request: Request, context: RouteContext): Promise<Response> {
  const connection = connectionOf(request, context);
  if (connection instanceof Response) return connection;
  await connection.close("the client deleted the connection");
  return new Response(null, { status: 200 });
}

/** The connection that the request names, or the failure to answer with. */
function connectionOf(
  request: Request,
  { connections }: RouteContext,
  message?: AnyMessage,
): HttpConnection | Response {
  const id = message !== undefined && isRequest(message) ? message.id : null;
  const name = request.headers.get(CONNECTION_HEADER);
  if (!name)
    return failure(`Bad request: send the ${CONNECTION_HEADER} header that initialize gave`, {
      status: 400,
      id,
    });
  const connection = connections.get(name);
  if (connection !== undefined) return connection;
  // Clients of the Streamable HTTP draft connect again on 404 only.
  const status = request.headers.has(SESSION_HEADER) ? 404 : 400;
  return failure("Unknown connection: it ended or never was; initialize again", { status, id });
}
