// A server's question to the user while it works on a call, handed on to whoever can show forms. The answer goes to the
// server and to nobody else. https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation

import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import type { JsonObject } from "../lib/json.ts";
import type { Sdk } from "./open-transport.ts";

export type ServerQuestion = {
  readonly server: string;
  readonly message: string;
  /** JSON Schema of a flat object, as the server sent it. */
  readonly schema: JsonObject;
};

export type ServerAnswer = {
  readonly action: "accept" | "decline" | "cancel";
  readonly content?: Readonly<Record<string, string | number | boolean | string[]>>;
};

export type Forms = {
  /** Whether the client that is there now can show forms. */
  readonly canAsk: () => boolean;
  /** Never rejects. */
  readonly ask: (question: ServerQuestion, signal: AbortSignal) => Promise<ServerAnswer>;
};

/** Answers the server's questions; those that come while nothing was asked of it are none of the user's business. */
export function answerQuestions(
  client: Client,
  sdk: Sdk,
  parts: { readonly server: string; readonly forms: Forms; readonly isCalling: () => boolean },
): void {
  const { server, forms, isCalling } = parts;
  client.setRequestHandler(sdk.ElicitRequestSchema, async ({ params }, { signal }) => {
    if (!("requestedSchema" in params) || !isCalling()) return { action: "cancel" };
    const schema = params.requestedSchema as JsonObject;
    const { action, content } = await forms.ask(
      { server, message: params.message, schema },
      signal,
    );
    return action === "accept" ? { action, content: { ...content } } : { action };
  });
}
