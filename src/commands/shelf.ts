// Every slash command and skill of one session: the program's own, the user's, the project's, in that order of strength.
// Files are read again each time, so that a command can be edited while a session runs.

import { join } from "node:path";
import { type Registry, registryOf } from "../lib/registry.ts";
import type { Command, PromptCommand } from "./command.ts";
import { readMarkdownCommands } from "./markdown-commands.ts";
import { type Skill, readSkills, skillCommand } from "./skills.ts";
import type { TextFolder } from "./text-files.ts";

/** Commands of files, and skills, of one session together. */
const MAX_MEMBERS = 300;

export type Shelf = {
  readonly commands: Registry<Command | PromptCommand>;
  /** Sorted by name. */
  readonly skills: readonly Skill[];
};

export type ShelfParts = {
  readonly builtIn: Registry<Command>;
  /** `$IACCODE_HOME`. */
  readonly home: string;
  /** The project's folder, a real path. */
  readonly cwd: string;
};

/** The first of each name stays. */
function firstOfEach<T extends { readonly name: string }>(members: readonly T[]): T[] {
  const known = new Map<string, T>();
  for (const member of members) if (!known.has(member.name)) known.set(member.name, member);
  return [...known.values()];
}

/** Reads the folders. Never rejects: a folder or file that cannot be read holds nothing. */
export async function loadShelf({ builtIn, home, cwd }: ShelfParts): Promise<Shelf> {
  const own = join(cwd, ".iac-code");
  const folders = (name: string): readonly TextFolder[] => [
    { path: join(home, name) },
    { path: join(own, name), inside: cwd },
  ];
  const [commands, skills] = await Promise.all([
    Promise.all(folders("commands").map(readMarkdownCommands)),
    Promise.all(folders("skills").map(readSkills)),
  ]);
  const kept = firstOfEach(skills.flat()).slice(0, MAX_MEMBERS);
  const written = [...commands.flat(), ...kept.map(skillCommand)].slice(0, MAX_MEMBERS);
  return {
    commands: registryOf(firstOfEach([...builtIn.all, ...written])),
    skills: kept.toSorted((a, b) => (a.name < b.name ? -1 : 1)),
  };
}
