// iac-code run: one turn without an editor, as a client of the same dispatcher (or of a remote one).

import { resolve } from "node:path";
import { EXIT, UsageError, defineCli, textOf } from "./command.ts";
import { createOutput } from "./run-output.ts";
import { openStream } from "./run-connection.ts";
import { describeFailure } from "./run-failure.ts";
import { type RunOutcome, runTurn } from "./run-client.ts";

async function readPrompt(word: string | undefined): Promise<string> {
  const text = word === "-" ? await Bun.stdin.text() : word;
  if (text === undefined || text.trim() === "")
    throw new UsageError(
      'Say what to do: iac-code run "review this project", or - to read it from stdin',
    );
  return text;
}

export const run = defineCli({
  name: "run",
  summary: "run one turn in a terminal or script",
  details:
    "Text goes to stdout as it streams, everything else to stderr. On a terminal you are asked before anything changes; " +
    "without one, whatever would ask is denied unless --mode allows it.",
  args: {
    prompt: {
      type: "positional",
      required: false,
      description: "what to do; - reads it from stdin",
    },
    cwd: {
      type: "string",
      valueHint: "DIR",
      description: "directory to work in (default: the current one)",
    },
    model: { type: "string", valueHint: "ID", description: "model to use, provider/model" },
    mode: {
      type: "string",
      valueHint: "MODE",
      description: "permission mode: default, accept_edits, plan, auto",
    },
    session: { type: "string", valueHint: "ID", description: "go on with a stored session" },
    connect: {
      type: "string",
      valueHint: "URL",
      description:
        "use a running `iac-code acp --transport http`; token from IACCODE_ACP_HTTP_TOKEN",
    },
    json: {
      type: "boolean",
      default: false,
      description: "write one session update a line instead of text",
    },
  },
  run: async (args, signal) => {
    const prompt = await readPrompt(textOf(args, "prompt"));
    const cwd = resolve(textOf(args, "cwd") ?? process.cwd());
    const isInteractive =
      textOf(args, "prompt") !== "-" && process.stdin.isTTY && process.stderr.isTTY;
    const remote = textOf(args, "connect");
    using output = createOutput({ isJson: args["json"] === true, isInteractive, cwd });
    await using connection = await openStream(remote);
    const outcome = await runTurn(
      {
        prompt,
        cwd,
        sessionId: textOf(args, "session"),
        model: textOf(args, "model"),
        mode: textOf(args, "mode"),
      },
      { stream: connection.stream, output, signal },
    );
    await output.end();
    switch (outcome.type) {
      case "error": {
        const { message, next } = describeFailure(outcome.error, remote);
        say(next === undefined ? [message] : [message, next]);
        return EXIT.error;
      }
      case "cancelled":
        return EXIT.cancelled;
      case "ended":
        return sayEnd(outcome, isInteractive);
    }
  },
});

function say(lines: readonly string[]): void {
  for (const line of lines) process.stderr.write(`iac-code: ${line}\n`);
}

type Ended = Extract<RunOutcome, { type: "ended" }>;

/** Says what did not go as asked and how to go on; the exit code. */
function sayEnd({ stopReason, denied, sessionId }: Ended, isInteractive: boolean): number {
  const hasEnded = stopReason === "end_turn";
  if (!hasEnded) {
    const goOn = `iac-code run --session ${sessionId} "go on"`;
    say([`the turn ended early (${stopReason})`, `To go on: ${goOn}`]);
  }
  if (denied > 0) {
    const how = "Run it in a terminal to be asked, or let edits pass with --mode accept_edits";
    say(isInteractive ? [`${denied} denied`] : [`${denied} denied`, how]);
    return EXIT.denied;
  }
  return hasEnded ? EXIT.ok : EXIT.error;
}
