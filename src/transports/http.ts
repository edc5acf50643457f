// ACP over HTTP: requests in by POST, messages out by server-sent events, or both by WebSocket. Binding and the
// life of the server live here; answers are http-routes.ts, connections are connections.ts.

import { unlink } from "node:fs/promises";
import type { Server } from "bun";
import { log } from "../lib/log.ts";
import { assertMayBind } from "./auth.ts";
import { Connections } from "./connections.ts";
import { HTTP_DEFAULTS, type HttpOptions } from "./http-options.ts";
import { ACP_PATH, route } from "./http-routes.ts";
import { failure } from "./reply.ts";
import type { Host, Listener } from "./transport.ts";
import { removeStaleSocket, servePrivately } from "./unix-socket.ts";
import { type SocketData, socketHandlers } from "./websocket.ts";

type HttpServer = Server<SocketData>;

/**
 * Serves until disposed. Rejects with a readable Error when it would be open without a token, the address is
 * taken or a certificate cannot be used.
 */
export async function openHttp(given: Partial<HttpOptions>, host: Host): Promise<Listener> {
  const wanted = { ...HTTP_DEFAULTS, ...given };
  assertMayBind(wanted);
  // Who is bound to a name may be called by it; a wildcard address is no name.
  const options = { ...wanted, allowHosts: [...wanted.allowHosts, ...ownNames(wanted.hostname)] };
  const connections = new Connections(host, options);
  const server = await bind(options, connections, host);
  const done = Promise.withResolvers<void>();
  const stop = async (): Promise<void> => {
    await connections.closeAll("disposed");
    await server.stop(true);
    if (options.socket !== undefined) await unlink(options.socket).catch(() => undefined);
    done.resolve();
  };
  let stopping: Promise<void> | undefined;
  return {
    done: done.promise,
    address: toAddress(options, server),
    drain: (signal) => connections.drain(signal),
    [Symbol.asyncDispose]: () => (stopping ??= stop()),
  };
}

async function bind(
  options: HttpOptions,
  connections: Connections,
  host: Host,
): Promise<HttpServer> {
  const { socket, hostname, port } = options;
  const shared = {
    fetch: (request: Request, server: HttpServer) =>
      route(request, server, { options, connections, host }),
    // The runtime's own error page would show the exception.
    development: false,
    error: (error: Error) => {
      log.error("a request failed", error);
      return failure("Internal error", { status: 500, code: -32603 });
    },
    // Our own limit counts the bytes and answers in JSON-RPC.
    maxRequestBodySize: Number.MAX_SAFE_INTEGER,
    websocket: socketHandlers(options.maxBodyBytes),
    ...(await tlsOf(options)),
  };
  // Bun 1.4.5 turns SO_REUSEPORT on with `development: false`: two servers would share the port unseen.
  const onPort = { hostname, port, reusePort: false, ...(options.http2 ? { http2: true } : {}) };
  try {
    if (socket === undefined) return Bun.serve<SocketData>({ ...shared, ...onPort });
    await removeStaleSocket(socket);
    return servePrivately(socket, () => Bun.serve<SocketData>({ ...shared, unix: socket }));
  } catch (error) {
    const place = socket ?? `${hostname}:${port}`;
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(`Cannot listen on ${place}: ${why}`, { cause: error });
  }
}

async function tlsOf({ tls }: HttpOptions): Promise<{ tls?: { cert: string; key: string } }> {
  if (tls === undefined) return {};
  const read = (flag: string, file: string) =>
    Bun.file(file)
      .text()
      .catch((error: unknown) => {
        throw new Error(`Cannot read the file ${file} of --${flag}`, { cause: error });
      });
  return {
    tls: { cert: await read("tls-cert", tls.certFile), key: await read("tls-key", tls.keyFile) },
  };
}

function ownNames(hostname: string): readonly string[] {
  const isWildcard = ["0.0.0.0", "::", "[::]", ""].includes(hostname);
  if (isWildcard) return [];
  return [hostname.includes(":") && !hostname.startsWith("[") ? `[${hostname}]` : hostname];
}

function toAddress({ socket, hostname, tls }: HttpOptions, server: HttpServer): string {
  if (socket !== undefined) return `unix:${socket}`;
  const name = hostname.includes(":") && !hostname.startsWith("[") ? `[${hostname}]` : hostname;
  return `${tls === undefined ? "http" : "https"}://${name}:${server.port}${ACP_PATH}`;
}
