// How a connection begins: by a POST of `initialize`, or by a WebSocket upgrade.

import type { AnyRequest } from "@agentclientprotocol/sdk/unstable";
import type { Server } from "bun";
import type { Connections } from "./connections.ts";
import type { HttpOptions } from "./http-options.ts";
import { CONNECTION_HEADER, failure, unavailable } from "./reply.ts";
import type { Host } from "./transport.ts";
import type { SocketData } from "./websocket.ts";
import { withLimit } from "./with-limit.ts";

export type RouteContext = {
  readonly options: HttpOptions;
  readonly connections: Connections;
  readonly host: Host;
};

export type HttpServer = Server<SocketData>;

/** Makes a connection, waits for the answer, and keeps the connection only when it is a result. */
export async function initialize(
  message: AnyRequest,
  request: Request,
  { options, connections }: RouteContext,
): Promise<Response> {
  if (connections.isDraining) return unavailable("The server is draining", message.id);
  if (connections.isFull) return unavailable("Too many connections are open", message.id);
  const connection = connections.create("http");
  connection.receive(message);
  if (!(await withLimit(connection.initialization.answer, options.initializeMs))) {
    void connection.close("initialize took too long");
    const limit = `initialize was not answered within ${options.initializeMs} ms`;
    return failure(limit, { status: 504, code: -32603, id: message.id });
  }
  const answer = await connection.initialization.answer;
  const isKept = connection.initialization.isDone && !request.signal.aborted;
  if (!isKept) void connection.close("initialize failed or nobody waited for its answer");
  return Response.json(answer, isKept ? { headers: { [CONNECTION_HEADER]: connection.id } } : {});
}

/** Makes a connection of the socket that the request becomes; undefined when it did. */
export function upgrade(
  request: Request,
  server: HttpServer,
  { options, connections }: RouteContext,
): Response | undefined {
  if (connections.isDraining) return unavailable("The server is draining");
  if (connections.isFull) return unavailable("Too many connections are open");
  const connection = connections.create("websocket");
  const data = { connection, initializeMs: options.initializeMs };
  const headers = { [CONNECTION_HEADER]: connection.id };
  if (server.upgrade(request, { data, headers })) return undefined;
  void connection.close("the upgrade failed");
  return failure("Bad request: the WebSocket upgrade is not valid", { status: 400 });
}
