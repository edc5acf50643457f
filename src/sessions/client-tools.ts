// The client's own files and terminals, as tools use them. Asked only where the client has the capability; a client that
// errs or stays silent is no failure: the tool then works on the disk, or runs the command here.
// https://agentclientprotocol.com/protocol/file-system https://agentclientprotocol.com/protocol/terminals

import type { ClientPort } from "../dispatch/client-port.ts";
import type { SessionId } from "../lib/ids.ts";
import { isRecord } from "../lib/json.ts";
import { log } from "../lib/log.ts";
import type { ClientFiles, ClientTerminal, ClientTerminalRun } from "../tools/tool.ts";

/** A client that has not answered by then is treated as one without the capability. */
export const CLIENT_ANSWER_MS = 10_000;
/** What follows the end of a command must not hold up a turn that is over: three of these fit into a second. */
const AFTER_END_MS = 300;

/** Never aborts: the request stands whether or not its answer is still waited for. */
const never = (): AbortSignal => new AbortController().signal;

/** The answer, or `undefined` after an error or silence. Rejects never. */
async function tryRequest(
  port: ClientPort,
  method: string,
  params: object,
  signal: AbortSignal,
): Promise<unknown> {
  try {
    return await port.request(method, params, signal);
  } catch (error) {
    log.debug(`The client did not do ${method}`, error instanceof Error ? error.message : error);
    return undefined;
  }
}

/** `work`, or `undefined` when it takes longer or `signal` aborts; the work goes on by itself. Never rejects if `work` does not. */
async function within<T>(
  ms: number,
  work: Promise<T>,
  signal: AbortSignal,
): Promise<T | undefined> {
  const { promise: given, resolve } = Promise.withResolvers<undefined>();
  const giveUp = () => resolve(undefined);
  const timer = setTimeout(giveUp, ms);
  signal.addEventListener("abort", giveUp, { once: true });
  if (signal.aborted) giveUp();
  try {
    return await Promise.race([work, given]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", giveUp);
  }
}

/** `answerMs`: how long each answer of the client is waited for. */
export function createClientFiles(
  port: ClientPort,
  sessionId: SessionId,
  answerMs = CLIENT_ANSWER_MS,
): ClientFiles | undefined {
  const { readTextFile, writeTextFile } = port.abilities();
  if (!readTextFile && !writeTextFile) return undefined;
  const ask = (method: string, params: object, signal: AbortSignal) =>
    tryRequest(port, method, params, AbortSignal.any([signal, AbortSignal.timeout(answerMs)]));
  return {
    canRead: readTextFile,
    canWrite: writeTextFile,
    readText: async (path, signal) => {
      const answer = await ask("fs/read_text_file", { sessionId, path }, signal);
      return isRecord(answer) && typeof answer["content"] === "string"
        ? answer["content"]
        : undefined;
    },
    writeText: async (path, content, signal) => {
      const answer = await ask("fs/write_text_file", { sessionId, path, content }, signal);
      // `null` is what clients of older protocol versions answer for success.
      return answer !== undefined;
    },
  };
}

type Ids = { readonly sessionId: SessionId; readonly terminalId: string };
type Finished = Awaited<ClientTerminalRun["finished"]>;

/** Sent whatever happens; the answer is waited for only shortly. A request that is given up would be cancelled at the client. */
function tell(port: ClientPort, method: string, ids: Ids): Promise<unknown> {
  return within(AFTER_END_MS, tryRequest(port, method, ids, never()), never());
}

async function waitForTerminal(
  port: ClientPort,
  ids: Ids,
  answerMs: number,
  signal: AbortSignal,
): Promise<Finished> {
  const exited = await waitForExit(port, ids, signal);
  if (exited === undefined) await tell(port, "terminal/kill", ids);
  const asking = tryRequest(port, "terminal/output", ids, never());
  const last = await within(signal.aborted ? AFTER_END_MS : answerMs, asking, never());
  const output = isRecord(last) && typeof last["output"] === "string" ? last["output"] : "";
  const truncated = isRecord(last) && last["truncated"] === true;
  const status =
    exited ?? (isRecord(last) && isRecord(last["exitStatus"]) ? last["exitStatus"] : {});
  const { exitCode, signal: killedBy } = status as {
    readonly exitCode?: unknown;
    readonly signal?: unknown;
  };
  return {
    output,
    truncated,
    ...(typeof exitCode === "number" ? { exitCode } : {}),
    ...(typeof killedBy === "string" ? { signal: killedBy } : {}),
  };
}

async function waitForExit(
  port: ClientPort,
  ids: Ids,
  signal: AbortSignal,
): Promise<Record<string, unknown> | undefined> {
  try {
    const answer = await port.request("terminal/wait_for_exit", ids, signal);
    return isRecord(answer) ? answer : {};
  } catch {
    // Cancelled, or the client failed: either way the command is killed and what it printed is taken.
    return undefined;
  }
}

const idOf = (created: unknown): string | undefined =>
  isRecord(created) && typeof created["terminalId"] === "string"
    ? created["terminalId"]
    : undefined;

/** `answerMs`: how long a terminal, and its last output, are waited for. */
export function createClientTerminal(
  port: ClientPort,
  sessionId: SessionId,
  answerMs = CLIENT_ANSWER_MS,
): ClientTerminal | undefined {
  if (!port.abilities().terminal) return undefined;
  return {
    run: async (command, { cwd, env, outputByteLimit }, signal) => {
      if (signal.aborted) return undefined;
      const params = {
        sessionId,
        command: "/bin/sh",
        args: ["-c", command],
        cwd,
        env: Object.entries(env).map(([name, value]) => ({ name, value })),
        outputByteLimit,
      };
      const creating = tryRequest(port, "terminal/create", params, never());
      const terminalId = idOf(await within(answerMs, creating, signal));
      if (terminalId === undefined) {
        void creating.then(endLate(port, sessionId));
        return undefined;
      }
      const ids = { sessionId, terminalId };
      return {
        terminalId,
        finished: waitForTerminal(port, ids, answerMs, signal),
        release: async () => void (await tell(port, "terminal/release", ids)),
      };
    },
  };
}

/** A terminal that comes when nobody waits for it any more is ended and given back. */
function endLate(port: ClientPort, sessionId: SessionId): (created: unknown) => Promise<void> {
  return async (created) => {
    const terminalId = idOf(created);
    if (terminalId === undefined) return;
    await tell(port, "terminal/kill", { sessionId, terminalId });
    await tell(port, "terminal/release", { sessionId, terminalId });
  };
}
