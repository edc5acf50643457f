// The contract of a slash command: a prompt that the program answers itself.

import type { SessionId } from "../lib/ids.ts";

export type CommandContext = {
  readonly sessionId: SessionId;
  readonly cwd: string;
  readonly signal: AbortSignal;
  readonly session: CommandSession;
};

/** What a command may see and do of the session it was typed in. */
export type CommandSession = {
  readonly status: () => Promise<readonly (readonly [label: string, value: string])[]>;
  readonly commands: () => readonly Command[];
  /** Runs a tool through the same gate as the model's own calls and returns what the model would be told. */
  readonly runTool: (name: string, args: Readonly<Record<string, unknown>>) => Promise<string>;
  readonly compact: () => Promise<string>;
  /** The model starts afresh; what was said stays on the client's screen and in the store. */
  readonly clear: () => Promise<void>;
  readonly rename: (title: string) => Promise<string>;
  readonly models: () => { readonly current: string; readonly ids: readonly string[] };
  readonly setModel: (id: string) => Promise<string>;
  readonly modes: () => { readonly current: string; readonly ids: readonly string[] };
  readonly setMode: (id: string) => Promise<string>;
};

export type Command = {
  readonly name: string;
  readonly description: string;
  /** Shown by the client where arguments go. */
  readonly hint?: string;
  /** Returns Markdown for the user; the model is not told. */
  readonly run: (args: string, context: CommandContext) => Promise<string>;
};

export function defineCommand(command: Command): Command {
  return command;
}
