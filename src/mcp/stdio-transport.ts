// A server as a child process: JSON lines on its stdin and stdout, in a process group of its own. What it says on stderr
// is read and forgotten but for its end, which tells why it died.
// https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#stdio

import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";
import { isRecord, parseJson } from "../lib/json.ts";
import { type GroupExit, type ProcessGroup, spawnGroup } from "../lib/process-group.ts";

/** One message; a server that sends a longer one is ended. */
export const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;
/** Kept of stderr. */
const STDERR_TAIL_BYTES = 4 * 1024;
/** A server may end by itself when its stdin closes; then TERM, this much later KILL. */
const LEAVE_MS = 300;
const TERMINATE_MS = 1_500;
/** After the exit a last message may still be in the pipe. */
const DRAIN_MS = 200;

/** What a server inherits of our environment: what a program needs to start and to reach the network, and no keys. */
const INHERITED =
  /^(HOME|LOGNAME|PATH|SHELL|TERM|USER|LANG|LC_\w+|TZ|TMPDIR|TEMP|TMP|XDG_\w+|SSL_CERT_(FILE|DIR)|NODE_EXTRA_CA_CERTS|https?_proxy|no_proxy|HTTPS?_PROXY|NO_PROXY|APPDATA|LOCALAPPDATA|PROGRAMFILES|SYSTEM(DRIVE|ROOT)|USERNAME|USERPROFILE|HOMEDRIVE|HOMEPATH|PROCESSOR_ARCHITECTURE|PATHEXT|COMSPEC)$/i;

export type StdioOptions = {
  readonly command: string;
  readonly args: readonly string[];
  /** The server's own settings; they win over what is inherited. */
  readonly env: Readonly<Record<string, string>>;
  readonly inherited: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
};

export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: Transport["onmessage"];
  readonly #options: StdioOptions;
  readonly #decoder = new TextDecoder();
  #group: ProcessGroup | undefined;
  #parts: Uint8Array[] = [];
  #partBytes = 0;
  #stderr = Buffer.alloc(0);
  #isClosed = false;
  readonly #ended = Promise.withResolvers<void>();
  /** Why it ended, for a person. */
  reason: string | undefined;

  constructor(options: StdioOptions) {
    this.#options = options;
  }

  /** Rejects when the program cannot be started. */
  async start(): Promise<void> {
    const { command, args, cwd } = this.#options;
    try {
      this.#group = spawnGroup([command, ...args], {
        cwd,
        env: this.#environment(),
        stdin: "pipe",
        output: {
          type: "pipes",
          onStdout: (chunk) => this.#read(chunk),
          onStderr: (chunk) => this.#keep(chunk),
        },
      });
    } catch (cause) {
      this.#isClosed = true;
      throw new Error(`the command ${command} was not found or cannot be run`, { cause });
    }
    void this.#watch(this.#group);
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const input = this.#isClosed ? undefined : this.#group?.input;
    if (input === undefined) throw new Error(this.reason ?? "the server does not run");
    try {
      input.write(`${JSON.stringify(message)}\n`);
    } catch (cause) {
      // A server that dies closes its input a moment before its exit is known, and the exit says why.
      await Promise.race([this.#ended.promise, Bun.sleep(LEAVE_MS)]);
      throw new Error(this.reason ?? "it does not read its input any more", { cause });
    }
  }

  /** Ends the server and everything it started; resolves when nothing of it is left. */
  async close(): Promise<void> {
    const group = this.#group;
    if (group !== undefined) {
      group.input?.close();
      await Promise.race([group.exited, Bun.sleep(LEAVE_MS)]);
      await group.terminate(TERMINATE_MS);
      await group.closeOutput();
    }
    this.#end();
  }

  #environment(): Record<string, string> {
    const { inherited, env } = this.#options;
    const kept = Object.entries(inherited).flatMap(([name, value]) =>
      value !== undefined && INHERITED.test(name) ? [[name, value] as const] : [],
    );
    return { ...Object.fromEntries(kept), ...env };
  }

  async #watch(group: ProcessGroup): Promise<void> {
    const exit = await group.exited;
    await Promise.race([group.drained, Bun.sleep(DRAIN_MS)]);
    this.reason ??= this.#describe(exit);
    this.#end();
    // What the server started goes with it.
    await group.terminate(TERMINATE_MS);
    await group.closeOutput();
  }

  #describe({ exitCode, signal }: GroupExit): string {
    const how = signal === undefined ? `exit code ${exitCode ?? "unknown"}` : `signal ${signal}`;
    const words = this.#decoder.decode(this.#stderr).trim();
    const lines = words.split("\n").filter((line) => line.trim() !== "");
    // Runtimes print the error, then a stack and their own version: the error says most.
    const said = lines.findLast((line) => /error|cannot|not found|denied|fail/i.test(line));
    const last = said ?? lines.at(-1);
    return last === undefined ? `it ended with ${how}` : `it ended with ${how}: ${last.trim()}`;
  }

  #read(chunk: Uint8Array): void {
    let rest = chunk;
    for (let at = rest.indexOf(10); at !== -1 && !this.#isClosed; at = rest.indexOf(10)) {
      this.#parts.push(rest.subarray(0, at));
      const line = this.#decoder.decode(Buffer.concat(this.#parts));
      this.#parts = [];
      this.#partBytes = 0;
      rest = rest.subarray(at + 1);
      this.#receive(line);
    }
    if (rest.byteLength === 0 || this.#isClosed) return;
    this.#parts.push(rest);
    this.#partBytes += rest.byteLength;
    if (this.#partBytes <= MAX_MESSAGE_BYTES) return;
    this.reason = `it sent a message over ${MAX_MESSAGE_BYTES / 1024 / 1024} MiB`;
    this.#parts = [];
    void this.close();
    this.#end();
  }

  #receive(line: string): void {
    if (line.trim() === "") return;
    const message = parseJson(line);
    // Many servers print a greeting on stdout; that is no reason to give them up.
    if (isRecord(message)) this.onmessage?.(message as JSONRPCMessage);
    else this.onerror?.(new Error("a line on stdout is no JSON-RPC message"));
  }

  #keep(chunk: Uint8Array): void {
    this.#stderr = Buffer.concat([this.#stderr, chunk]).subarray(-STDERR_TAIL_BYTES);
  }

  #end(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#ended.resolve();
    this.onclose?.();
  }
}
