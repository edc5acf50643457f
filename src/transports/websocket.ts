// The WebSocket form of /acp: one connection a socket, one JSON-RPC message a text frame, both ways. A socket
// that breaks counts as a lost stream; a socket that is closed properly ends its connection.

import type { ServerWebSocket, WebSocketHandler } from "bun";
import type { AnyMessage } from "@agentclientprotocol/sdk/unstable";
import type { HttpConnection, OpenedStream } from "./http-connection.ts";
import { decodeMessage, isRequest, toErrorMessage } from "./message.ts";
import type { OutEvent } from "./lane.ts";
import type { StreamWriter, Written } from "./pump.ts";

export type SocketData = {
  readonly connection: HttpConnection;
  /** How long the client has until `initialize` is answered. */
  readonly initializeMs: number;
  stream?: OpenedStream;
  initializeTimer?: NodeJS.Timeout;
  /** Set while the socket takes no more; resolves when it does again or is gone. */
  drained?: PromiseWithResolvers<void> | undefined;
};

type Socket = ServerWebSocket<SocketData>;

/** Bytes in the socket's own buffer above which we wait, so that unread bytes stay where they are counted. */
const SOCKET_BUFFER_BYTES = 256 * 1024;
/** Unread short answers above which a socket is cut. */
const ANSWER_BUFFER_BYTES = 1024 * 1024;
/** Above anything that our own bound lets through. */
const RUNTIME_LIMIT_BYTES = 1024 ** 3;
const CLOSE_NORMAL = 1000;
/** What a close frame without a code counts as. */
const CLOSE_NO_CODE = 1005;
const CLOSE_GOING_AWAY = 1001;
const CLOSE_UNSUPPORTED = 1003;
const CLOSE_POLICY = 1008;

/** The handlers of every socket. `maxPayloadBytes` closes a socket that sends a larger frame. */
export function socketHandlers(maxPayloadBytes: number): WebSocketHandler<SocketData> {
  return {
    maxPayloadLength: maxPayloadBytes,
    // Our own bound counts; the runtime's must not drop frames before it.
    backpressureLimit: RUNTIME_LIMIT_BYTES,
    perMessageDeflate: false,
    open: openSocket,
    message: takeFrame,
    drain: (socket) => socket.data.drained?.resolve(),
    close: closeSocket,
  };
}

function openSocket(socket: Socket): void {
  const { data } = socket;
  const stream = data.connection.openStream(undefined);
  if (stream === undefined) return socket.close(CLOSE_GOING_AWAY, "The connection is gone");
  data.stream = stream;
  data.initializeTimer = setTimeout(() => {
    if (data.connection.initialization.isDone) return;
    socket.close(CLOSE_POLICY, "initialize was not answered in time");
    void data.connection.close("initialize was not answered in time");
  }, data.initializeMs);
  void stream.run(toWriter(socket)).finally(() => {
    // Frames that a client does not read would hold a polite close back for ever.
    if (socket.getBufferedAmount() > 0) socket.terminate();
    else socket.close(CLOSE_GOING_AWAY, "The connection has ended");
  });
}

function takeFrame(socket: Socket, frame: string | Buffer): void {
  const { connection } = socket.data;
  if (typeof frame !== "string") return socket.close(CLOSE_UNSUPPORTED, "Send text frames");
  const decoded = decodeMessage(frame);
  if (decoded.type === "fault") answer(socket, toErrorMessage(decoded.fault));
  if (decoded.type !== "message") return;
  const { message } = decoded;
  if (connection.receive(message) || !isRequest(message)) return;
  const text = "The server is busy or stopping, send it again later";
  const busy = { code: -32603, id: message.id, message: text };
  answer(socket, toErrorMessage(busy));
}

/** Our own short answers pass the outbox by; who sends rubbish and reads nothing is cut off. */
function answer(socket: Socket, message: AnyMessage): void {
  if (socket.getBufferedAmount() > ANSWER_BUFFER_BYTES) socket.terminate();
  else socket.send(JSON.stringify(message));
}

function closeSocket(socket: Socket, code: number): void {
  const { connection, stream, initializeTimer, drained } = socket.data;
  clearTimeout(initializeTimer);
  stream?.lost();
  drained?.resolve();
  // A turn that runs goes on when the network broke, and a new connection can load its session.
  const isProper = code === CLOSE_NORMAL || code === CLOSE_NO_CODE;
  if (isProper) void connection.close("the client closed the socket");
  else if (connection.inFlight === 0) void connection.close("the socket was lost");
}

function toWriter(socket: Socket): StreamWriter {
  const send = async (events: readonly OutEvent[]): Promise<void> => {
    for (const { data } of events) {
      if (socket.readyState !== WebSocket.OPEN) throw new Error("The socket is closed");
      socket.send(data);
      if (socket.getBufferedAmount() <= SOCKET_BUFFER_BYTES) continue;
      socket.data.drained = Promise.withResolvers();
      await socket.data.drained.promise;
      socket.data.drained = undefined;
    }
  };
  const ping = (): Written => {
    // The runtime pings only before its own limit of 120 s, and proxies cut a quiet socket sooner.
    socket.ping();
    return undefined;
  };
  // A socket has nothing to replay.
  return { open: (): Written => undefined, send, ping };
}
