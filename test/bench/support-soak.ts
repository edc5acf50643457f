// What the soak's model server answers: every way of real endpoints, drawn by a seeded generator. No clock, no chance.

import {
  type FakeReply,
  type FakeRequest,
  DONE,
  calls,
  chatEvent,
  chunks,
  hang,
  reset,
  say,
  status,
  text,
  toolCall,
} from "../support/fake-model.ts";

export type Random = {
  /** In [0, 1). */
  readonly next: () => number;
  readonly pick: <T>(list: readonly [T, ...T[]]) => T;
};

/** mulberry32: small, fast and the same everywhere. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  return {
    next,
    pick: ([first, ...rest]) => [first, ...rest][Math.floor(next() * (rest.length + 1))] ?? first,
  };
}

/** What a request is answered with, and whether only a cancel can end it. */
export type Drawn = { readonly name: string; readonly reply: FakeReply; readonly hangs?: true };

const error = (message: string, code: string) => ({ error: { message, type: code, code } });
/** Real endpoints that want to be asked again soon say so. */
const SOON = { "retry-after-ms": "5" };
const WORDS = "The module was read, changed and validated; nothing else was touched. ";
const piece = chatEvent({ role: "assistant", content: "Begun" });
const event = (data: object): string => `data: ${JSON.stringify(data)}\n\n`;
const delta = (tool_calls: readonly object[], finish: string | null = null): string =>
  event({ choices: [{ index: 0, delta: { tool_calls }, finish_reason: finish }] });
const ended = (finish = "stop"): string =>
  event({ choices: [{ index: 0, delta: {}, finish_reason: finish }] }) + DONE;
const bytesOf = (body: string): string[] => Array.from(body);

type Draw = (random: Random, request: FakeRequest) => FakeReply;

/** Whole answers with calls; the conversation goes on behind them. */
const CALLS: Readonly<Record<string, Draw>> = {
  read: () => toolCall("read_file", { path: "main.tf" }, { text: "I look.", thought: "Where?" }),
  "read a missing file": () => toolCall("read_file", { path: "gone.tf" }),
  "parallel reads": () =>
    calls([
      { name: "read_file", args: { path: "main.tf" } },
      { name: "glob", args: { pattern: "*.tf" } },
      { name: "iac_map", args: { query: "summary" } },
      { name: "bash", args: { command: "echo soak" } },
    ]),
  "an edit": ({ next }) =>
    calls([
      { name: "read_file", args: { path: "main.tf" } },
      {
        name: "write_file",
        args: { path: `new-${Math.floor(next() * 5)}.tf`, content: `# ${next()}\n` },
      },
    ]),
  "a command that changes": () => toolCall("bash", { command: "touch made-by-soak" }),
  "a failing command": () => toolCall("bash", { command: "echo no >&2; exit 3" }),
  "a command in the background": () => toolCall("bash", { command: "sleep 300", background: true }),
  "a large output": () => toolCall("bash", { command: "seq 1 40000" }),
  validate: () => toolCall("iac_validate", { level: "fast" }),
  "a sub-agent": () => toolCall("agent", { prompt: "Look at main.tf", description: "look" }),
  "an unknown tool": () => toolCall("no_such_tool", { a: 1 }),
  "wrong arguments": () => toolCall("read_file", { file: "main.tf" }),
  "arguments that are cut": () => toolCall("bash", '{"command": "echo ha'),
  "arguments that are no object": ({ pick }) =>
    toolCall("bash", pick(["[1]", "null", '"x"', " , "])),
  "arguments as an object": () =>
    chunks([
      delta([
        { index: 0, id: "a", function: { name: "read_file", arguments: { path: "main.tf" } } },
      ]),
      ended("tool_calls"),
    ]),
  "deltas without index": () =>
    chunks([
      delta([{ id: "a", function: { name: "read_file", arguments: '{"path":' } }]),
      delta([{ function: { arguments: '"main.tf"}' } }]),
      delta([{ id: "b", function: { name: "bash", arguments: '{"command":"echo b"}' } }]),
      ended("stop"),
    ]),
  "empty ids and repeated names": () =>
    chunks([
      delta([{ index: 0, id: "a", function: { name: "bash", arguments: "" } }]),
      delta([{ index: 0, id: "", function: { name: "bash", arguments: '{"comm' } }]),
      delta([{ index: 0, id: "", function: { name: "", arguments: 'and":"echo c"}' } }]),
      ended("tool_calls"),
    ]),
  "a call without an end": () =>
    chunks([
      delta([{ index: 0, id: "a", function: { name: "bash", arguments: '{"command":"ls"}' } }]),
    ]),
  "a call cut at the limit": () =>
    toolCall("write_file", { path: "cut.tf", content: "x" }, { finish: "length" }),
  "a call written as text": () =>
    text('<tool_call>{"name":"read_file","arguments":{"path":"main.tf"}}</tool_call>'),
  "think tags": () =>
    chunks([
      ...["<th", "ink>hm", "m</th", "ink>", "Then."].map((content) => chatEvent({ content })),
      delta([{ index: 0, id: "t", function: { name: "bash", arguments: '{"command":"echo t"}' } }]),
      ended(),
    ]),
};

/** Answers that end a turn, well or badly. */
const ENDS: Readonly<Record<string, Draw>> = {
  text: () => text(WORDS, { thought: "Enough." }),
  "long text": () => text(WORDS.repeat(120)),
  "text cut at the limit": () => text("It goes on and", { finish: "length" }),
  refusal: () => text("I cannot.", { finish: "content_filter" }),
  nothing: () => say({}),
  "only a thought": () => say({ thought: "Hm." }),
  "usage of a cut prompt": () => text("Yes.", { usage: { input: 50, output: 3 } }),
  "one-byte packets": () =>
    chunks(
      bytesOf(
        `\uFEFF: hello\r\ndata:${JSON.stringify({ choices: [{ delta: { content: "多e" } }] })}\r\n\r\n${ended()}`,
      ),
    ),
  "no [DONE]": () => chunks([piece, event({ choices: [{ delta: {}, finish_reason: "stop" }] })]),
  "JSON instead of a stream": () =>
    chunks(
      [
        JSON.stringify({
          choices: [{ message: { role: "assistant", content: "Whole." }, finish_reason: "stop" }],
        }),
      ],
      { contentType: "application/json" },
    ),
  "usage without choices": () =>
    chunks([
      piece,
      event({ choices: null, usage: { prompt_tokens: 900, completion_tokens: 2 } }),
      ended(),
    ]),
  "a stream that breaks behind text": () => chunks([piece]),
  "a reset behind text": () => reset([piece]),
  "an error behind text": () => chunks([piece, event(error("overloaded", "server_error"))]),
  "a wrong key": () => status(401, {}, error("Incorrect API key", "invalid_api_key")),
  "no credit": () => status(429, SOON, error("quota", "insufficient_quota")),
  "a missing model": () => status(404, {}, error("no such model", "model_not_found")),
  "a bad request": () => status(400, {}, error("no", "invalid_request_error")),
  "a web page": () => chunks(["<!DOCTYPE html><html></html>"], { contentType: "text/html" }),
};

/** Failures that are tried again. */
const RETRIED: Readonly<Record<string, Draw>> = {
  "429": () => status(429, SOON, error("slow down", "rate_limit_exceeded")),
  "500": () => status(500, SOON),
  "503": () => status(503, SOON),
  "529": () => status(529, SOON),
  "408": () => status(408, SOON),
  "409": () => status(409, SOON),
  overflow: () => status(400, {}, error("exceeds the available context size", "context")),
  "an error before text": () => chunks([event(error("overloaded", "server_error"))]),
  "a stream that breaks before text": () => chunks([chatEvent({ role: "assistant", content: "" })]),
  "a reset before text": () => reset([]),
};

const HANGS: Readonly<Record<string, Draw>> = {
  "silence before the headers": () => hang("headers"),
  "silence behind text": () => hang("mid"),
  "a command that does not end": () => toolCall("bash", { command: "cat /dev/zero > /dev/null" }),
};

export const FAULTS: readonly string[] = [CALLS, ENDS, RETRIED, HANGS].flatMap((table) =>
  Object.keys(table),
);

function drawFrom(table: Readonly<Record<string, Draw>>, random: Random, request: FakeRequest) {
  const names = Object.keys(table);
  const name = names[Math.floor(random.next() * names.length)] ?? "";
  const draw = table[name];
  return { name, reply: draw === undefined ? text("Yes.") : draw(random, request) };
}

/** `depth`: requests of this turn so far; a turn that has had many is brought to its end. */
export function drawReply(random: Random, request: FakeRequest, depth: number): Drawn {
  if (request.toolNames.length === 0)
    return random.next() < 0.3
      ? { name: "an empty summary", reply: text("") }
      : { name: "a summary", reply: text("They worked on main.tf.") };
  if (depth > 8) return { name: "text", reply: text(WORDS) };
  const kind = random.next();
  if (kind < 0.5) return drawFrom(CALLS, random, request);
  if (kind < 0.85) return drawFrom(ENDS, random, request);
  if (kind < 0.96) return drawFrom(RETRIED, random, request);
  return { ...drawFrom(HANGS, random, request), hangs: true };
}
