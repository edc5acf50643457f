// The contracts of slash commands: those the program answers itself, and those that stand for a longer prompt.

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
  readonly commands: () => readonly CommandInfo[];
  /** Runs a tool through the same gate as the model's own calls and returns what the model would be told. */
  readonly runTool: (name: string, args: Readonly<Record<string, unknown>>) => Promise<string>;
  /** Restores the files of the last turn that wrote, through the gate; returns what was done. */
  readonly undo: () => Promise<string>;
  readonly compact: () => Promise<string>;
  /** The model starts afresh; what was said stays on the client's screen and in the store. */
  readonly clear: () => Promise<void>;
  readonly rename: (title: string) => Promise<string>;
  readonly models: () => { readonly current: string; readonly ids: readonly string[] };
  readonly setModel: (id: string) => Promise<string>;
  readonly modes: () => { readonly current: string; readonly ids: readonly string[] };
  readonly setMode: (id: string) => Promise<string>;
};

/** What a client is told of a command. */
export type CommandInfo = {
  readonly name: string;
  readonly description: string;
  /** Shown by the client where arguments go. */
  readonly hint?: string;
};

export type Command = CommandInfo & {
  /** Returns Markdown for the user; the model is not told. */
  readonly run: (args: string, context: CommandContext) => Promise<string>;
};

/** What was typed stands for `value`, which goes to the model; or nothing goes there, and `text` tells the user why. */
export type Expansion =
  | { readonly ok: true; readonly value: string }
  | { readonly ok: false; readonly text: string };

/** A command whose text goes to the model as the user's own words: a Markdown file, a skill, a server's prompt. */
export type PromptCommand = CommandInfo & {
  readonly expand: (args: string, signal: AbortSignal) => Promise<Expansion>;
};

export function defineCommand(command: Command): Command {
  return command;
}
