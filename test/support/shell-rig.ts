// The program inside a shell pipeline, where its pipes can be closed, left unread or held by others. Linux only.

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AgentProcess } from "./agent-process.ts";

/** The longest that any end may take: the contract's ten seconds, and as much again for a machine that is busy. */
const END_MS = 20_000;
const POLL_MS = 20;

export type ShellRig = AgentProcess & {
  /** The program's process id. */
  readonly pid: () => Promise<number>;
  /** Text the script wrote to descriptor 3. */
  readonly report: () => Promise<string>;
};

export const INITIALIZE_LINE =
  '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}\n';

export const loadLine = (sessionId: string, cwd: string): string =>
  `${JSON.stringify({ jsonrpc: "2.0", id: 2, method: "session/load", params: { sessionId, cwd, mcpServers: [] } })}\n`;

/**
 * Runs a bash script with `$@` the program and its sub-command, in a process group of its own. The script writes the
 * program's id to `$PID` and what the test waits for to `$REPORT`.
 */
export function shellRig(
  command: readonly string[],
  script: string,
  env: Readonly<Record<string, string>> = {},
): ShellRig {
  const home = mkdtempSync(join(tmpdir(), "iac-code-shell-"));
  const files = { PID: join(home, "pid"), REPORT: join(home, "report") };
  const child = Bun.spawn(["bash", "-c", `${script}`, "rig", ...command, "acp"], {
    stdin: "pipe",
    stdout: "pipe",
    stderr: "pipe",
    detached: true,
    env: {
      PATH: process.env["PATH"] ?? "",
      HOME: home,
      IACCODE_HOME: join(home, ".iac-code"),
      ...files,
      ...env,
    },
  });
  let stderr = "";
  const reading = (async () => {
    const decoder = new TextDecoder();
    for await (const chunk of child.stderr) stderr += decoder.decode(chunk, { stream: true });
  })();
  const written = async (file: string): Promise<string> => {
    for (const deadline = Date.now() + END_MS; Date.now() < deadline; await Bun.sleep(POLL_MS)) {
      const text = readText(file);
      if (text.endsWith("\n")) return text.trim();
    }
    throw new Error(`The script did not write ${file}: ${stderr}`);
  };
  return {
    home,
    child,
    url: "",
    stderr: () => stderr,
    pid: async () => Number(await written(files.PID)),
    report: () => written(files.REPORT),
    [Symbol.asyncDispose]: async () => {
      try {
        // The other ends of the pipeline outlive what is tested.
        process.kill(-child.pid, "SIGKILL");
      } catch {
        // All of it has ended.
      }
      await child.exited;
      await reading;
      rmSync(home, { recursive: true, force: true });
    },
  };
}

/** Starts the program as a child of the shell that runs this, and notes its id. */
export const START = 'sh -c \'echo $$ >"$PID"; exec "$@"\' sh "$@"';

function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    // Not there yet, or its process is gone.
    return "";
  }
}

/** The fields after the command's name. https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html */
const statOf = (pid: number): string[] => {
  const stat = readText(`/proc/${pid}/stat`);
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
};

export const isRunning = (pid: number): boolean => !["", "Z", "X"].includes(statOf(pid)[0] ?? "");

/** Processor time used so far, in hundredths of a second. */
export const ticksOf = (pid: number): number => Number(statOf(pid)[11]) + Number(statOf(pid)[12]);

export const residentMib = (pid: number): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readText(`/proc/${pid}/status`))?.[1] ?? 0) / 1024;

/** Calls `meanwhile` again and again until the process is gone. */
export async function untilEnded(
  pid: number,
  meanwhile: () => void = () => undefined,
): Promise<void> {
  for (const deadline = Date.now() + END_MS; isRunning(pid); await Bun.sleep(POLL_MS)) {
    if (Date.now() > deadline) throw new Error("The program did not end");
    meanwhile();
  }
}
