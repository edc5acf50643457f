// Questions on a terminal: one line, and one line that is not shown. Both on stderr, so that stdout stays for results.

import { createInterface } from "node:readline/promises";

/** What the person typed, trimmed; `undefined` when they ended the input or pressed Ctrl-C. */
export async function askLine(question: string, signal: AbortSignal): Promise<string | undefined> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  const closed = new AbortController();
  lines.once("close", () => closed.abort());
  try {
    return (
      await lines.question(question, { signal: AbortSignal.any([signal, closed.signal]) })
    ).trim();
  } catch (error) {
    if (signal.aborted || closed.signal.aborted) return undefined;
    throw error;
  } finally {
    lines.close();
  }
}

const ENTER: ReadonlySet<string> = new Set(["\r", "\n"]);
const END: ReadonlySet<string> = new Set(["\u0003", "\u0004"]);
const BACKSPACE: ReadonlySet<string> = new Set(["\u007f", "\b"]);
/** Arrow keys and the marks around a paste. */
const ESCAPE_SEQUENCES = /\u001b\[[0-9;]*[A-Za-z~]/g;

/** The same without showing what is typed or pasted. */
export async function askHidden(
  question: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { stdin, stderr } = process;
  // First of all: what is pasted the moment the question appears must not be shown either.
  stdin.setRawMode(true);
  stdin.resume();
  stderr.write(question);
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  let typed = "";
  const onData = (data: Buffer): void => {
    for (const char of data.toString("utf8").replaceAll(ESCAPE_SEQUENCES, "")) {
      if (ENTER.has(char)) return resolve(typed.trim());
      if (END.has(char)) return resolve(undefined);
      typed = BACKSPACE.has(char) ? typed.slice(0, -1) : typed + char;
    }
  };
  const onAbort = () => resolve(undefined);
  stdin.on("data", onData);
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    return signal.aborted ? undefined : await promise;
  } finally {
    stdin.off("data", onData);
    signal.removeEventListener("abort", onAbort);
    stdin.setRawMode(false);
    stdin.pause();
    stderr.write("\n");
  }
}
