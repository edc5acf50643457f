// Two streams that are often one terminal: keeps text that streams on stdout, notes on stderr and the spinner apart, so that none
// is written into the middle of another's line.

import { escapeInvisible } from "../lib/text.ts";
import type { Spinner } from "./spinner.ts";

export type Screen = {
  /** Text of the answer, on stdout, as it streams. */
  readonly say: (text: string) => Promise<void>;
  /** Thoughts, on stderr, as they stream; `paint` colours them. */
  readonly mutter: (text: string, paint: (text: string) => string) => Promise<void>;
  /** Whole lines on stderr. */
  readonly note: (lines: readonly string[]) => Promise<void>;
  /** One whole line on stdout. */
  readonly line: (text: string) => Promise<void>;
  /** Something is waited for; shown only where it would not be written into an open line. */
  readonly wait: (label: string) => void;
  /** Ends an open line. */
  readonly end: () => Promise<void>;
};

type Stream = NodeJS.WriteStream;

/** Writes and waits until the pipe took it, so that a slow reader slows us down instead of filling memory. */
function write(stream: Stream, text: string): Promise<void> {
  return new Promise((resolve) => {
    if (stream.write(text)) resolve();
    else stream.once("drain", () => resolve());
  });
}

/** Spaces and joiners that texts in many languages need; they hide nothing. */
const HARMLESS = "\n\t\u00a0\u2009\u200c\u200d\u202f\u3000";
const forTerminal = (text: string): string =>
  escapeInvisible(text.replaceAll("\r\n", "\n"), HARMLESS);

export function createScreen(stdout: Stream, stderr: Stream, spinner: Spinner): Screen {
  let open: Stream | undefined;
  const endLine = async (next: Stream | undefined): Promise<void> => {
    spinner.rest();
    if (open === undefined || open === next) return;
    await write(open, "\n");
    open = undefined;
  };
  const stream = async (to: Stream, text: string, shown = text): Promise<void> => {
    if (text === "") return;
    await endLine(to);
    await write(to, shown);
    open = text.endsWith("\n") ? undefined : to;
  };
  return {
    // A terminal obeys control characters; a model's answer may hold what it read in a file. A pipe gets the text as it is.
    say: (text) => stream(stdout, stdout.isTTY ? forTerminal(text) : text),
    mutter: (text, paint) => {
      const harmless = forTerminal(text);
      return stream(stderr, harmless, paint(harmless));
    },
    note: async (lines) => {
      await endLine(undefined);
      if (lines.length > 0) await write(stderr, `${lines.join("\n")}\n`);
    },
    line: (text) => write(stdout, `${text}\n`),
    wait: (label) => {
      if (open === undefined) spinner.wait(label);
    },
    end: () => endLine(undefined),
  };
}
