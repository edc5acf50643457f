// Is a prompt a slash command? Paths (`/etc/hosts is…`) are left alone: a command is one word of letters and dashes.

export type ParsedCommand = { readonly name: string; readonly args: string };

/** `undefined` when the text is no command by its shape; whether the name exists is the caller's question. */
export function parseCommand(text: string): ParsedCommand | undefined {
  const match = /^\s*\/([a-z][a-z0-9_-]*)(?:\s+([\s\S]*))?$/.exec(text);
  return match?.[1] === undefined ? undefined : { name: match[1], args: (match[2] ?? "").trim() };
}
