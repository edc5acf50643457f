// The permission question on a terminal: one line, one letter.

import { createInterface } from "node:readline/promises";
import type { PermissionOption } from "@agentclientprotocol/sdk/unstable";
import type { Paint } from "./paint.ts";

const LETTERS: Readonly<Record<string, string>> = {
  allow_once: "y",
  allow_always: "a",
  reject_once: "n",
  reject_always: "v",
};

/** The id of the chosen option; `undefined` when the signal aborted or stdin ended. */
export async function askOnTerminal(
  options: readonly PermissionOption[],
  paint: Paint,
  signal: AbortSignal,
): Promise<string | undefined> {
  const choices = options.map((option) => ({ option, letter: LETTERS[option.kind] ?? "" }));
  const text = choices
    .map(({ option, letter }) => `  [${paint.bold(letter)}] ${option.name}`)
    .join("\n");
  process.stderr.write(`${text}\n`);
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    for (;;) {
      const answer = (await lines.question("  > ", { signal })).trim().toLowerCase();
      const chosen = choices.find(
        ({ letter }) =>
          letter === answer ||
          (answer === "yes" && letter === "y") ||
          (answer === "no" && letter === "n"),
      );
      if (chosen !== undefined) return chosen.option.optionId;
      process.stderr.write(
        `  Answer with one of: ${choices.map(({ letter }) => letter).join(", ")}\n`,
      );
    }
  } catch (error) {
    if (signal.aborted || (error instanceof Error && error.name === "AbortError")) return undefined;
    throw error;
  } finally {
    lines.close();
  }
}
