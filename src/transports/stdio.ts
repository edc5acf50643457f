// ACP over stdin and stdout, one message a line. One process serves one client; the end of stdin is the end.
// Bytes and lines are ndjson.ts and line-writer.ts; nothing here knows a method.
// https://agentclientprotocol.com/protocol/transports

import type { AnyMessage } from "@agentclientprotocol/sdk/unstable";
import { newUuid, toConnectionId } from "../lib/ids.ts";
import { log } from "../lib/log.ts";
import type { Transport } from "./flags.ts";
import { InFlight } from "./in-flight.ts";
import { type ByteSink, LineWriter, MAX_UNSENT_BYTES } from "./line-writer.ts";
import { type Decoded, isRequest, toErrorMessage } from "./message.ts";
import { type ByteReader, LineDecoder, MAX_LINE_BYTES, encodeLine } from "./ndjson.ts";
import { PARENT_POLL_MS, watchParent } from "./parent-watch.ts";
import { aborted, withLimit } from "./with-limit.ts";
import type { Connection, Host, Listener, MessageStream } from "./transport.ts";

export type StdioOptions = {
  /** Default MAX_LINE_BYTES, 64 MiB. */
  readonly maxLineBytes?: number;
  /** Unsent bytes above which a write waits for the client. Default 1 MiB. */
  readonly maxUnsentBytes?: number;
  /** How long after the end of stdin running requests may still end by themselves. Default 500 ms. */
  readonly endGraceMs?: number;
  /** How long a closed connection may take to release everything. Default 9,000 ms, within the 10 s of the contract. */
  readonly releaseLimitMs?: number;
  /** How long at the end a client may read nothing before the rest is given up. Default 5,000 ms. */
  readonly flushStallMs?: number;
  /** Default 2,000 ms. */
  readonly parentPollMs?: number;
};

export type StdioPipes = {
  readonly stdin: ByteReader;
  readonly stdout: ByteSink;
};

const END_GRACE_MS = 500;
const RELEASE_LIMIT_MS = 9_000;
const FLUSH_STALL_MS = 5_000;
/** Messages read ahead of the host; the pipe holds the rest back. */
const READ_AHEAD_MESSAGES = 16;

/**
 * Serves one connection on the pipes, by default those of this process. `done` resolves when stdin ended (or
 * stdout broke, or the parent vanished), the connection has released everything and every byte was written.
 */
export function openStdio(
  options: StdioOptions,
  host: Host,
  pipes: StdioPipes = ownPipes(),
): Listener {
  const writer = new LineWriter(pipes.stdout, options.maxUnsentBytes ?? MAX_UNSENT_BYTES);
  const inFlight = new InFlight();
  const ended = Promise.withResolvers<string>();
  const input = pipes.stdin;
  let isDraining = false;
  let faultTaken: Promise<void> | undefined;
  const send = (message: AnyMessage) => writer.write(encodeLine(message));
  const receive = (decoded: Decoded): AnyMessage | undefined => {
    if (decoded.type === "message") {
      const { message } = decoded;
      if (isDraining && isRequest(message)) {
        void send(
          toErrorMessage({ code: -32603, id: message.id, message: "The agent is stopping" }),
        );
        return undefined;
      }
      inFlight.received(message);
      return message;
    }
    if (decoded.type === "fault") faultTaken = send(toErrorMessage(decoded.fault));
    else log.debug(`stdin: ignored ${decoded.reason}`);
    return undefined;
  };
  const stream: MessageStream = {
    readable: readMessages(input, new LineDecoder(options.maxLineBytes ?? MAX_LINE_BYTES), {
      receive,
      ready: () => faultTaken,
      onEnd: () => ended.resolve("stdin ended"),
    }),
    writable: new WritableStream({
      write: (message) => {
        inFlight.sent(message);
        return send(message);
      },
    }),
  };
  const origin = { transport: "stdio", connectionId: toConnectionId(newUuid()) };
  const connection = host.connect(stream, origin);
  void writer.broken.then(() => ended.resolve("stdout broke"));
  void connection.closed.then(() => ended.resolve("the connection was closed"));
  const parent = watchParent(
    () => ended.resolve("the parent process vanished"),
    options.parentPollMs ?? PARENT_POLL_MS,
  );
  const done = end({ ended: ended.promise, connection, inFlight, writer, options }).finally(() => {
    parent[Symbol.dispose]();
    // A pending read would keep the process alive when something else than EOF ended it.
    input.cancel().catch(() => undefined);
  });
  return {
    done,
    drain: (signal) => {
      isDraining = true;
      return Promise.race([inFlight.idle(), aborted(signal)]);
    },
    [Symbol.asyncDispose]: () => {
      ended.resolve("disposed");
      return done;
    },
  };
}

type Ending = {
  readonly ended: Promise<string>;
  readonly connection: Connection;
  readonly inFlight: InFlight;
  readonly writer: LineWriter;
  readonly options: StdioOptions;
};

/** Waits for the first reason to end, then lets go in order: quick answers, the connection, the last bytes. */
async function end({ ended, connection, inFlight, writer, options }: Ending): Promise<void> {
  const reason = await ended;
  // `printf '…' | iac-code acp` closes stdin right behind its request and still wants the answer.
  if (reason === "stdin ended")
    await withLimit(inFlight.idle(), options.endGraceMs ?? END_GRACE_MS);
  connection.close(reason);
  const released = await withLimit(connection.closed, options.releaseLimitMs ?? RELEASE_LIMIT_MS);
  if (!released) log.warn(`stdio: the connection was not released in time after "${reason}"`);
  await writer.flushed(options.flushStallMs ?? FLUSH_STALL_MS);
}

type Receiver = {
  readonly receive: (decoded: Decoded) => AnyMessage | undefined;
  /** What the next read waits for: a peer of endless rubbish must take its answers. */
  readonly ready: () => Promise<void> | undefined;
  readonly onEnd: () => void;
};

/**
 * Reads only when the host wants more. The stream stays open at the end of input: an SDK connection drops its
 * unanswered requests when its stream ends, and how they end is the host's to say, through `close`.
 */
function readMessages(
  input: ByteReader,
  decoder: LineDecoder,
  { receive, ready, onEnd }: Receiver,
): ReadableStream<AnyMessage> {
  const enqueueAll = (
    controller: ReadableStreamDefaultController<AnyMessage>,
    all: Iterable<Decoded>,
  ): boolean => {
    let any = false;
    for (const decoded of all) {
      const message = receive(decoded);
      if (message === undefined) continue;
      controller.enqueue(message);
      any = true;
    }
    return any;
  };
  let isAtEnd = false;
  const pull = async (controller: ReadableStreamDefaultController<AnyMessage>): Promise<void> => {
    while (!isAtEnd) {
      await ready();
      const { value, done } = await input.read().catch(() => ({ value: undefined, done: true }));
      if (value !== undefined && enqueueAll(controller, decoder.push(value))) return;
      if (!done) continue;
      isAtEnd = true;
      enqueueAll(controller, decoder.end());
      onEnd();
    }
  };
  return new ReadableStream({ pull }, { highWaterMark: READ_AHEAD_MESSAGES });
}

function ownPipes(): StdioPipes {
  return { stdin: Bun.stdin.stream().getReader(), stdout: Bun.stdout.writer() };
}

export const stdio: Transport = {
  name: "stdio",
  help: "one client on stdin and stdout, one JSON-RPC message a line",
  flags: {},
  open: (_values, { host }) => Promise.resolve(openStdio({}, host)),
};
