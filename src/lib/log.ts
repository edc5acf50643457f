// The one logger. Everything goes to stderr: stdout carries protocol messages only.
// A log line never holds prompt text, file content, a key, or an MCP server's env or headers.

import { type ConsolaInstance, createConsola } from "consola/core";

const LEVELS = { silent: -999, error: 0, warn: 1, info: 3, debug: 4 } as const;
export type LogLevel = keyof typeof LEVELS;

function isLogLevel(value: string | undefined): value is LogLevel {
  return value !== undefined && Object.hasOwn(LEVELS, value);
}

/** Writes one line to stderr; a broken stderr ends logging and nothing else. */
function writeLine(line: string): void {
  try {
    process.stderr.write(`${line}\n`);
  } catch {
    // stderr is gone. Logging is best effort; saying so has nowhere to go.
  }
}

function render(value: unknown): string {
  if (value instanceof Error) {
    const cause = value.cause === undefined ? "" : ` <- ${render(value.cause)}`;
    return `${value.stack ?? value.message}${cause}`;
  }
  if (typeof value === "string") return value;
  return JSON.stringify(value) ?? String(value);
}

/** Level from `IACCODE_LOG`: debug, info, warn (default), error or silent. */
export const log: ConsolaInstance = createConsola({
  level: LEVELS[isLogLevel(process.env["IACCODE_LOG"]) ? process.env["IACCODE_LOG"] : "warn"],
  reporters: [
    {
      log: ({ type, args, date }) =>
        writeLine(`${date.toISOString()} ${type} ${args.map(render).join(" ")}`),
    },
  ],
});
