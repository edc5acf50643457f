// Slash commands that are Markdown files: `deploy.md` is `/deploy`. The text goes to the model as the user's own words;
// nothing in it is run.

import { truncateAtGrapheme } from "../lib/text.ts";
import type { PromptCommand } from "./command.ts";
import { type FrontMatter, readFrontMatter, textField } from "./front-matter.ts";
import { fillTemplate } from "./template.ts";
import { type TextFolder, namesIn, readTextFile } from "./text-files.ts";

/** UTF-16 units of what a client shows beside the name. */
export const MAX_DESCRIPTION_LENGTH = 200;
const MAX_HINT_LENGTH = 80;
/** A name that can be typed; see parse.ts. */
export const COMMAND_NAME = /^[a-z][a-z0-9_-]{0,63}$/;

function firstLine(body: string): string {
  return (body.split("\n", 1)[0] ?? "").replace(/^#+\s*/, "").trim();
}

function toCommand(name: string, parts: FrontMatter): PromptCommand {
  const described = textField(parts, "description") || firstLine(parts.body);
  const hint = textField(parts, "argument-hint", "argument_hint", "hint");
  return {
    name,
    description: truncateAtGrapheme(described, MAX_DESCRIPTION_LENGTH),
    ...(hint === "" ? {} : { hint: truncateAtGrapheme(hint, MAX_HINT_LENGTH) }),
    expand: async (args) => ({ ok: true, value: fillTemplate(parts.body, args) }),
  };
}

/** The commands of a folder; files with another kind of name, and empty ones, are none. */
export async function readMarkdownCommands(folder: TextFolder): Promise<readonly PromptCommand[]> {
  const names = (await namesIn(folder.path)).filter((name) => name.endsWith(".md"));
  const commands = await Promise.all(
    names.map(async (file) => {
      const name = file.slice(0, -".md".length).toLowerCase();
      const read = COMMAND_NAME.test(name) ? await readTextFile(folder, file) : undefined;
      if (read === undefined) return [];
      const parts = await readFrontMatter(read.text);
      return parts.body === "" ? [] : [toCommand(name, parts)];
    }),
  );
  return commands.flat();
}
