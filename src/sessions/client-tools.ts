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
/** Releasing must not hold up a turn that is already over. */
const RELEASE_MS = 2_000;

/** The answer, or `undefined` after an error or silence. Rejects never. */
async function tryRequest(
  port: ClientPort,
  method: string,
  params: object,
  signal: AbortSignal,
): Promise<unknown> {
  try {
    return await port.request(
      method,
      params,
      AbortSignal.any([signal, AbortSignal.timeout(CLIENT_ANSWER_MS)]),
    );
  } catch (error) {
    log.debug(`The client did not do ${method}`, error instanceof Error ? error.message : error);
    return undefined;
  }
}

export function createClientFiles(port: ClientPort, sessionId: SessionId): ClientFiles | undefined {
  const { readTextFile, writeTextFile } = port.abilities();
  if (!readTextFile && !writeTextFile) return undefined;
  return {
    canRead: readTextFile,
    canWrite: writeTextFile,
    readText: async (path, signal) => {
      const answer = await tryRequest(port, "fs/read_text_file", { sessionId, path }, signal);
      return isRecord(answer) && typeof answer["content"] === "string"
        ? answer["content"]
        : undefined;
    },
    writeText: async (path, content, signal) => {
      const answer = await tryRequest(
        port,
        "fs/write_text_file",
        { sessionId, path, content },
        signal,
      );
      // `null` is what clients of older protocol versions answer for success.
      return answer !== undefined;
    },
  };
}

type Finished = Awaited<ClientTerminalRun["finished"]>;

async function waitForTerminal(
  port: ClientPort,
  ids: { readonly sessionId: SessionId; readonly terminalId: string },
  signal: AbortSignal,
): Promise<Finished> {
  const exited = await waitForExit(port, ids, signal);
  if (exited === undefined)
    await tryRequest(port, "terminal/kill", ids, AbortSignal.timeout(RELEASE_MS));
  const last = await tryRequest(
    port,
    "terminal/output",
    ids,
    AbortSignal.timeout(CLIENT_ANSWER_MS),
  );
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
  ids: object,
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

export function createClientTerminal(
  port: ClientPort,
  sessionId: SessionId,
): ClientTerminal | undefined {
  if (!port.abilities().terminal) return undefined;
  return {
    run: async (command, { cwd, env, outputByteLimit }, signal) => {
      const params = {
        sessionId,
        command: "/bin/sh",
        args: ["-c", command],
        cwd,
        env: Object.entries(env).map(([name, value]) => ({ name, value })),
        outputByteLimit,
      };
      const created = await tryRequest(port, "terminal/create", params, signal);
      if (!isRecord(created) || typeof created["terminalId"] !== "string") return undefined;
      const terminalId = created["terminalId"];
      const ids = { sessionId, terminalId };
      return {
        terminalId,
        finished: waitForTerminal(port, ids, signal),
        release: async () =>
          void (await tryRequest(port, "terminal/release", ids, AbortSignal.timeout(RELEASE_MS))),
      };
    },
  };
}
