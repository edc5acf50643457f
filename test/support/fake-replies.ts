// What a scripted model says, as data. The server in fake-model.ts turns it into bytes of either API.

import type { JsonValue } from "../../src/lib/json.ts";

export type FakeUsage = {
  readonly input: number;
  readonly output: number;
  readonly cached?: number;
  readonly reasoning?: number;
};

/** `args` that are a string are sent as they are, so that a test can send broken ones. */
export type FakeCall = { readonly name: string; readonly args: JsonValue; readonly id?: string };

export type FakeMessage = {
  readonly type: "message";
  readonly text?: string;
  readonly thought?: string;
  readonly calls?: readonly FakeCall[];
  /** Pieces the text is streamed in: the pieces themselves, or how many. Default: words. */
  readonly deltas?: readonly string[] | number;
  /** Default `tool_calls` with calls, else `stop`. */
  readonly finish?: string;
  /** Default: a quarter of the request's and the answer's length. */
  readonly usage?: FakeUsage;
  /** After the first piece the stream waits for this. */
  readonly hold?: Promise<unknown>;
};

export type FakeReply =
  | FakeMessage
  /** Raw body, each chunk its own packet where the system allows; ends without an error. */
  | {
      readonly type: "chunks";
      readonly chunks: readonly (string | Uint8Array)[];
      readonly contentType: string;
      /** `hang`: the connection stays open after the last chunk; `reset`: it dies. */
      readonly end: "close" | "hang" | "reset";
      /** A reset waits for this, so that what was sent before it arrives. Default: 50 ms. */
      readonly when?: Promise<unknown>;
    }
  | {
      readonly type: "status";
      readonly status: number;
      readonly headers: Readonly<Record<string, string>>;
      readonly body: string;
    }
  /** Never answers; not even with headers. */
  | { readonly type: "silence" };

type MessageOptions = Omit<FakeMessage, "type" | "text" | "thought" | "calls">;
type Body = Omit<FakeMessage, "type">;

/** Any message: text, thought and calls together. */
export const say = (body: Body): FakeMessage => ({ type: "message", ...body });

export const text = (
  content: string,
  options: MessageOptions & { thought?: string } = {},
): FakeMessage => say({ text: content, ...options });

export const thought = (content: string, options: Omit<Body, "thought"> = {}): FakeMessage =>
  say({ thought: content, ...options });

export const toolCall = (
  name: string,
  args: JsonValue = {},
  options: MessageOptions & { id?: string; text?: string; thought?: string } = {},
): FakeMessage => {
  const { id, ...rest } = options;
  return say({ calls: [{ name, args, ...(id !== undefined && { id }) }], ...rest });
};

export const calls = (
  list: readonly FakeCall[],
  options: MessageOptions & { text?: string; thought?: string } = {},
): FakeMessage => say({ calls: list, ...options });

export const chunks = (
  list: readonly (string | Uint8Array)[],
  options: { contentType?: string; end?: "close" | "hang" | "reset"; when?: Promise<unknown> } = {},
): FakeReply => ({
  type: "chunks",
  chunks: list,
  contentType: "text/event-stream",
  end: "close",
  ...options,
});

/** An HTTP error (or any status). A body that is not a string is sent as JSON. */
export const status = (
  code: number,
  headers: Readonly<Record<string, string>> = {},
  body: JsonValue = { error: { message: `scripted status ${code}`, type: "scripted" } },
): FakeReply => ({
  type: "status",
  status: code,
  headers: typeof body === "string" ? headers : { "content-type": "application/json", ...headers },
  body: typeof body === "string" ? body : JSON.stringify(body),
});

const FIRST_PIECE = `data: {"choices":[{"index":0,"delta":{"role":"assistant","content":"Begun"}}]}\n\n`;

/** `headers`: nothing at all comes; `mid`: one piece of text (`Begun`, or the given chunks), then silence. */
export const hang = (
  where: "headers" | "mid",
  before: readonly string[] = [FIRST_PIECE],
): FakeReply => (where === "headers" ? { type: "silence" } : chunks(before, { end: "hang" }));

/**
 * The connection dies after these chunks (by default after one piece of text, `Begun`). A dead connection takes with it
 * what the client has not read yet: pass `when`, resolved by what the test has seen, where that matters.
 */
export const reset = (
  afterChunks: readonly string[] = [FIRST_PIECE],
  when?: Promise<unknown>,
): FakeReply => chunks(afterChunks, { end: "reset", ...(when !== undefined && { when }) });

/** One `data:` event of a chat-completions stream with one choice. */
export const chatEvent = (delta: JsonValue, finish: string | null = null): string =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;

export const DONE = "data: [DONE]\n\n";
