// A program in a pseudo-terminal, as a person has it in front of them: what it shows, and keys to press.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export type Pty = AsyncDisposable & {
  /** Everything that was written to the terminal so far, line ends as `\n`. */
  readonly text: () => string;
  /** Resolves when `pattern` was written after what the last `until` found; rejects after 30 s with what was there instead. */
  readonly until: (pattern: string | RegExp) => Promise<void>;
  readonly type: (keys: string) => void;
  readonly kill: (signal: NodeJS.Signals) => void;
  readonly exited: Promise<number>;
};

export type PtyOptions = {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly columns?: number;
};

const WAIT_MS = 30_000;
const LAST_WORDS_MS = 500;

/** Runs a line of sh in a terminal of its own. */
export function openPty(line: string, { cwd, env = {}, columns = 80 }: PtyOptions): Pty {
  const home = mkdtempSync(join(tmpdir(), "iac-code-pty-"));
  const waiters = new Set<() => void>();
  let text = "";
  let found = 0;
  const decoder = new TextDecoder();
  const child = Bun.spawn(["sh", "-c", line], {
    cwd,
    env: {
      PATH: process.env["PATH"] ?? "",
      TERM: "xterm-256color",
      HOME: home,
      IACCODE_HOME: join(home, ".iac-code"),
      OLLAMA_HOST: "127.0.0.1:9",
      ...env,
    },
    terminal: {
      cols: columns,
      rows: 40,
      data: (_terminal, data) => {
        text += decoder.decode(data, { stream: true }).replaceAll("\r\n", "\n");
        for (const waiter of waiters) waiter();
      },
    },
  });
  const look = (pattern: string | RegExp): boolean => {
    const rest = text.slice(found);
    const match = typeof pattern === "string" ? rest.indexOf(pattern) : rest.search(pattern);
    if (match < 0) return false;
    found += match + 1;
    return true;
  };
  return {
    text: () => text,
    until: (pattern) =>
      new Promise((resolve, reject) => {
        const fail = () => {
          clearTimeout(timer);
          waiters.delete(waiter);
          reject(new Error(`The terminal never showed ${String(pattern)}:\n${text}`));
        };
        const timer = setTimeout(fail, WAIT_MS);
        // What the program wrote last may come after its end.
        void child.exited.then(() => setTimeout(fail, LAST_WORDS_MS));
        const waiter = () => {
          if (!look(pattern)) return;
          clearTimeout(timer);
          waiters.delete(waiter);
          resolve();
        };
        waiters.add(waiter);
        waiter();
      }),
    type: (keys) => void child.terminal?.write(keys),
    kill: (signal) => child.kill(signal),
    exited: child.exited,
    [Symbol.asyncDispose]: async () => {
      if (child.exitCode === null) child.kill("SIGKILL");
      await child.exited;
      child.terminal?.close();
      rmSync(home, { recursive: true, force: true });
    },
  };
}
