// Skills: folders with a SKILL.md that says what it is good for and how to do it. The model is told names and
// descriptions, and loads the rest when it needs it; a person may ask for one as a slash command.

import { join } from "node:path";
import { truncateAtGrapheme } from "../lib/text.ts";
import type { PromptCommand } from "./command.ts";
import { readFrontMatter, textField } from "./front-matter.ts";
import { COMMAND_NAME, MAX_DESCRIPTION_LENGTH } from "./markdown-commands.ts";
import { type TextFolder, namesIn, readTextFile } from "./text-files.ts";

const SKILL_FILE = "SKILL.md";
/** UTF-16 units that the model is told of each skill before it loads it. */
const MAX_ABOUT_LENGTH = 600;
/** Further files of a skill that are named when it is loaded. */
const MAX_FILES = 50;

export type Skill = {
  readonly name: string;
  /** When to use it. */
  readonly description: string;
  /** Absolute. */
  readonly folder: string;
  /** What SKILL.md says below its head, and which files lie beside it. */
  readonly text: string;
};

async function readSkill(parent: TextFolder, entry: string): Promise<Skill[]> {
  const folder: TextFolder = { ...parent, path: join(parent.path, entry) };
  const read = await readTextFile(folder, SKILL_FILE);
  if (read === undefined) return [];
  const parts = await readFrontMatter(read.text);
  const name = (textField(parts, "name") || entry).toLowerCase();
  if (!COMMAND_NAME.test(name) || parts.body === "") return [];
  const others = (await namesIn(folder.path)).filter((file) => file !== SKILL_FILE);
  const files = others.slice(0, MAX_FILES).map((file) => `- ${join(folder.path, file)}`);
  const beside = files.length === 0 ? "" : `\n\nFiles of this skill:\n${files.join("\n")}`;
  const description = textField(parts, "description") || name;
  return [
    {
      name,
      description: truncateAtGrapheme(description, MAX_ABOUT_LENGTH),
      folder: folder.path,
      text: parts.body + beside,
    },
  ];
}

/** The skills of a folder; what has no SKILL.md is none. */
export async function readSkills(folder: TextFolder): Promise<readonly Skill[]> {
  const names = await namesIn(folder.path);
  return (await Promise.all(names.map((name) => readSkill(folder, name)))).flat();
}

export function skillCommand({ name, description, text }: Skill): PromptCommand {
  return {
    name,
    description: truncateAtGrapheme(description, MAX_DESCRIPTION_LENGTH),
    hint: "[task]",
    expand: async (args) => ({
      ok: true,
      value: `Follow the skill ${name}:\n\n${text}${args === "" ? "" : `\n\nThe task: ${args}`}`,
    }),
  };
}
