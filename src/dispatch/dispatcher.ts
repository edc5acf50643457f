// Method table → the SDK's `agent()` app, one app a connection. Requests and notifications go through the app's two
// fallback handlers, not one handler a method: the SDK tries its handlers one after the other with an await between
// them, so a cancel could overtake the prompt that came before it. This way messages start in the order they came.

import { type AgentRequestContext, RequestError, agent } from "@agentclientprotocol/sdk/unstable";
import type { ConnectionId } from "../lib/ids.ts";
import { log } from "../lib/log.ts";
import { type ClientAbilities, NO_ABILITIES } from "../protocol/capabilities.ts";
import { ERROR_CODES, RpcError, invalidRequest, requestCancelled } from "../protocol/errors.ts";
import { createClientPort } from "./client-port.ts";
import type { MessageStream } from "./message-stream.ts";
import type { Method, MethodContext } from "./method.ts";
import { orderStream } from "./ordering.ts";

export type Origin = { readonly transport: string; readonly connectionId: ConnectionId };

export type Connection = {
  readonly closed: Promise<void>;
  readonly close: (reason: string) => void;
  readonly resendOpenRequests: () => void;
  readonly denyOpenRequests: () => void;
};

export type DispatcherParts<Services> = {
  readonly methods: readonly Method<Services>[];
  readonly services: Services;
  /**
   * Called once a connection, when it ends; resolves when what it owned is released. True when its requests were ended,
   * so that their answers are on the way and worth waiting for.
   */
  readonly onClosing: (origin: Origin, reason: string) => Promise<boolean>;
};

export type Dispatcher = {
  /** `initialized`: the handshake is over already, and this is what the client can do. */
  readonly connect: (
    stream: MessageStream,
    origin: Origin,
    initialized?: ClientAbilities,
  ) => Connection;
};

/** How long the answers of ended requests may take to leave, for a client that still reads. */
const LAST_ANSWERS_MS = 1_000;
const INTERNAL_MESSAGE = "iac-code failed to handle the request; its log on stderr says why";

/** What a thrown value becomes on the wire; only RpcErrors speak for themselves. */
function toRequestError(error: unknown, method: string): RequestError {
  if (error instanceof RpcError) return new RequestError(error.code, error.message, error.data);
  log.error(`${method} failed`, error);
  return new RequestError(ERROR_CODES.internal, "Internal error", {
    kind: "internal",
    message: INTERNAL_MESSAGE,
  });
}

/** Refuses two methods that answer to one name. */
function indexMethods<Services>(
  methods: readonly Method<Services>[],
): ReadonlyMap<string, Method<Services>> {
  const byName = new Map<string, Method<Services>>();
  for (const method of methods) {
    for (const name of [method.name, ...method.aliases]) {
      if (byName.has(name)) throw new Error(`Two methods answer to ${name}`);
      byName.set(name, method);
    }
  }
  return byName;
}

export function createDispatcher<Services>(parts: DispatcherParts<Services>): Dispatcher {
  const byName = indexMethods(parts.methods);
  const shares = parts.methods.flatMap((method) => method.share ?? []);

  const connect = (
    stream: MessageStream,
    origin: Origin,
    initialized?: ClientAbilities,
  ): Connection => {
    const { connectionId } = origin;
    const ordered = orderStream(stream);
    let abilities = initialized;

    const handleRequest = async (request: AgentRequestContext<unknown>): Promise<object> => {
      const method = byName.get(request.method);
      if (abilities === undefined && request.method !== "initialize")
        throw invalidRequest("initialize must come first");
      if (method === undefined || method.kind !== "request") {
        throw new RpcError(
          ERROR_CODES.methodNotFound,
          `Method not found: ${request.method.slice(0, 200)}`,
        );
      }
      const works: (() => void)[] = [];
      const holds: string[] = [];
      const context: MethodContext = {
        client: port,
        signal: request.signal,
        afterResponse: (work) => void works.push(work),
        holdSession: (sessionId) => {
          holds.push(sessionId);
          ordered.hold(sessionId);
        },
        initialized: (value) => void (abilities = value),
        shares,
      };
      try {
        const result = { ...(await method.call(request.params, context, parts.services)) };
        ordered.afterResponse(result, () => {
          holds.forEach(ordered.release);
          for (const work of works) work();
        });
        return result;
      } catch (error) {
        // No response names these sessions, so nothing of them may be said.
        holds.forEach(ordered.drop);
        throw error;
      }
    };

    const handleNotification = async (name: string, params: unknown): Promise<void> => {
      const method = byName.get(name);
      if (method === undefined || method.kind !== "notification" || abilities === undefined) return;
      const context: MethodContext = {
        client: port,
        signal: connection.signal,
        afterResponse: () => undefined,
        holdSession: () => undefined,
        initialized: () => undefined,
        shares,
      };
      try {
        await method.call(params, context, parts.services);
      } catch (error) {
        // A notification has no answer; a client's fault is worth a line, ours a louder one.
        if (error instanceof RpcError) log.warn(`${name} ignored`, error.message);
        else log.error(`${name} failed`, error);
      }
    };

    const connection = agent({ name: "iac-code" })
      .onRequest("*", async (request) => {
        try {
          return await handleRequest(request);
        } catch (error) {
          throw toRequestError(
            request.signal.aborted && isAbort(error) ? requestCancelled() : error,
            request.method,
          );
        }
      })
      .onNotification("*", ({ method, params }) => handleNotification(method, params))
      .connect(ordered.stream);

    const port = createClientPort({
      connectionId,
      client: connection.client,
      ordered,
      abilities: () => abilities ?? NO_ABILITIES,
      closed: connection.signal,
    });

    let ending: Promise<void> | undefined;
    /** Lets go in order: what the connection owned, the answers that are still due, the connection itself. */
    const end = async (reason: string): Promise<void> => {
      const isAnswering = await parts.onClosing(origin, reason);
      if (isAnswering && !connection.signal.aborted) {
        const limit = Promise.withResolvers<void>();
        const timer = setTimeout(limit.resolve, LAST_ANSWERS_MS);
        await Promise.race([ordered.allAnswered(), limit.promise]);
        clearTimeout(timer);
      }
      ordered.end();
      connection.close();
    };

    return {
      closed: connection.closed.then(() => (ending ??= end("the client left"))),
      close: (reason) => {
        ending ??= end(reason);
        ending.catch((error: unknown) => log.error("A connection was not released", error));
      },
      resendOpenRequests: ordered.resendOpenRequests,
      denyOpenRequests: ordered.denyOpenRequests,
    };
  };
  return { connect };
}

function isAbort(error: unknown): boolean {
  return error instanceof RequestError || (error instanceof Error && error.name === "AbortError");
}
