// The program over stdio for benchmarks, with a client that does as little as a client can: no schema is checked, no
// message kept, and an update is only looked at by who asks for it. So what is measured is the program.

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type JsonValue, isRecord } from "../../src/lib/json.ts";
import { type AgentProcess, spawnAgent } from "../support/agent-process.ts";
import { tempDir } from "../support/temp-dir.ts";

const UPDATE = '{"jsonrpc":"2.0","method":"session/update"';

type Answer = Record<string, unknown>;

export type Program = AsyncDisposable & {
  readonly pid: number;
  /** Sends a request; rejects with the error's text, or when the program ends. */
  readonly request: (method: string, params: JsonValue) => Promise<Answer>;
  /** A new session in `cwd`; resolves with its id. */
  readonly newSession: (cwd: string) => Promise<string>;
  readonly prompt: (sessionId: string, text: string) => Promise<Answer>;
  /** Calls `listener` with each `session/update`, as the JSON text it came as. One listener. */
  readonly onUpdate: (listener: (line: string) => void) => void;
};

export type ProgramOptions = {
  readonly env?: Readonly<Record<string, string>>;
  /** `config.json` of its home. */
  readonly config?: JsonValue;
  /** Writes what the program shall find in its home before it starts. */
  readonly prepare?: (home: string) => Promise<void>;
};

/** A config.json with one model, whose window holds any history that a benchmark makes. */
export function configOf(model: { readonly url: string; readonly apiKey: string }): JsonValue {
  const fake = {
    baseUrl: model.url,
    apiKey: model.apiKey,
    models: [{ id: "fake-model", contextWindow: 4_000_000 }],
  };
  return { model: "fake/fake-model", providers: { fake } };
}

/** Starts the program with a home of its own and shakes hands; disposing ends it and removes the home. */
export async function startProgram(options: ProgramOptions = {}): Promise<Program> {
  const home = await tempDir();
  const folder = join(home.path, ".iac-code");
  mkdirSync(folder, { mode: 0o700 });
  if (options.config !== undefined)
    writeFileSync(join(folder, "config.json"), JSON.stringify(options.config), { mode: 0o600 });
  await options.prepare?.(home.path);
  const env = { IACCODE_LOG: "error", ...options.env };
  const child = await spawnAgent("stdio", { env, home: home.path });
  const program = talkTo(child, home);
  await program.request("initialize", { protocolVersion: 1, clientCapabilities: {} });
  return program;
}

type Pending = { readonly resolve: (result: Answer) => void; readonly reject: (e: Error) => void };

function talkTo(process: AgentProcess, home: AsyncDisposable): Program {
  const { child } = process;
  const pending = new Map<unknown, Pending>();
  let listener: ((line: string) => void) | undefined;
  let lastId = 0;
  const take = (line: string): void => {
    if (line.startsWith(UPDATE)) return listener?.(line);
    const message = JSON.parse(line) as Answer;
    const waiting = pending.get(message["id"]);
    pending.delete(message["id"]);
    const { error, result } = message;
    if (isRecord(error)) waiting?.reject(new Error(JSON.stringify(error)));
    else waiting?.resolve(isRecord(result) ? result : {});
  };
  const reading = eachLine(child.stdout, take).finally(async () => {
    const code = await child.exited;
    for (const { reject } of pending.values())
      reject(new Error(`The program ended with ${code}:\n${process.stderr()}`));
  });
  const request: Program["request"] = async (method, params) => {
    const id = (lastId += 1);
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    pending.set(id, { resolve, reject });
    void child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    await child.stdin.flush();
    return promise;
  };
  return {
    pid: child.pid,
    request,
    newSession: async (cwd) =>
      String((await request("session/new", { cwd, mcpServers: [] }))["sessionId"]),
    prompt: (sessionId, text) =>
      request("session/prompt", { sessionId, prompt: [{ type: "text", text }] }),
    onUpdate: (given) => void (listener = given),
    [Symbol.asyncDispose]: async () => {
      await child.stdin.end();
      await process[Symbol.asyncDispose]();
      await reading;
      await home[Symbol.asyncDispose]();
    },
  };
}

/** Calls `take` with each line of the stream, as it comes. */
export async function eachLine(
  stream: ReadableStream<Uint8Array>,
  take: (line: string) => void,
): Promise<void> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of stream) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) take(line);
  }
}

/** Resident memory of a process in bytes (Linux; NaN elsewhere). */
export function residentBytes(pid: number): number {
  try {
    const kb = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
    return Number(kb) * 1_024;
  } catch {
    // No /proc on this system.
    return Number.NaN;
  }
}

/** Milliseconds that `work` takes. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}
